//! Rates given as `f64`.
//!
//! A float stands for every number that rounds to it: `0.1` for a tenth as much as for the
//! 0.1000000000000000055 that its bits say. Of these numbers the simplest ratio is taken, which is the
//! one with the smallest denominator; where that is 1, the integer next to the float. It is found by
//! continued fractions in integers; no float is ever calculated with.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "each operation states why it cannot overflow"
)]

use core::fmt;
use core::num::NonZeroU64;

use crate::error::coded_error;
use crate::{Bandwidth, BandwidthError, TickRate, arith};

impl Bandwidth {
    /// `rate` tokens each second, as soon as possible, with a burst of `capacity`.
    ///
    /// The rate is kept as the simplest ratio of integers that rounds to it: 0.1 is one token in ten
    /// seconds, 2.5 five in two, and a third (`1.0 / 3.0`) one in three. Where that ratio has no room
    /// in `i64` at this tick rate, it is the simplest number of tokens per tick that does. Either
    /// way the rate, in tokens per second, lies within half a unit in the last place of `rate`:
    /// nothing more is lost than `f64` has lost already.
    ///
    /// ```
    /// use tokenweir::{Bandwidth, TickRate, checked};
    ///
    /// let limit = Bandwidth::from_rate(0.1, 1, TickRate::MILLIS)?;
    /// assert_eq!((limit.tokens(), limit.period()), (1, 10_000));
    ///
    /// // At compile time, with the 32 768 Hz crystal of a microcontroller:
    /// const RTC: TickRate = TickRate::from_hz(32_768).unwrap();
    /// const LIMIT: Bandwidth = checked!(Bandwidth::from_rate(1.0 / 3.0, 5, RTC));
    /// assert_eq!((LIMIT.tokens(), LIMIT.period()), (1, 98_304));
    ///
    /// let error = Bandwidth::from_rate(f64::NAN, 1, TickRate::MILLIS).unwrap_err();
    /// assert_eq!(error.to_string(), "a rate of NaN tokens a second is none, a finite number above 0 is needed");
    /// # Ok::<(), tokenweir::RateError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RateError::NotARate`] for a rate that is zero, negative, infinite or not a number;
    /// [`RateError::TooSmall`] and [`RateError::TooLarge`] below one token in `i64::MAX` ticks and above
    /// `i64::MAX` tokens a tick; [`RateError::Bandwidth`] for a capacity that is 0 or above `i64::MAX`.
    pub const fn from_rate(rate: f64, capacity: u64, ticks: TickRate) -> Result<Self, RateError> {
        let hz = ticks.hz();
        let Some(float) = Positive::new(rate) else {
            return Err(RateError::NotARate { rate });
        };
        let ratio = match (float.span(1), float.span(hz)) {
            (Ok(a_second), Ok(a_tick)) => match in_ticks(a_second.simplest(), ticks) {
                Some(ratio) => Ok(ratio),
                None => in_range(a_tick.simplest()),
            },
            (_, Err(side)) | (Err(side), _) => Err(side),
        };
        match ratio {
            Ok((tokens, period)) => match Self::greedy(capacity, tokens, period) {
                Ok(bandwidth) => Ok(bandwidth),
                Err(error) => Err(RateError::Bandwidth(error)),
            },
            Err(Side::Small) => Err(RateError::TooSmall { rate, hz }),
            Err(Side::Large) => Err(RateError::TooLarge { rate, hz }),
        }
    }
}

/// A rate as `f64` that makes no [`Bandwidth`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum RateError {
    /// Zero, negative, infinite or not a number.
    NotARate {
        /// What was given, in tokens per second.
        rate: f64,
    },
    /// Less than one token in `i64::MAX` ticks.
    TooSmall {
        /// What was given, in tokens per second.
        rate: f64,
        /// Ticks per second.
        hz: u64,
    },
    /// More than `i64::MAX` tokens per tick.
    TooLarge {
        /// What was given, in tokens per second.
        rate: f64,
        /// Ticks per second.
        hz: u64,
    },
    /// The capacity is out of range.
    Bandwidth(BandwidthError),
}

coded_error!(RateError {
    Self::NotARate { rate } => "not_a_rate",
        "a rate of {rate} tokens a second is none, a finite number above 0 is needed";
    Self::TooSmall { rate, hz } => "rate_too_small",
        "a rate of {rate} tokens a second at {hz} Hz is less than a token in {} ticks", i64::MAX;
    Self::TooLarge { rate, hz } => "rate_too_large",
        "a rate of {rate} tokens a second at {hz} Hz is more than {} tokens a tick", i64::MAX;
    Self::Bandwidth(error) => error.code(), "{error}";
});

