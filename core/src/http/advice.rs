//! Whether, and when, the next request may be made.

use crate::Wait;

/// What the fields of a reply say about the next request.
///
/// None of these is an order to try again: how long to wait after a failure is for
/// [`backoff`](crate::backoff) to say, with this as the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Advice {
    /// Nothing: there are no such fields, or none that could be read, or nothing is left and no
    /// time is given.
    Unknown,
    /// There is something left, or nothing to wait for any more.
    MayCall,
    /// Not before this instant, in nanoseconds of Unix time.
    NotBefore(u64),
}

impl Advice {
    /// Not before `wait` nanoseconds have passed.
    pub(super) const fn after(wait: u64, now: u64) -> Self {
        if wait == 0 {
            Self::MayCall
        } else {
            Self::NotBefore(now.saturating_add(wait))
        }
    }

    /// How long that is from `now`, in nanoseconds, as [`Retry::next_delay`] takes it: nothing
    /// unless there is an instant to wait for.
    ///
    /// ```
    /// use tokenweir::Wait;
    /// use tokenweir::http::Advice;
    ///
    /// assert_eq!(Advice::NotBefore(500).wait(200), Wait::Ticks(300));
    /// assert_eq!(Advice::NotBefore(500).wait(600), Wait::NONE);
    /// assert_eq!(Advice::Unknown.wait(200), Wait::NONE);
    /// ```
    ///
    /// [`Retry::next_delay`]: crate::backoff::Retry::next_delay
    #[must_use]
    pub const fn wait(self, now: u64) -> Wait {
        match self {
            Self::NotBefore(instant) => Wait::from_wide(instant.saturating_sub(now) as u128),
            Self::Unknown | Self::MayCall => Wait::NONE,
        }
    }
}
