//! Why permits were refused.

use core::fmt;

use crate::Wait;

/// Permits were refused; nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct CycleRefusal {
    /// How long until the same reservation is granted if nobody else takes permits, in ticks: granted
    /// at that tick, refused one tick before. It may then have to wait for up to the timeout.
    /// [`Wait::Never`] if it can never pass within the timeout, or not within `i64::MAX` ticks.
    pub wait: Wait,
    /// The limit in force.
    pub limit: u64,
    /// Permits left in the current cycle; 0 while reservations are owed.
    pub remaining: u64,
}

impl CycleRefusal {
    /// The stable code of this error: the same in every language and release.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "not_permitted"
    }
}

impl fmt::Display for CycleRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "refused with {} of {} permits left; wait: {}",
            self.remaining, self.limit, self.wait
        )
    }
}

impl core::error::Error for CycleRefusal {}
