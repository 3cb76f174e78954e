//! The one home of arithmetic.
//!
//! Every width used here is proven wide enough in a comment beside the operation: token counts
//! and periods are at most `i64::MAX`, instants at most `u64::MAX`, so that a scaled level
//! (tokens × period) fits 127 bits and a gain (elapsed × tokens) fits 127 bits.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "each operation states why it cannot overflow; divisors are non-zero by type"
)]

use core::num::{NonZeroU32, NonZeroU64};

/// The largest count of tokens, period or wait: the range shared with signed 64-bit peers.
pub(crate) const MAX: u64 = i64::MAX as u64;

/// `a × b`, exact: two 64-bit factors never overflow 128 bits.
#[inline(always)]
pub(crate) const fn mul(a: u64, b: u64) -> u128 {
    a as u128 * b as u128
}

/// `a × b` as a signed value, for `b ≤ i64::MAX`: the product is below 2^127.
#[inline(always)]
pub(crate) const fn mul_signed(a: u64, b: u64) -> i128 {
    mul(a, b).cast_signed()
}

/// `⌊value / unit⌋` and the remainder, which is not negative.
#[inline]
pub(crate) const fn div_floor(value: i128, unit: NonZeroU64) -> (i128, u64) {
    let (quotient, remainder) = div_rem(value.unsigned_abs(), unit);
    // |value| ≤ 2^127, so the quotient negates without overflow once it is below 2^127;
    // unit ≥ 1 and value > i128::MIN keep it there.
    let quotient = quotient.cast_signed();
    if value >= 0 {
        (quotient, remainder)
    } else if remainder == 0 {
        (-quotient, 0)
    } else {
        (-quotient - 1, unit.get() - remainder)
    }
}

/// `⌈value / unit⌉`.
#[inline]
pub(crate) const fn div_ceil(value: u128, unit: NonZeroU64) -> u128 {
    let (quotient, remainder) = div_rem(value, unit);
    // A remainder exists only if unit ≥ 2, so the quotient is at most 2^127.
    quotient + (remainder != 0) as u128
}

/// Quotient and remainder; a value of one word takes the processor's own division.
#[inline]
pub(crate) const fn div_rem(value: u128, unit: NonZeroU64) -> (u128, u64) {
    if value <= u64::MAX as u128 {
        let value = value as u64;
        ((value / unit.get()) as u128, value % unit.get())
    } else {
        let unit = unit.get() as u128;
        // The remainder is below `unit`, hence below 2^64.
        (value / unit, (value % unit) as u64)
    }
}

/// The greatest common divisor.
pub(crate) const fn gcd(a: NonZeroU64, b: NonZeroU64) -> NonZeroU64 {
    let (mut a, mut b) = (a, b.get());
    while let Some(divisor) = NonZeroU64::new(b) {
        b = a.get() % divisor.get();
        a = divisor;
    }
    a
}

/// The quotient by a divisor of `value`, which is never zero.
pub(crate) const fn div_exact(value: NonZeroU64, divisor: NonZeroU64) -> NonZeroU64 {
    match NonZeroU64::new(value.get() / divisor.get()) {
        Some(quotient) => quotient,
        None => NonZeroU64::MIN,
    }
}

/// `⌊value × numerator / denominator⌋`, clamped to [`MAX`].
#[inline]
pub(crate) const fn scale_floor(value: u64, numerator: u32, denominator: NonZeroU32) -> u64 {
    clamp(div_rem(mul(value, numerator as u64), widen(denominator)).0)
}

/// `⌈value × numerator / denominator⌉`, clamped to [`MAX`].
#[inline]
pub(crate) const fn scale_ceil(value: u64, numerator: u32, denominator: NonZeroU32) -> u64 {
    clamp(div_ceil(mul(value, numerator as u64), widen(denominator)))
}

/// One of the integers from `low` to `high`, chosen by 64 random bits: each has its share of the
/// 2^64 values, which differ by one at most. `low` if the range is empty.
#[inline]
pub(crate) const fn between(low: u64, high: u64, random: u64) -> u64 {
    // At most 2^64 integers, and 64 bits: the product is below 2^128, its high half below the count.
    let count = high.saturating_sub(low) as u128 + 1;
    low + ((count * random as u128) >> 64) as u64
}

