//! Counting what was refused.

use crate::TryTake;

/// A limiter that counts its refusals and hands the count out with the next grant.
///
/// For log lines and alarms: when one gets through again, it can say how many did not.
///
/// ```
/// use tokenweir::{Bandwidth, Bucket, Suppressed, Tokens};
///
/// // One line a second, in milliseconds.
/// let mut lines = Suppressed::new(Bucket::new(Bandwidth::greedy(1, 1, 1_000)?.into(), 0));
/// assert_eq!(lines.try_take(Tokens::ONE, 0), Some(0));
/// for now in [1, 2, 999] {
///     assert_eq!(lines.try_take(Tokens::ONE, now), None);
/// }
/// assert_eq!(lines.try_take(Tokens::ONE, 1_000), Some(3));
/// assert_eq!(lines.try_take(Tokens::ONE, 2_000), Some(0));
/// # Ok::<(), tokenweir::BandwidthError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Suppressed<L> {
    limiter: L,
    refused: u32,
}

impl<L> Suppressed<L> {
    /// A limiter of which nothing was refused yet.
    #[must_use]
    pub const fn new(limiter: L) -> Self {
        Self {
            limiter,
            refused: 0,
        }
    }

    /// Takes `n` at `now` and returns how many calls were refused since the last grant, or `None` if
    /// this one is refused as well.
    ///
    /// It counts calls, whatever they asked for, and stops at `u32::MAX`.
    #[must_use]
    #[inline]
    pub fn try_take(&mut self, n: L::Amount, now: L::Instant) -> Option<u32>
    where
        L: TryTake,
    {
        if self.limiter.try_take(n, now) {
            Some(self.take_suppressed())
        } else {
            self.refused = self.refused.saturating_add(1);
            None
        }
    }

    /// How many calls were refused since the last grant.
    #[must_use]
    pub const fn suppressed(&self) -> u32 {
        self.refused
    }

    /// Hands the count out without a grant, and counts from 0 again: for a last word when a flood ends
    /// and no further line comes.
    #[inline]
    pub const fn take_suppressed(&mut self) -> u32 {
        core::mem::replace(&mut self.refused, 0)
    }

    /// The limiter, for its queries.
    #[must_use]
    pub const fn limiter(&self) -> &L {
        &self.limiter
    }

    /// The limiter, for whatever else it can do; nothing done here is counted.
    pub const fn limiter_mut(&mut self) -> &mut L {
        &mut self.limiter
    }
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use super::*;
    use crate::{Bandwidth, CycleConfig, CycleLimiter, Permits, TinyBucket, TinyConfig};

    #[test]
    fn the_count_stops_at_the_largest() {
        let mut limiter = CycleLimiter::new(CycleConfig::new(1, 10).unwrap(), 0);
        let _ = limiter.drain(0);
        let mut counting = Suppressed {
            limiter,
            refused: u32::MAX - 1,
        };
        for _ in 0..3 {
            assert_eq!(counting.try_take(Permits::ONE, 9), None);
        }
        assert_eq!(counting.suppressed(), u32::MAX);
        assert_eq!(counting.try_take(Permits::ONE, 10), Some(u32::MAX));
        assert_eq!(counting.suppressed(), 0);
    }

    #[test]
    fn what_is_done_to_the_limiter_itself_is_not_counted() {
        let config = TinyConfig::new(Bandwidth::greedy(2, 1, 10).unwrap()).unwrap();
        let mut counting = Suppressed::new(TinyBucket::new(config, 0));
        let two = NonZeroU32::new(2).unwrap();
        assert_eq!(counting.try_take(two, 0), Some(0));
        assert!(!counting.limiter_mut().try_consume_one(0));
        assert_eq!(counting.try_take(two, 10), None);
        assert_eq!(counting.limiter().available(10), 1);
        assert_eq!(counting.take_suppressed(), 1);
        assert_eq!(counting.try_take(two, 20), Some(0));
    }
}
