//! Milliseconds as `f64`, as JavaScript counts time, to nanoseconds and back.
//!
//! A float stands for the number of nanoseconds that reads as it: `0.1` is 100 000 ns, not the
//! 100 000.0000000000055 ns that its bits say.
#![expect(
    clippy::float_arithmetic,
    reason = "floats come in and go out; what they stand for is an integer, and only that decides"
)]

use crate::MillisError;

const NANOS_PER_MILLI: u64 = 1_000_000;
/// Below this many milliseconds every product and sum fits.
const END: u64 = 18_446_744_073_709;
/// From here up to 2^53, the floats are the whole numbers.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// Conversions between nanoseconds and milliseconds as `f64`.
///
/// ```
/// use tokenweir::Millis;
///
/// assert_eq!(Millis::to_nanos(0.1), Ok(100_000));
/// assert_eq!(Millis::to_nanos_exact(1.0 / 3.0).unwrap_err().code(), "inexact_duration");
/// // A wait is rounded up where a float is too coarse for it.
/// assert_eq!(Millis::from_nanos_ceil(333_333_334), 333.333334);
/// ```
#[derive(Debug)]
pub enum Millis {}

impl Millis {
    /// The milliseconds in nanoseconds, to the nearest one; for readings of a clock, which have
    /// digits beyond those it can tell apart. Never decreases when the milliseconds increase.
    ///
    /// # Errors
    ///
    /// [`MillisError::NotADuration`] for a number that is negative, infinite or not a number,
    /// [`MillisError::Overflow`] for more than `u64::MAX` nanoseconds.
    #[inline(always)]
    pub fn to_nanos(millis: f64) -> Result<u64, MillisError> {
        // Added to this, a whole number is the lowest bits, which takes less than a conversion. What is out
        // of range differs by more, and a fraction is gone when this is subtracted again.
        let shifted = millis + WHOLE;
        let whole = shifted.to_bits().wrapping_sub(WHOLE.to_bits());
        if whole < END && shifted - WHOLE == millis {
            return Ok(whole.wrapping_mul(NANOS_PER_MILLI));
        }
        // NaN compares false.
        if !(0.0..END as f64).contains(&millis) {
            return Self::out_of_range(millis);
        }
        Ok(nearest(millis))
    }

    /// The milliseconds in nanoseconds, exactly; for periods.
    ///
    /// # Errors
    ///
    /// As [`Millis::to_nanos`], and [`MillisError::Inexact`] if no whole number of nanoseconds
    /// reads as these milliseconds.
    pub fn to_nanos_exact(millis: f64) -> Result<u64, MillisError> {
        let nanos = Self::to_nanos(millis)?;
        if as_millis(nanos) == millis {
            Ok(nanos)
        } else {
            Err(MillisError::Inexact)
        }
    }

    /// The nanoseconds in milliseconds, rounded up where `f64` has no such number: waiting it is
    /// waiting long enough.
    #[must_use]
    pub fn from_nanos_ceil(nanos: u64) -> f64 {
        let mut millis = as_millis(nanos);
        // At most a few steps: the conversion is off by less than one of them.
        while Self::to_nanos(millis).is_ok_and(|covered| covered < nanos) {
            millis = millis.next_up();
        }
        millis
    }

    #[cold]
    fn out_of_range(millis: f64) -> Result<u64, MillisError> {
        if millis >= 0.0 && millis.is_finite() {
            Err(MillisError::Overflow)
        } else {
            Err(MillisError::NotADuration)
        }
    }
}

/// The nearest number of nanoseconds of milliseconds below 2^44.
#[inline(always)]
fn nearest(millis: f64) -> u64 {
    // The whole part and the rest of a float are exact; adding a half and truncating rounds. All fit a
    // signed word, whose conversions take less.
    let whole = millis as i64;
    let rest = (millis - whole as f64) * NANOS_PER_MILLI as f64;
    whole
        .cast_unsigned()
        .wrapping_mul(NANOS_PER_MILLI)
        .wrapping_add(((rest + 0.5) as i64).cast_unsigned())
}