const fn clamp(value: u128) -> u64 {
    if value > MAX as u128 {
        MAX
    } else {
        value as u64
    }
}

const fn widen(value: NonZeroU32) -> NonZeroU64 {
    // `From` is not const; 0 cannot occur.
    match NonZeroU64::new(value.get() as u64) {
        Some(value) => value,
        None => NonZeroU64::MIN,
    }
}

/// [`div_rem`] for decisions and new states, where it counts the periods that have passed: mostly none or
/// few.
///
/// A microcontroller that only decides shall need no division routine. Where the processor has no
/// instruction for 64 bits, such a routine takes steps like these as well, and these are only as many as
/// the quotient has bits.
#[inline]
pub(crate) const fn div_rem_to_decide(value: u128, unit: NonZeroU64) -> (u128, u64) {
    if value < unit.get() as u128 {
        (0, value as u64)
    } else if cfg!(any(target_pointer_width = "64", target_family = "wasm")) {
        div_rem(value, unit)
    } else {
        div_rem_by_steps(value, unit)
    }
}

/// [`div_rem`] by shifting and subtracting, for a unit of at most [`MAX`].
const fn div_rem_by_steps(value: u128, unit: NonZeroU64) -> (u128, u64) {
    let (mut quotient, mut value) = (0_u128, value);
    while value > u64::MAX as u128 {
        // The unit has fewer bits: shifted to one less than the value has, it can be subtracted.
        let zeros = (unit.get() as u128).leading_zeros();
        let shift = zeros.saturating_sub(value.leading_zeros().saturating_add(1));
        value -= (unit.get() as u128) << shift;
        quotient += 1 << shift;
    }
    let (mut low, mut remainder) = (0_u64, value as u64);
    let mut part = unit.get()
        << unit
            .leading_zeros()
            .saturating_sub(remainder.leading_zeros());
    while part >= unit.get() {
        low <<= 1;
        if remainder >= part {
            remainder -= part;
            low |= 1;
        }
        part >>= 1;
    }
    (quotient + low as u128, remainder)
}

/// `⌊value × numerator / denominator⌋`, clamped to the range of `i128`.
///
/// Used only when a configuration is replaced: the product needs up to 254 bits.
pub(crate) const fn mul_div_floor(value: i128, numerator: u128, denominator: u128) -> i128 {
    let (high, low) = widening_mul(value.unsigned_abs(), numerator);
    let (quotient, exact) = div_wide(high, low, denominator);
    if value >= 0 {
        if quotient > i128::MAX.cast_unsigned() {
            i128::MAX
        } else {
            quotient.cast_signed()
        }
    } else {
        // The floor of a negative ratio lies one below the truncated one.
        let quotient = quotient.saturating_add(!exact as u128);
        if quotient > i128::MAX.cast_unsigned() {
            i128::MIN
        } else {
            -quotient.cast_signed()
        }
    }
}

/// The 256-bit product as (high, low), by the schoolbook method on 64-bit halves.
const fn widening_mul(a: u128, b: u128) -> (u128, u128) {
    let (a1, a0) = ((a >> 64) as u64, a as u64);
    let (b1, b0) = ((b >> 64) as u64, b as u64);
    let low = mul(a0, b0);
    let (middle, carry) = mul(a0, b1).overflowing_add(mul(a1, b0));
    let (low, carry_low) = low.overflowing_add(middle << 64);
    // The whole product is below 2^256, so its high half fits.
    let high = mul(a1, b1) + (middle >> 64) + ((carry as u128) << 64) + carry_low as u128;
    (high, low)
}

/// `⌊(high, low) / denominator⌋` clamped to `u128::MAX`, and whether the division was exact.
///
/// Binary long division: at most 128 steps, no wide division routine is linked. A zero
/// denominator does not occur (capacity × unit is at least 1) and would give the clamped value.
const fn div_wide(high: u128, low: u128, denominator: u128) -> (u128, bool) {
    if high >= denominator {
        return (u128::MAX, false);
    }
    let (mut remainder, mut quotient, mut bits) = (high, 0_u128, low);
    let mut step = 0;
    while step < u128::BITS {
        let overflows = remainder >> 127 != 0;
        remainder = (remainder << 1) | (bits >> 127);
        bits <<= 1;
        quotient <<= 1;
        if overflows || remainder >= denominator {
            remainder = remainder.wrapping_sub(denominator);
            quotient |= 1;
        }
        step += 1;
    }
    (quotient, remainder == 0)
}

