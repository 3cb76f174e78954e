//! A clock that stands still until it is told.

use core::cell::Cell;

use super::Clock;
use crate::TickRate;

/// A clock for tests: it moves only by [`ManualClock::set`] and [`ManualClock::advance`].
///
/// ```
/// use tokenweir::{Bandwidth, ClockedBucket, ManualClock, Tokens};
///
/// let clock = ManualClock::new(0);
/// let mut bucket = ClockedBucket::new(Bandwidth::greedy(1, 1, 100)?.into(), &clock)?;
/// assert!(bucket.try_consume(Tokens::ONE));
/// assert!(!bucket.try_consume(Tokens::ONE));
/// clock.advance(100);
/// assert!(bucket.try_consume(Tokens::ONE));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ManualClock {
    now: Cell<u64>,
    rate: TickRate,
    wall: bool,
}

impl ManualClock {
    /// A monotonic clock of nanoseconds that reads `now`.
    #[must_use]
    pub const fn new(now: u64) -> Self {
        Self::with_rate(now, TickRate::NANOS)
    }

    /// A monotonic clock of ticks at `rate`.
    #[must_use]
    pub const fn with_rate(now: u64, rate: TickRate) -> Self {
        Self {
            now: Cell::new(now),
            rate,
            wall: false,
        }
    }

    /// This clock as one that tells civil time.
    #[must_use]
    pub fn into_wall(mut self) -> Self {
        self.wall = true;
        self
    }

    /// Sets the reading, also to an earlier one.
    pub fn set(&self, now: u64) {
        self.now.set(now);
    }

    /// Moves the reading forward; it stops at `u64::MAX`.
    pub fn advance(&self, ticks: u64) {
        self.now.set(self.now.get().saturating_add(ticks));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> u64 {
        self.now.get()
    }

    fn rate(&self) -> TickRate {
        self.rate
    }

    fn is_wall(&self) -> bool {
        self.wall
    }
}
