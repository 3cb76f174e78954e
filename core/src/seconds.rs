//! Seconds as `f64`, which Python and JavaScript use, to ticks and back.
//!
//! A float stands for the shortest decimal that reads back as it: `0.1` is a tenth of a second, not
//! the 0.1000000000000000055 that its bits say. That decimal is converted in integers.

use core::fmt::{self, Write};

use crate::{SecondsError, TickRate, arith};

impl TickRate {
    /// The seconds in ticks, exactly, taken as the decimal they are written as.
    ///
    /// ```
    /// use tokenweir::TickRate;
    ///
    /// assert_eq!(TickRate::NANOS.ticks_of_secs(0.1), Ok(100_000_000));
    /// let error = TickRate::NANOS.ticks_of_secs(1.0 / 3.0).unwrap_err();
    /// assert_eq!(error.code(), "inexact_duration");
    /// ```
    ///
    /// # Errors
    ///
    /// A [`SecondsError`] for a number that is negative, infinite or not a number, not a whole number
    /// of ticks, or more than `u64::MAX` of them.
    pub fn ticks_of_secs(self, secs: f64) -> Result<u64, SecondsError> {
        match self.split_secs(secs)? {
            (ticks, true) => Ok(ticks),
            (_, false) => Err(SecondsError::Inexact {
                secs,
                hz: self.hz(),
            }),
        }
    }

    /// The seconds in ticks, rounded down: at most this long.
    ///
    /// # Errors
    ///
    /// As [`TickRate::ticks_of_secs`], but for the whole number.
    pub fn ticks_of_secs_floor(self, secs: f64) -> Result<u64, SecondsError> {
        self.split_secs(secs).map(|(ticks, _)| ticks)
    }

    /// The seconds in ticks, rounded up: at minimum this long.
    ///
    /// # Errors
    ///
    /// As [`TickRate::ticks_of_secs`], but for the whole number.
    pub fn ticks_of_secs_ceil(self, secs: f64) -> Result<u64, SecondsError> {
        let (ticks, exact) = self.split_secs(secs)?;
        ticks
            .checked_add(u64::from(!exact))
            .ok_or(SecondsError::Overflow {
                secs,
                hz: self.hz(),
            })
    }

    /// These ticks in seconds, rounded up where `f64` has no such number: waiting it is waiting long
    /// enough.
    ///
    /// ```
    /// use tokenweir::TickRate;
    ///
    /// assert_eq!(TickRate::NANOS.secs_ceil(333_333_334), 0.333333334);
    /// ```
    #[must_use]
    pub fn secs_ceil(self, ticks: u64) -> f64 {
        #[expect(
            clippy::float_arithmetic,
            reason = "the result is a float; integers decide below whether it is enough"
        )]
        let mut secs = ticks as f64 / self.hz() as f64;
        // At most a few steps: each of the two roundings above is less than one.
        while self
            .split_secs(secs)
            .is_ok_and(|(covered, _)| covered < ticks)
        {
            secs = secs.next_up();
        }
        secs
    }

    /// The ticks, rounded down, and whether that was exact.
    fn split_secs(self, secs: f64) -> Result<(u64, bool), SecondsError> {
        if !secs.is_finite() || secs < 0.0 {
            return Err(SecondsError::NotADuration { secs });
        }
        let overflow = SecondsError::Overflow {
            secs,
            hz: self.hz(),
        };
        let Decimal { digits, exponent } = Decimal::of(secs);
        let whole = arith::mul(digits, self.hz());
        let power = 10_u128.checked_pow(exponent.unsigned_abs());
        let (ticks, exact) = match (exponent < 0, power) {
            (false, Some(power)) => (whole.checked_mul(power).ok_or(overflow)?, true),
            // Ten to the 39th and more.
            (false, None) => (if whole == 0 { 0 } else { return Err(overflow) }, true),
            (true, Some(power)) => (
                whole.checked_div(power).unwrap_or(0),
                whole.checked_rem(power) == Some(0),
            ),
            (true, None) => (0, whole == 0),
        };
        match u64::try_from(ticks) {
            Ok(ticks) => Ok((ticks, exact)),
            Err(_) => Err(overflow),
        }
    }
}

