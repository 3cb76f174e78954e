//! Clocks of the operating system.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::Clock;
use crate::TickRate;

/// Nanoseconds since this clock was made; copies share the origin.
///
/// ```
/// use tokenweir::{Bandwidth, ClockedBucket, MonotonicClock, TickRate, Tokens};
///
/// let limit = Bandwidth::per_second(100, TickRate::NANOS)?;
/// let mut bucket = ClockedBucket::new(limit.into(), MonotonicClock::new())?;
/// assert!(bucket.try_consume(Tokens::ONE));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    origin: Instant,
}

impl MonotonicClock {
    /// A clock that reads 0 now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            origin: Instant::now(),
        }
    }
}

impl Default for MonotonicClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> u64 {
        // 584 years fit.
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn rate(&self) -> TickRate {
        TickRate::NANOS
    }
}

/// Nanoseconds since the Unix epoch; a time before it reads 0.
///
/// Follows the system's time, corrections included. For aligned refills and cycles, and where state
/// is kept across restarts; otherwise prefer [`MonotonicClock`].
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |elapsed| {
                u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
            })
    }

    fn rate(&self) -> TickRate {
        TickRate::NANOS
    }

    fn is_wall(&self) -> bool {
        true
    }
}