/// A positive finite float: `mantissa` × 2^`exponent`.
struct Positive {
    mantissa: u64,
    exponent: i32,
    /// Whether the float below is half as far away as the one above: at powers of two.
    is_nearer_below: bool,
}

/// The numbers that round to a float, as those between two ratios of which no part is 0.
#[derive(Clone, Copy)]
struct Span {
    low: (u128, u128),
    high: (u128, u128),
    /// The float itself.
    float: (u128, u128),
    /// Whether both ends belong to it: a tie rounds to the even mantissa.
    is_closed: bool,
}

/// On which side of the range a rate lies.
enum Side {
    Small,
    Large,
}

/// The bits of a mantissa, the leading one aside.
const MANTISSA_BITS: u32 = f64::MANTISSA_DIGITS - 1;

impl Positive {
    const fn new(float: f64) -> Option<Self> {
        let bits = float.to_bits();
        let biased = (bits >> MANTISSA_BITS) as i32;
        // A sign bit makes it as large as the bias of infinity.
        if bits == 0 || biased >= 0x7ff {
            return None;
        }
        let leading = 1 << MANTISSA_BITS;
        let rest = bits & (leading - 1);
        // Subnormal floats have no leading bit and the exponent of the smallest normal ones.
        let (mantissa, biased) = if biased == 0 {
            (rest, 1)
        } else {
            (leading | rest, biased)
        };
        Some(Self {
            mantissa,
            exponent: biased - 1_075,
            is_nearer_below: rest == 0 && biased > 1,
        })
    }

    /// What rounds to this float, divided by `by`; or on which side it surely is out of range.
    const fn span(&self, by: u64) -> Result<Span, Side> {
        // Quarters of a unit in the last place: at most 2^55 + 2.
        let float = (self.mantissa as u128) << 2;
        let below = if self.is_nearer_below { 1 } else { 2 };
        let (low, high) = (float - below, float + 2);
        let exponent = self.exponent - 2;
        let (shift, by) = (exponent.unsigned_abs(), by as u128);
        let (low, high, float) = if exponent >= 0 {
            // From 2^128 on, which is beyond i64::MAX tokens a tick of any length.
            if shift >= high.leading_zeros() {
                return Err(Side::Large);
            }
            (
                (low << shift, by),
                (high << shift, by),
                (float << shift, by),
            )
        } else {
            // Below 2^56 / 2^128, which is less than one token in i64::MAX ticks of any length.
            if shift >= by.leading_zeros() {
                return Err(Side::Small);
            }
            let by = by << shift;
            ((low, by), (high, by), (float, by))
        };
        Ok(Span {
            low,
            high,
            float,
            is_closed: self.mantissa.is_multiple_of(2),
        })
    }
}

impl Span {
    /// Whether an integer, which is the nearest to the float, rounds to it.
    const fn has(self, integer: u128) -> bool {
        // At most half above the parts of the float.
        let (low, high) = (integer * self.low.1, integer * self.high.1);
        let inside = self.low.0 < low && high < self.high.0;
        inside || (self.is_closed && (low == self.low.0 || high == self.high.0))
    }

    /// The ratio with the smallest denominator of all in the span, and of several integers the nearest to
    /// the float.
    ///
    /// All parts stay below 2^128: each step leaves smaller ones than those of the ends, and the parts
    /// of the result are at most those of the float itself, which is in the span.
    const fn simplest(self) -> (u128, u128) {
        if let Some(nearest) = (self.float.0 + self.float.1 / 2).checked_div(self.float.1)
            && self.has(nearest)
        {
            return (nearest, 1);
        }
        let Self {
            mut low,
            mut high,
            is_closed,
            ..
        } = self;
        // The last two convergents of the continued fraction.
        let (mut before, mut last) = ((0, 1), (1, 0));
        loop {
            // `low` always has a denominator: it was the rest of `high`, which is above 0 because `high`
            // is above `low`, and the whole part of `low`.
            let (Some(whole), Some(rest)) = (low.0.checked_div(low.1), low.0.checked_rem(low.1))
            else {
                return last;
            };
            let integer = if rest == 0 && is_closed {
                whole
            } else {
                whole + 1
            };
            // At most high.0 + high.1, which fits as there is no integer in the span at first. A `high`
            // without a denominator is infinite.
            let scaled = integer * high.1;
            if scaled < high.0 || (scaled == high.0 && is_closed) {
                return next(before, last, integer);
            }
            (before, last) = (last, next(before, last, whole));
            (low, high) = ((high.1, high.0 - whole * high.1), (low.1, rest));
        }
    }
}

