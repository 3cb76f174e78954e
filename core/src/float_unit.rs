//! Seconds and milliseconds as `f64`, as Python and JavaScript count time, to nanoseconds and back.
//!
//! A float stands for the number of nanoseconds that reads as it: `0.1` s is 100 000 000 ns, not the
//! 100 000 000.00000000555 ns that its bits say.
#![expect(
    clippy::float_arithmetic,
    reason = "floats come in and go out; what they stand for is an integer, and only that decides"
)]

use core::num::NonZeroU64;

use crate::FloatTimeError;

/// From here up to 2^53, the floats are the whole numbers.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// A unit of time that is counted in `f64`.
///
/// ```
/// use tokenweir::FloatUnit;
///
/// assert_eq!(FloatUnit::SECONDS.exact(0.1), Ok(100_000_000));
/// assert_eq!(FloatUnit::MILLIS.exact(1.0 / 3.0).unwrap_err().code(), "inexact_duration");
/// // A wait is rounded up where a float is too coarse for it.
/// assert_eq!(FloatUnit::MILLIS.of_nanos_ceil(333_333_334), 333.333334);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatUnit {
    nanos: NonZeroU64,
}

impl FloatUnit {
    /// Seconds.
    pub const SECONDS: Self = Self::of_nanos(1_000_000_000);
    /// Milliseconds.
    pub const MILLIS: Self = Self::of_nanos(1_000_000);

    /// The nearest number of nanoseconds; for readings of a clock, which have digits beyond those it
    /// can tell apart. Never decreases when the time increases.
    ///
    /// # Errors
    ///
    /// [`FloatTimeError::NotADuration`] for a number that is negative, infinite or not a number,
    /// [`FloatTimeError::Overflow`] for more than `u64::MAX` nanoseconds.
    #[inline(always)]
    pub fn nearest(self, time: f64) -> Result<u64, FloatTimeError> {
        // Below this every product and sum fits.
        let end = u64::MAX / self.nanos;
        // Added to this, a whole number is the lowest bits, which takes less than a conversion. What is out
        // of range differs by more, and a fraction is gone when this is subtracted again.
        let shifted = time + WHOLE;
        let whole = shifted.to_bits().wrapping_sub(WHOLE.to_bits());
        if whole < end && shifted - WHOLE == time {
            return Ok(whole.wrapping_mul(self.nanos.get()));
        }
        // NaN compares false.
        if !(0.0..end as f64).contains(&time) {
            return Err(out_of_range(time));
        }
        // The whole part and the rest of a float are exact; adding a half and truncating rounds. All
        // fit a signed word, whose conversions take less.
        let whole = time as i64;
        let rest = (time - whole as f64) * self.nanos.get() as f64;
        let rest = ((rest + 0.5) as i64).cast_unsigned();
        Ok(whole
            .cast_unsigned()
            .wrapping_mul(self.nanos.get())
            .wrapping_add(rest))
    }

    /// The nanoseconds that read as this time; for periods. Of several, which there are from 104 days
    /// on, it is the roundest.
    ///
    /// # Errors
    ///
    /// As [`FloatUnit::nearest`], and [`FloatTimeError::Inexact`] if there are none.
    pub fn exact(self, time: f64) -> Result<u64, FloatTimeError> {
        let nearest = self.nearest(time)?;
        if self.reads_as(nearest) != time {
            return Err(FloatTimeError::Inexact);
        }
        let (mut roundest, mut step) = (nearest, 10_u64);
        // While there is a rounder one there may be a rounder one still; 0 reads as itself alone.
        while let Some(rounder) = nearest_multiple(nearest, step)
            && self.reads_as(rounder) == time
            && nearest != 0
        {
            roundest = rounder;
            step = step.saturating_mul(10);
        }
        Ok(roundest)
    }

    /// The time in nanoseconds, rounded down: at most this long.
    ///
    /// # Errors
    ///
    /// As [`FloatUnit::nearest`].
    pub fn floor(self, time: f64) -> Result<u64, FloatTimeError> {
        let nearest = self.nearest(time)?;
        let above = self.reads_as(nearest) > time;
        Ok(nearest.saturating_sub(above.into()))
    }

    /// The time in nanoseconds, rounded up: at minimum this long.
    ///
    /// # Errors
    ///
    /// As [`FloatUnit::nearest`].
    pub fn ceil(self, time: f64) -> Result<u64, FloatTimeError> {
        let nearest = self.nearest(time)?;
        let below = self.reads_as(nearest) < time;
        Ok(nearest.saturating_add(below.into()))
    }

    /// The nanoseconds in this unit, rounded up where `f64` has no such number: waiting it is waiting
    /// long enough.
    #[must_use]
    pub fn of_nanos_ceil(self, nanos: u64) -> f64 {
        let mut time = self.reads_as(nanos);
        // At most a few steps: the conversion is off by less than one of them.
        while self.nearest(time).is_ok_and(|covered| covered < nanos) {
            time = time.next_up();
        }
        time
    }

    /// The time that these nanoseconds read as.
    fn reads_as(self, nanos: u64) -> f64 {
        let unit = self.nanos.get() as f64;
        if nanos < 1 << 53 {
            // Both are exact, and a quotient is rounded once.
            nanos as f64 / unit
        } else {
            (nanos / self.nanos) as f64 + (nanos % self.nanos) as f64 / unit
        }
    }

    const fn of_nanos(nanos: u64) -> Self {
        Self {
            nanos: NonZeroU64::MIN.saturating_add(nanos.saturating_sub(1)),
        }
    }
}

