//! Rates given as `f64`, against exact rationals.

#[path = "properties/runner.rs"]
mod runner;

use num_bigint::BigInt;
use num_rational::BigRational;
use proptest::prelude::*;
use runner::check;
use tokenweir::{Bandwidth, RateError, TickRate};

const MAX: u64 = i64::MAX as u64;

/// Positive floats: any, those a tick rate can make a bandwidth of, powers of two, and decimals.
fn rates() -> impl Strategy<Value = f64> {
    let of = |exponent: i32, mantissa: u64| {
        let biased = u64::try_from(exponent + 1_023).expect("a normal number");
        f64::from_bits((biased << 52) | (mantissa >> 12))
    };
    prop_oneof![
        1 => (1..0x7ff0_0000_0000_0000_u64).prop_map(f64::from_bits),
        6 => (-70..130_i32, any::<u64>()).prop_map(move |(e, m)| of(e, m)),
        1 => (-70..130_i32, 0..3_u64).prop_map(move |(e, m)| of(e, m << 12)),
        1 => (-70..130_i32, 0..3_u64).prop_map(move |(e, m)| of(e, u64::MAX - (m << 12))),
        2 => (1..1_000_000_u64, 0..9_u32).prop_map(|(n, zeros)| {
            let text = format!("{n}e-{zeros}");
            text.parse().expect("a decimal")
        }),
    ]
}

fn tick_rates() -> impl Strategy<Value = TickRate> {
    prop_oneof![
        prop::sample::select(vec![1, 1_000, 32_768, 1_000_000, 1_000_000_000, u64::MAX]),
        (0..64_u32, any::<u64>()).prop_map(|(bits, n)| (n >> bits).max(1)),
    ]
    .prop_map(|hz| TickRate::from_hz(hz).expect("not 0"))
}

fn ratio(numerator: impl Into<BigInt>, denominator: impl Into<BigInt>) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// The numbers that round to a float: the ends, and whether they do as well.
#[derive(Clone)]
struct Span {
    low: BigRational,
    float: BigRational,
    high: BigRational,
    is_closed: bool,
}

impl Span {
    fn of(rate: f64) -> Self {
        let exact = |float| BigRational::from_float(float).expect("finite");
        let halfway = |float| (exact(rate) + exact(float)) / BigInt::from(2);
        let low = halfway(rate.next_down());
        // Above the largest float is as far as below it.
        let high = match rate.next_up() {
            up if up.is_finite() => halfway(up),
            _ => exact(rate) * BigInt::from(2) - &low,
        };
        Self {
            low,
            float: exact(rate),
            high,
            is_closed: rate.to_bits().is_multiple_of(2),
        }
    }

    fn divided(mut self, by: u64) -> Self {
        self.low /= BigInt::from(by);
        self.float /= BigInt::from(by);
        self.high /= BigInt::from(by);
        self
    }

    fn has(&self, number: &BigRational) -> bool {
        let inside = self.low < *number && *number < self.high;
        inside || self.is_closed && (self.low == *number || self.high == *number)
    }

    /// The number with the smallest denominator, and of several integers the nearest to the float.
    fn simplest(&self) -> BigRational {
        let nearest = self.float.round();
        if self.has(&nearest) {
            nearest
        } else {
            self.smallest()
        }
    }

    /// The smallest integer in the span or, if there is none, what that of the reciprocals of the rests
    /// leads to.
    fn smallest(&self) -> BigRational {
        let floor = self.low.floor();
        let integer = if self.has(&floor) {
            floor.clone()
        } else {
            &floor + BigInt::from(1)
        };
        if self.has(&integer) {
            return integer;
        }
        if floor == self.low {
            // The reciprocal of its rest is infinite: the smallest integer above that of the other.
            let least = (&self.high - &floor).recip();
            let mut term = least.ceil();
            if !self.is_closed && term == least {
                term += BigInt::from(1);
            }
            return floor + term.recip();
        }
        let rests = Self {
            low: (&self.high - &floor).recip(),
            high: (&self.low - &floor).recip(),
            ..self.clone()
        };
        floor + rests.smallest().recip()
    }

