//! From durations to ticks and back.

use core::num::NonZeroU64;
use core::time::Duration;

use crate::DurationError;
use crate::arith;

const NANOS_PER_SEC: NonZeroU64 = NonZeroU64::new(1_000_000_000).unwrap();

/// Ticks per second: the unit of every instant, period and wait of one limiter.
///
/// ```
/// use core::time::Duration;
/// use tokenweir::{TickRate, checked};
///
/// // The 32 768 Hz crystal of a microcontroller: 1/4 s is exact, 1 ms is not.
/// const RTC: TickRate = TickRate::from_hz(32_768).unwrap();
/// assert_eq!(RTC.ticks(Duration::from_millis(250)), Ok(8_192));
/// assert!(RTC.ticks(Duration::from_millis(1)).is_err());
/// assert_eq!(RTC.ticks_ceil(Duration::from_millis(1)), Ok(33));
/// assert_eq!(RTC.ticks_floor(Duration::from_millis(1)), Ok(32));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TickRate(NonZeroU64);

impl TickRate {
    /// One tick each nanosecond; an instant then reaches 584 years.
    pub const NANOS: Self = Self(NANOS_PER_SEC);
    /// One tick each microsecond.
    pub const MICROS: Self = Self(NonZeroU64::new(1_000_000).unwrap());
    /// One tick each millisecond.
    pub const MILLIS: Self = Self(NonZeroU64::new(1_000).unwrap());
    /// One tick each second.
    pub const SECONDS: Self = Self(NonZeroU64::MIN);

    /// `hz` ticks each second; `None` for 0.
    #[must_use]
    pub const fn from_hz(hz: u64) -> Option<Self> {
        match NonZeroU64::new(hz) {
            Some(hz) => Some(Self(hz)),
            None => None,
        }
    }

    /// Ticks per second.
    #[must_use]
    pub const fn hz(self) -> u64 {
        self.0.get()
    }

    /// The duration in ticks, exactly.
    ///
    /// # Errors
    ///
    /// [`DurationError`] if it is not a whole number of ticks, or more than `u64::MAX` of them.
    pub const fn ticks(self, duration: Duration) -> Result<u64, DurationError> {
        match self.split(duration) {
            Ok((ticks, true)) => Ok(ticks),
            Ok((_, false)) => Err(DurationError::Inexact {
                secs: duration.as_secs(),
                nanos: duration.subsec_nanos(),
                hz: self.hz(),
            }),
            Err(error) => Err(error),
        }
    }

    /// The duration in ticks, rounded down.
    ///
    /// # Errors
    ///
    /// [`DurationError::Overflow`] for more than `u64::MAX` ticks.
    pub const fn ticks_floor(self, duration: Duration) -> Result<u64, DurationError> {
        match self.split(duration) {
            Ok((ticks, _)) => Ok(ticks),
            Err(error) => Err(error),
        }
    }

    /// The duration in ticks, rounded up: at minimum this long.
    ///
    /// # Errors
    ///
    /// [`DurationError::Overflow`] for more than `u64::MAX` ticks.
    pub const fn ticks_ceil(self, duration: Duration) -> Result<u64, DurationError> {
        match self.split(duration) {
            Ok((ticks, exact)) => match ticks.checked_add(!exact as u64) {
                Some(ticks) => Ok(ticks),
                None => Err(self.overflow(duration)),
            },
            Err(error) => Err(error),
        }
    }

    /// These ticks as a duration, rounded up to the nanosecond: waiting it is waiting long enough.
    ///
    /// ```
    /// use core::time::Duration;
    /// use tokenweir::TickRate;
    ///
    /// let rate = TickRate::from_hz(3).unwrap();
    /// assert_eq!(rate.duration_ceil(1), Duration::from_nanos(333_333_334));
    /// ```
    #[must_use]
    pub const fn duration_ceil(self, ticks: u64) -> Duration {
        let (secs, rest) = arith::div_rem(ticks as u128, self.0);
        let nanos = arith::div_ceil(arith::mul(rest, NANOS_PER_SEC.get()), self.0);
        // `rest < hz`, so `nanos` is at most a whole second; as a bound it shows that `Duration::new` has
        // nothing to carry, and hence no panic.
        if nanos >= NANOS_PER_SEC.get() as u128 {
            Duration::from_secs((secs as u64).saturating_add(1))
        } else {
            Duration::new(secs as u64, nanos as u32)
        }
    }

    /// The ticks, rounded down, and whether that was exact.
    const fn split(self, duration: Duration) -> Result<(u64, bool), DurationError> {
        let (sub_ticks, rest) = arith::div_rem(
            arith::mul(duration.subsec_nanos() as u64, self.hz()),
            NANOS_PER_SEC,
        );
        match arith::mul(duration.as_secs(), self.hz()).checked_add(sub_ticks) {
            Some(ticks) if ticks <= u64::MAX as u128 => Ok((ticks as u64, rest == 0)),
            _ => Err(self.overflow(duration)),
        }
    }

    const fn overflow(self, duration: Duration) -> DurationError {
        DurationError::Overflow {
            secs: duration.as_secs(),
            hz: self.hz(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_beyond_the_range_are_an_error() {
        assert_eq!(
            TickRate::NANOS.ticks(Duration::MAX).unwrap_err().code(),
            "period_overflow"
        );
        assert_eq!(
            TickRate::SECONDS
                .ticks_ceil(Duration::MAX)
                .unwrap_err()
                .code(),
            "period_overflow"
        );
        assert_eq!(TickRate::SECONDS.ticks_floor(Duration::MAX), Ok(u64::MAX));
    }

    #[test]
    fn ticks_and_durations_agree_at_a_crystal_rate() {
        let rate = TickRate::from_hz(32_768).unwrap();
        for ticks in [0, 1, 2, 32_767, 32_768, 32_769, u64::MAX] {
            assert_eq!(rate.ticks_floor(rate.duration_ceil(ticks)), Ok(ticks));
        }
    }

    #[test]
    fn a_rate_above_a_gigahertz_rounds_up_into_the_next_second() {
        let rate = TickRate::from_hz(10_000_000_000).unwrap();
        assert_eq!(rate.duration_ceil(9_999_999_999), Duration::from_secs(1));
    }
}