/// `digits` × 10^`exponent`: what a float is written as, with at most 17 digits.
#[derive(Default)]
struct Decimal {
    digits: u64,
    exponent: i32,
}

impl Decimal {
    fn of(float: f64) -> Self {
        let mut reader = Reader::default();
        // The reader accepts every character.
        let _ = write!(reader, "{float:e}");
        let exponent = if reader.negative_exponent {
            reader.exponent.wrapping_neg()
        } else {
            reader.exponent
        };
        Self {
            digits: reader.digits,
            exponent: exponent.saturating_sub(reader.decimals),
        }
    }
}

/// Reads a float as it is being written: digits, point, digits, `e`, exponent.
#[derive(Default)]
struct Reader {
    digits: u64,
    decimals: i32,
    exponent: i32,
    negative_exponent: bool,
    part: Part,
}

#[derive(Clone, Copy, Default)]
enum Part {
    #[default]
    Whole,
    Decimals,
    Exponent,
}

impl Write for Reader {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            match (byte, self.part) {
                (b'.', _) => self.part = Part::Decimals,
                (b'e', _) => self.part = Part::Exponent,
                (b'-', Part::Exponent) => self.negative_exponent = true,
                (b'0'..=b'9', part) => self.digit(part, byte.saturating_sub(b'0')),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Reader {
    fn digit(&mut self, part: Part, digit: u8) {
        match part {
            Part::Whole | Part::Decimals => {
                // 17 digits fit.
                self.digits = self.digits.wrapping_mul(10).wrapping_add(digit.into());
                self.decimals = self
                    .decimals
                    .saturating_add(matches!(part, Part::Decimals).into());
            }
            // At most three digits.
            Part::Exponent => {
                self.exponent = self.exponent.wrapping_mul(10).wrapping_add(digit.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(TickRate::NANOS.ticks_of_secs(secs), Ok(nanos), "{secs}");
        }
    }

    #[test]
    fn what_is_no_whole_number_of_ticks_is_rounded_as_asked() {
        let rate = TickRate::NANOS;
        for (secs, floor) in [
            (1.0 / 3.0, 333_333_333),
            (1e-10, 0),
            (5e-324, 0),
            (1.5e-9, 1),
        ] {
            assert_eq!(
                rate.ticks_of_secs(secs).unwrap_err().code(),
                "inexact_duration"
            );
            assert_eq!(rate.ticks_of_secs_floor(secs), Ok(floor), "{secs}");
            assert_eq!(rate.ticks_of_secs_ceil(secs), Ok(floor + 1), "{secs}");
        }
    }

    #[test]
    fn what_is_no_duration_is_an_error() {
        for secs in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -5e-324] {
            let error = TickRate::NANOS.ticks_of_secs(secs).unwrap_err();
            assert_eq!(error.code(), "not_a_duration", "{secs}");
        }
        for secs in [1.9e10, 1e30, f64::MAX] {
            let error = TickRate::NANOS.ticks_of_secs_ceil(secs).unwrap_err();
            assert_eq!(error.code(), "period_overflow", "{secs}");
        }
    }

    #[test]
    fn ticks_in_seconds_are_never_too_short() {
        let mut ticks = 1_u64;
        for hz in [3, 32_768, 1_000_000_000, 10_000_000_000] {
            let rate = TickRate::from_hz(hz).unwrap();
            for _ in 0..20_000 {
                ticks = ticks
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let ticks = ticks >> (ticks & 63);
                let secs = rate.secs_ceil(ticks);
                // Beyond u64 nothing can be compared, and nothing waits that long.
                if let Ok(covered) = rate.ticks_of_secs_floor(secs) {
                    assert!(covered >= ticks, "{ticks} at {hz} Hz: {secs}");
                }
            }
        }
    }
}
