//! How long until something holds.

use crate::arith;

/// How long to wait, in ticks, rounded up; or never.
///
/// "Never" is an answer of its own, not a large number: either no amount of waiting helps
/// (more tokens than the capacity were asked for) or the wait is beyond `i64::MAX` ticks.
///
/// Waits are ordered, with [`Wait::Never`] the longest.
///
/// ```
/// use tokenweir::Wait;
///
/// assert!(Wait::Ticks(5) < Wait::Never);
/// assert_eq!(Wait::Ticks(5).ticks(), Some(5));
/// assert_eq!(Wait::Never.ticks(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Wait {
    /// This many ticks; 0 means "now". At most `i64::MAX`.
    Ticks(u64),
    /// No wait is long enough.
    Never,
}

impl Wait {
    /// No wait at all.
    pub const NONE: Self = Self::Ticks(0);

    /// The number of ticks, or `None` for never.
    #[must_use]
    pub const fn ticks(self) -> Option<u64> {
        match self {
            Self::Ticks(ticks) => Some(ticks),
            Self::Never => None,
        }
    }

    /// Whether nothing has to be waited for.
    #[must_use]
    pub const fn is_none(self) -> bool {
        matches!(self, Self::Ticks(0))
    }

    /// Whether this wait is over within `limit` ticks (inclusive); never is within no limit.
    #[must_use]
    pub const fn within(self, limit: u64) -> bool {
        matches!(self, Self::Ticks(ticks) if ticks <= limit)
    }

    /// A wait of `ticks`, which is never if it is beyond `i64::MAX`.
    pub(crate) const fn from_wide(ticks: u128) -> Self {
        if ticks <= arith::MAX as u128 {
            Self::Ticks(ticks as u64)
        } else {
            Self::Never
        }
    }
}

impl core::fmt::Display for Wait {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Ticks(ticks) => write!(f, "{ticks} ticks"),
            Self::Never => f.write_str("never"),
        }
    }
}
