//! Where `now` comes from.

mod clocked;
mod manual;
#[cfg(feature = "std")]
mod std_clock;
mod widening;

pub use clocked::{ClockedBucket, ClockedCycle};
pub use manual::ManualClock;
#[cfg(feature = "std")]
pub use std_clock::{MonotonicClock, SystemClock};
pub use widening::{Widening, WideningClock};

use crate::TickRate;

/// A source of instants.
///
/// The limiters take `now` as a number and never read a clock themselves; a clock is for the
/// wrappers that read it for you, [`ClockedBucket`] and [`ClockedCycle`].
///
/// # Contract
///
/// - An instant MUST be a count of ticks since an origin that stays the same for the life of every
///   limiter that uses the clock, restarts included if state is kept across them.
/// - A tick MUST always be [`Clock::rate`]⁻¹ seconds long, and the rate MUST NOT change.
/// - Readings SHOULD NOT go back. If they do, limiters refill nothing until the clock has caught up,
///   and their waits count that lag: nothing is lost and nothing extra is granted.
/// - A clock MUST NOT wrap: widen a counter of 32 bits with a [`WideningClock`].
/// - [`Clock::is_wall`] MUST be true only if the origin is a fixed instant of civil time, such as
///   the Unix epoch, and MUST NOT change.
/// - [`Clock::now`] MUST NOT block, and a clock that is used in an interrupt handler MUST be safe to
///   read there.
pub trait Clock {
    /// The instant now, in ticks.
    fn now(&self) -> u64;

    /// Ticks per second.
    fn rate(&self) -> TickRate;

    /// Whether instants are civil time, as aligned refills and cycles need.
    fn is_wall(&self) -> bool {
        false
    }
}

impl<C: Clock + ?Sized> Clock for &C {
    fn now(&self) -> u64 {
        (**self).now()
    }

    fn rate(&self) -> TickRate {
        (**self).rate()
    }

    fn is_wall(&self) -> bool {
        (**self).is_wall()
    }
}