/// The convergent after two others.
const fn next(before: (u128, u128), last: (u128, u128), term: u128) -> (u128, u128) {
    (term * last.0 + before.0, term * last.1 + before.1)
}

/// Tokens per second as tokens and ticks in lowest terms, if both fit.
const fn in_ticks((tokens, seconds): (u128, u128), ticks: TickRate) -> Option<(u64, u64)> {
    let Some(hz) = NonZeroU64::new(ticks.hz()) else {
        return None;
    };
    let divisor = match NonZeroU64::new(arith::div_rem(tokens, hz).1) {
        Some(rest) => arith::gcd(hz, rest),
        None => hz,
    };
    let period = seconds.checked_mul(arith::div_exact(hz, divisor).get() as u128);
    match period {
        Some(period) => match in_range((arith::div_rem(tokens, divisor).0, period)) {
            Ok(ratio) => Some(ratio),
            Err(_) => None,
        },
        None => None,
    }
}

/// The ratio as tokens and ticks; neither is 0.
const fn in_range((tokens, period): (u128, u128)) -> Result<(u64, u64), Side> {
    const MAX: u128 = arith::MAX as u128;
    if tokens > MAX {
        Err(Side::Large)
    } else if period > MAX {
        Err(Side::Small)
    } else {
        Ok((tokens as u64, period as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn per_second(rate: f64) -> (u64, u64) {
        let limit = Bandwidth::from_rate(rate, 1, TickRate::SECONDS).unwrap();
        (limit.tokens(), limit.period())
    }

    #[test]
    fn decimals_and_fractions_are_what_they_are_written_as() {
        assert_eq!(per_second(0.1), (1, 10));
        assert_eq!(per_second(0.3), (3, 10));
        // One unit in the last place above 0.3, and not to be mistaken for it.
        assert_eq!(
            per_second(0.1 + 0.2),
            (415_716_888_680_356, 1_385_722_962_267_853)
        );
        assert_eq!(per_second(1.0 / 3.0), (1, 3));
        assert_eq!(per_second(2.5), (5, 2));
        assert_eq!(per_second(1_234_567.891), (1_234_567_891, 1_000));
        assert_eq!(per_second(100.0 / 86_400.0), (1, 864));
        // Many integers round to it.
        assert_eq!(per_second(1e18), (1_000_000_000_000_000_000, 1));
    }

    #[test]
    fn the_tick_rate_is_multiplied_in_and_reduced() {
        let limit = |rate, hz| {
            let ticks = TickRate::from_hz(hz).unwrap();
            let limit = Bandwidth::from_rate(rate, 1, ticks).unwrap();
            (limit.tokens(), limit.period())
        };
        assert_eq!(limit(7.0, 1_000_000_000), (7, 1_000_000_000));
        assert_eq!(limit(10.0, 1_000), (1, 100));
        assert_eq!(limit(0.5, 32_768), (1, 65_536));
        // More than i64 has room for in a second, but not in a tick.
        assert_eq!(limit(1e28, 10_000_000_000_000_000_000), (1_000_000_000, 1));
    }

    #[test]
    fn what_is_no_rate_is_an_error_that_names_it() {
        let error = |rate: f64| Bandwidth::from_rate(rate, 1, TickRate::NANOS).unwrap_err();
        for rate in [0.0, -0.0, -1.5, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(error(rate), RateError::NotARate { rate });
        }
        assert!(matches!(error(f64::NAN), RateError::NotARate { rate } if rate.is_nan()));
        assert_eq!(error(-1.5).code(), "not_a_rate");
        let hz = 1_000_000_000;
        for rate in [f64::from_bits(1), f64::MIN_POSITIVE, 1e-10] {
            assert_eq!(error(rate), RateError::TooSmall { rate, hz });
        }
        for rate in [1e28, 2e38, f64::MAX] {
            assert_eq!(error(rate), RateError::TooLarge { rate, hz });
        }
        // 2^63 is one more than there is room for; the float below it is not.
        let largest = (1_u64 << 63) as f64;
        let at_1_hz = |rate| Bandwidth::from_rate(rate, 1, TickRate::SECONDS);
        assert_eq!(at_1_hz(largest).unwrap_err().code(), "rate_too_large");
        assert_eq!(
            at_1_hz(largest.next_down()).unwrap().tokens(),
            (1 << 63) - 1_024
        );
        let zero = Bandwidth::from_rate(1.0, 0, TickRate::NANOS).unwrap_err();
        assert_eq!(zero.code(), "non_positive_capacity");
    }
}
