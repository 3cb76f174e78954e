//! From a 32-bit counter that wraps to 64-bit instants.

use core::cell::Cell;

use super::Clock;
use crate::TickRate;

/// Widens readings of a counter of 32 bits that wraps to instants of 64 bits.
///
/// It MUST be given a reading at least once in 2³¹ ticks (24.8 days of milliseconds, 18 hours of a
/// 32 768 Hz crystal, 35 minutes of microseconds); after a longer silence, whole wraps are missed
/// and instants are too early, which delays refills but never grants extra.
///
/// A reading up to 2³¹ ticks behind the latest one is taken as what it is, an earlier reading, and
/// not as a wrap: an interrupt that reads the counter first and reports it last does no harm.
///
/// ```
/// use tokenweir::Widening;
///
/// let mut widening = Widening::new();
/// assert_eq!(widening.widen(0xffff_ff00), 0xffff_ff00);
/// assert_eq!(widening.widen(0x0000_0010), 0x1_0000_0010);
/// assert_eq!(widening.widen(0xffff_fff0), 0xffff_fff0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Widening {
    latest: Option<u64>,
}

impl Widening {
    /// Before the first reading, which is taken as it is.
    #[must_use]
    pub const fn new() -> Self {
        Self { latest: None }
    }

    /// The instant of a reading.
    #[must_use]
    pub const fn widen(&mut self, reading: u32) -> u64 {
        let Some(latest) = self.latest else {
            self.latest = Some(reading as u64);
            return reading as u64;
        };
        // The distance from the latest reading, as the shorter way round.
        let ahead = reading.wrapping_sub(latest as u32).cast_signed();
        let instant = latest.saturating_add_signed(ahead as i64);
        if ahead > 0 {
            self.latest = Some(instant);
        }
        instant
    }
}

impl Default for Widening {
    fn default() -> Self {
        Self::new()
    }
}

/// A clock that reads a counter of 32 bits through a function.
///
/// It MUST be read at least once in 2³¹ ticks, see [`Widening`]. It is for one thread of
/// execution; where an interrupt handler reads the time too, keep a [`Widening`] in a critical
/// section.
///
/// ```
/// use tokenweir::{Clock, TickRate, WideningClock};
///
/// let counter = std::cell::Cell::new(u32::MAX);
/// let clock = WideningClock::new(TickRate::MILLIS, || counter.get());
/// assert_eq!(clock.now(), u64::from(u32::MAX));
/// counter.set(9);
/// assert_eq!(clock.now(), u64::from(u32::MAX) + 10);
/// ```
#[derive(Debug)]
pub struct WideningClock<F> {
    rate: TickRate,
    read: F,
    widening: Cell<Widening>,
}

impl<F: Fn() -> u32> WideningClock<F> {
    /// A clock of ticks at `rate` that `read` counts.
    pub const fn new(rate: TickRate, read: F) -> Self {
        Self {
            rate,
            read,
            widening: Cell::new(Widening::new()),
        }
    }
}

impl<F: Fn() -> u32> Clock for WideningClock<F> {
    fn now(&self) -> u64 {
        let mut widening = self.widening.get();
        let instant = widening.widen((self.read)());
        self.widening.set(widening);
        instant
    }

    fn rate(&self) -> TickRate {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrap_goes_on_and_a_stale_reading_stays_behind() {
        let mut widening = Widening::new();
        for lap in 0_u64..5 {
            for reading in [5_u32, 1 << 30, 1 << 31, u32::MAX - 3] {
                let instant = (lap << 32) | u64::from(reading);
                assert_eq!(widening.widen(reading), instant);
                assert_eq!(widening.widen(reading.wrapping_sub(2)), instant - 2);
            }
        }
    }

    #[test]
    fn a_reading_before_the_first_one_does_not_underflow() {
        let mut widening = Widening::new();
        assert_eq!(widening.widen(1), 1);
        assert_eq!(widening.widen(u32::MAX), 0);
        assert_eq!(widening.widen(1), 1);
    }
}