/// The multiple of `step` that is nearest to `nanos`, if it fits.
fn nearest_multiple(nanos: u64, step: u64) -> Option<u64> {
    let half_up = nanos.checked_add(step / 2)?;
    half_up.checked_div(step)?.checked_mul(step)
}

#[cold]
fn out_of_range(time: f64) -> FloatTimeError {
    if time >= 0.0 && time.is_finite() {
        FloatTimeError::Overflow
    } else {
        FloatTimeError::NotADuration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECONDS: FloatUnit = FloatUnit::SECONDS;
    const MILLIS: FloatUnit = FloatUnit::MILLIS;

    #[test]
    fn a_float_is_the_decimal_it_is_written_as() {
        for (secs, nanos) in [
            (0.0, 0),
            (-0.0, 0),
            (1e-9, 1),
            (0.1, 100_000_000),
            (0.3, 300_000_000),
            (1.1, 1_100_000_000),
            (60.0, 60_000_000_000),
            (86_400.0, 86_400_000_000_000),
            (123_456_789.123_456_78, 123_456_789_123_456_780),
            (1.8e10, 18_000_000_000_000_000_000),
        ] {
            assert_eq!(SECONDS.exact(secs), Ok(nanos), "{secs}");
            assert_eq!(SECONDS.floor(secs).unwrap().max(nanos), nanos, "{secs}");
        }
        for nanos in (0..3_000_000_000_u64).step_by(999_983) {
            let text = std::format!("{}.{:06}", nanos / 1_000_000, nanos % 1_000_000);
            let millis: f64 = text.parse().unwrap();
            assert_eq!(MILLIS.exact(millis), Ok(nanos), "{text}");
            assert_eq!(MILLIS.of_nanos_ceil(nanos), millis, "{text}");
        }
        // 49 days, then the epoch in 2026 by whole milliseconds.
        assert_eq!(
            MILLIS.exact(4_294_967_295.123_457),
            Ok(4_294_967_295_123_457)
        );
        assert_eq!(MILLIS.exact(1.8e12), Ok(1_800_000_000_000_000_000));
    }

    #[test]
    fn what_is_no_whole_number_of_nanoseconds_is_rounded_as_asked() {
        for (secs, floor) in [
            (1.0 / 3.0, 333_333_333),
            (2.0 / 3.0, 666_666_666),
            (1e-10, 0),
            (5e-324, 0),
            (1.5e-9, 1),
        ] {
            assert_eq!(SECONDS.exact(secs), Err(FloatTimeError::Inexact), "{secs}");
            assert_eq!(SECONDS.floor(secs), Ok(floor), "{secs}");
            assert_eq!(SECONDS.ceil(secs), Ok(floor + 1), "{secs}");
        }
        assert_eq!(MILLIS.exact(0.000_000_5), Err(FloatTimeError::Inexact));
        assert_eq!(MILLIS.nearest(0.000_000_5), Ok(1));
    }

    #[test]
    fn whole_numbers_are_multiplied() {
        for unit in [SECONDS, MILLIS] {
            let end = u64::MAX / unit.nanos;
            let whole = (0..64).map(|bits| (1_u64 << bits) - 1);
            for whole in whole.chain([end - 1]).filter(|whole| *whole < end) {
                assert_eq!(unit.nearest(whole as f64), Ok(whole * unit.nanos.get()));
            }
            for time in [WHOLE, WHOLE / 2.0, 2.0 * WHOLE, 3.0 * WHOLE, f64::MAX] {
                assert_eq!(unit.nearest(time), Err(FloatTimeError::Overflow), "{time}");
            }
            for time in [-WHOLE, -WHOLE / 2.0, -2.0 * WHOLE, f64::MIN] {
                let not_a_duration = Err(FloatTimeError::NotADuration);
                assert_eq!(unit.nearest(time), not_a_duration, "{time}");
            }
        }
    }

    #[test]
    fn what_is_no_duration_is_an_error() {
        let not_a_duration = Err(FloatTimeError::NotADuration);
        for time in [-1.0, -5e-324, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(MILLIS.nearest(time), not_a_duration, "{time}");
            assert_eq!(SECONDS.ceil(time), not_a_duration, "{time}");
        }
        assert_eq!(
            MILLIS.nearest(18_446_744_073_709.0),
            Err(FloatTimeError::Overflow)
        );
        for time in [1.9e10, 1e30, f64::MAX] {
            assert_eq!(SECONDS.ceil(time), Err(FloatTimeError::Overflow), "{time}");
        }
    }

    #[test]
    fn a_wait_is_long_enough_and_not_a_step_longer() {
        for unit in [SECONDS, MILLIS] {
            let mut nanos = 1_u64;
            while nanos < 1 << 63 {
                for nanos in [nanos - 1, nanos, nanos + 1, nanos / 3 * 2 + 1] {
                    let time = unit.of_nanos_ceil(nanos);
                    let covered = unit.nearest(time).unwrap();
                    if nanos < 1 << 52 {
                        assert_eq!(covered, nanos);
                    } else {
                        assert!(covered >= nanos);
                        assert!(unit.nearest(time.next_down()).unwrap() < nanos);
                    }
                }
                nanos += nanos / 2 + 1;
            }
        }
    }

    #[test]
    fn later_is_never_earlier() {
        for unit in [SECONDS, MILLIS] {
            for start in [0.999_999_4_f64, 41.0, 8_589_934_591.999_999, 1.2e10] {
                let (mut time, mut before) = (start, 0);
                for _ in 0..10_000 {
                    let nanos = unit.nearest(time).unwrap();
                    assert!(nanos >= before, "{time}");
                    before = nanos;
                    time = time.next_up();
                }
            }
        }
    }
}