/// The milliseconds that these nanoseconds read as.
fn as_millis(nanos: u64) -> f64 {
    let rest = nanos % NANOS_PER_MILLI;
    if nanos < 1 << 53 {
        // Both are exact, and a quotient is rounded once.
        nanos as f64 / NANOS_PER_MILLI as f64
    } else {
        (nanos / NANOS_PER_MILLI) as f64 + rest as f64 / NANOS_PER_MILLI as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_of_up_to_six_digits_are_exact() {
        for nanos in (0..3_000_000_000_u64).step_by(999_983) {
            let text = std::format!("{}.{:06}", nanos / 1_000_000, nanos % 1_000_000);
            let millis: f64 = text.parse().unwrap();
            assert_eq!(Millis::to_nanos_exact(millis), Ok(nanos), "{text}");
            assert_eq!(Millis::from_nanos_ceil(nanos), millis, "{text}");
        }
        // 49 days, then the epoch in 2026 by whole milliseconds.
        assert_eq!(
            Millis::to_nanos_exact(4_294_967_295.123_457),
            Ok(4_294_967_295_123_457)
        );
        assert_eq!(
            Millis::to_nanos_exact(1.8e12),
            Ok(1_800_000_000_000_000_000)
        );
    }

    #[test]
    fn what_is_no_whole_number_of_nanoseconds_is_an_error_for_periods_only() {
        assert_eq!(
            Millis::to_nanos_exact(0.000_000_5),
            Err(MillisError::Inexact)
        );
        assert_eq!(Millis::to_nanos(0.000_000_5), Ok(1));
        assert_eq!(
            Millis::to_nanos_exact(100.0 / 3.0),
            Err(MillisError::Inexact)
        );
    }

    #[test]
    fn whole_milliseconds_are_multiplied() {
        for millis in (0..64)
            .map(|bits| (1_u64 << bits) - 1)
            .filter(|millis| *millis < END)
        {
            assert_eq!(
                Millis::to_nanos(millis as f64),
                Ok(millis * NANOS_PER_MILLI)
            );
        }
        assert_eq!(
            Millis::to_nanos(END as f64 - 1.0),
            Ok((END - 1) * NANOS_PER_MILLI)
        );
        for millis in [WHOLE, WHOLE / 2.0, 2.0 * WHOLE, 3.0 * WHOLE, f64::MAX] {
            assert_eq!(
                Millis::to_nanos(millis),
                Err(MillisError::Overflow),
                "{millis}"
            );
        }
        for millis in [-WHOLE, -WHOLE / 2.0, -2.0 * WHOLE, f64::MIN, -5e-324] {
            assert_eq!(
                Millis::to_nanos(millis),
                Err(MillisError::NotADuration),
                "{millis}"
            );
        }
    }

    #[test]
    fn what_is_no_duration_is_an_error() {
        for millis in [-1.0, -0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(
                Millis::to_nanos(millis),
                Err(MillisError::NotADuration),
                "{millis}"
            );
        }
        assert_eq!(Millis::to_nanos(-0.0), Ok(0));
        assert_eq!(
            Millis::to_nanos(18_446_744_073_709.0),
            Err(MillisError::Overflow)
        );
        assert_eq!(Millis::to_nanos(1e300), Err(MillisError::Overflow));
    }

    #[test]
    fn a_wait_in_milliseconds_is_long_enough_and_not_a_step_longer() {
        let mut nanos = 1_u64;
        while nanos < 1 << 63 {
            for nanos in [nanos - 1, nanos, nanos + 1, nanos / 3 * 2 + 1] {
                let millis = Millis::from_nanos_ceil(nanos);
                let covered = Millis::to_nanos(millis).unwrap();
                if nanos < 1 << 52 {
                    assert_eq!(covered, nanos);
                } else {
                    assert!(covered >= nanos);
                    assert!(Millis::to_nanos(millis.next_down()).unwrap() < nanos);
                }
            }
            nanos += nanos / 2 + 1;
        }
    }

    #[test]
    fn later_milliseconds_are_never_earlier_nanoseconds() {
        for start in [0.999_999_4_f64, 41.0, 8_589_934_591.999_999, 1.8e12] {
            let (mut millis, mut before) = (start, 0);
            for _ in 0..10_000 {
                let nanos = Millis::to_nanos(millis).unwrap();
                assert!(nanos >= before, "{millis}");
                before = nanos;
                millis = millis.next_up();
            }
        }
    }
}