/// `value / parts` in lowest terms; `parts` is not 0.
#[cfg(feature = "alloc")]
pub(crate) const fn lowest_terms(value: u128, parts: u128) -> (u128, u128) {
    let (mut divisor, mut rest) = (parts, value);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    // The greatest common divisor of anything and a number above 0 is above 0.
    match (value.checked_div(divisor), parts.checked_div(divisor)) {
        (Some(value), Some(parts)) => (value, parts),
        _ => (value, parts),
    }
}

/// The first instant after `now` on the grid of `period` through `edge`; where that is beyond
/// `u64::MAX`, `edge`.
#[cfg(feature = "alloc")]
pub(crate) const fn next_edge(edge: u64, period: NonZeroU64, now: u64) -> u64 {
    // Less than a period has passed since the edge before.
    match now.checked_add(period.get() - since_edge(edge, period, now)) {
        Some(next) => next,
        None => edge,
    }
}

/// How far `now` is behind the last edge of the grid of `period` through `edge`.
pub(crate) const fn since_edge(edge: u64, period: NonZeroU64, now: u64) -> u64 {
    if now >= edge {
        return div_rem_to_decide((now - edge) as u128, period).1;
    }
    match div_rem_to_decide((edge - now) as u128, period).1 {
        0 => 0,
        to_edge => period.get() - to_edge,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: NonZeroU64 = NonZeroU64::new(10).unwrap();

    #[test]
    fn floor_rounds_towards_minus_infinity() {
        assert_eq!(div_floor(27, UNIT), (2, 7));
        assert_eq!(div_floor(-27, UNIT), (-3, 3));
        assert_eq!(div_floor(-30, UNIT), (-3, 0));
        assert_eq!(div_floor(-1, UNIT), (-1, 9));
    }

    #[test]
    fn ceil_rounds_up_only_with_a_remainder() {
        assert_eq!(div_ceil(30, UNIT), 3);
        assert_eq!(div_ceil(31, UNIT), 4);
        assert_eq!(div_ceil(1_u128 << 100, UNIT), (1_u128 << 100) / 10 + 1);
    }

    #[test]
    fn a_choice_covers_its_range_and_nothing_else() {
        assert_eq!(between(5, 8, 0), 5);
        assert_eq!(between(5, 8, (1 << 62) - 1), 5);
        assert_eq!(between(5, 8, 1 << 62), 6);
        assert_eq!(between(5, 8, u64::MAX), 8);
        assert_eq!(between(0, u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(between(9, 8, u64::MAX), 9);
    }

    #[test]
    fn division_by_steps_is_division() {
        let units = [1, 2, 3, 10, 1_000_000_007, (1 << 62) + 1, MAX];
        for unit in units.map(|unit| NonZeroU64::new(unit).unwrap()) {
            for factor in [0, 1, 2, 3, 7, 1_000, u64::MAX] {
                let edge = mul(factor, unit.get());
                for value in [edge, edge + 1, edge + u128::from(unit.get()) - 1] {
                    let expected = div_rem(value, unit);
                    assert_eq!(div_rem_by_steps(value, unit), expected, "{value} / {unit}");
                }
            }
        }
    }

    #[test]
    fn mul_div_is_exact_beyond_128_bits() {
        let big = 1_i128 << 126;
        let factor = 1_u128 << 125;
        assert_eq!(mul_div_floor(big, factor, factor), big);
        assert_eq!(mul_div_floor(-big, factor, factor), -big);
        assert_eq!(mul_div_floor(-big - 1, factor, factor), -big - 1);
        assert_eq!(mul_div_floor(7, 1, 2), 3);
        assert_eq!(mul_div_floor(-7, 1, 2), -4);
        assert_eq!(mul_div_floor(big, factor, 1), i128::MAX);
        assert_eq!(mul_div_floor(-big, factor, 1), i128::MIN);
    }
}