    /// Whether no ratio with one of the smallest denominators is in the span.
    fn has_none_below(&self, denominator: &BigInt) -> bool {
        let few = u64::try_from(denominator).unwrap_or(u64::MAX).min(60);
        (1..few).all(|d| {
            let nearest = (&self.low * BigInt::from(d)).ceil().to_integer();
            !(0..2).any(|more| self.has(&ratio(&nearest + more, d)))
        })
    }
}

fn fits(number: &BigRational) -> bool {
    *number.numer() <= MAX.into() && *number.denom() <= MAX.into()
}

#[test]
fn a_rate_is_the_simplest_ratio_that_rounds_to_it() {
    let met = [
        ("simplest per second", 300),
        ("simplest per tick", 30),
        ("too small", 50),
        ("too large", 50),
        ("more than a token per tick", 100),
    ];
    check(
        1_000,
        (rates(), tick_rates()),
        &met,
        |(rate, ticks), tally| {
            let hz = ticks.hz();
            let simplest = Span::of(rate).simplest();
            let a_second = &simplest / BigInt::from(hz);
            let a_tick = Span::of(rate).divided(hz).simplest();
            match Bandwidth::from_rate(rate, 1, ticks) {
                Ok(limit) => {
                    let number = ratio(limit.tokens(), limit.period());
                    prop_assert_eq!(number.numer(), &BigInt::from(limit.tokens()), "not reduced");
                    prop_assert!(Span::of(rate).has(&(&number * BigInt::from(hz))));
                    let expected = if fits(&a_second) { &a_second } else { &a_tick };
                    prop_assert_eq!(&number, expected);
                    prop_assert!(Span::of(rate).has_none_below(simplest.denom()));
                    tally.note(if fits(&a_second) {
                        "simplest per second"
                    } else {
                        "simplest per tick"
                    });
                    tally.note_if(
                        limit.tokens() > limit.period(),
                        "more than a token per tick",
                    );
                }
                Err(error) => {
                    prop_assert!(!fits(&a_second) && !fits(&a_tick));
                    if Span::of(rate).divided(hz).float > ratio(MAX, 1) {
                        prop_assert_eq!(error, RateError::TooLarge { rate, hz });
                        tally.note("too large");
                    } else {
                        prop_assert!(Span::of(rate).divided(hz).high <= ratio(1, MAX));
                        prop_assert_eq!(error, RateError::TooSmall { rate, hz });
                        tally.note("too small");
                    }
                }
            }
            Ok(())
        },
    );
}

#[test]
fn a_quotient_of_integers_is_found_again() {
    // Of two ratios with parts up to 2^26, at most one is within the rounding of a float.
    let parts = (1..1_u64 << 26, 1..1_u64 << 26);
    check(1_000, parts, &[], |(tokens, seconds), _| {
        let rate = tokens as f64 / seconds as f64;
        let limit = Bandwidth::from_rate(rate, 1, TickRate::SECONDS).expect("in range");
        prop_assert_eq!(
            ratio(limit.tokens(), limit.period()),
            ratio(tokens, seconds)
        );
        Ok(())
    });
}

#[test]
fn a_float_whose_own_ratio_is_simple_is_kept_exactly() {
    check(
        1_000,
        (1..1_u64 << 26, 0..26_i32),
        &[],
        |(n, halvings), _| {
            let rate = n as f64 / f64::powi(2.0, halvings);
            let limit = Bandwidth::from_rate(rate, 1, TickRate::NANOS).expect("in range");
            let exact = BigRational::from_float(rate).expect("finite");
            let hz = BigInt::from(TickRate::NANOS.hz());
            prop_assert_eq!(ratio(limit.tokens(), limit.period()) * hz, exact);
            Ok(())
        },
    );
}
