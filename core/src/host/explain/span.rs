//! A length of time for people.

use core::fmt;
use core::num::NonZeroU64;

use crate::arith;
use crate::host::text::units::{DAY, nanos};

/// Nanoseconds as days, hours, minutes and seconds, exactly: `1 h 30 min`, `2.5 s`, `333.333334 ms`.
pub(super) struct Span(pub(super) u64);

const SECOND: NonZeroU64 = nanos(1_000_000_000);
/// The parts of a length of a second and more.
const PARTS: [(NonZeroU64, &str); 3] = [
    (DAY, "day"),
    (nanos(3_600_000_000_000), "h"),
    (nanos(60_000_000_000), "min"),
];
/// The units of shorter ones.
const SMALL: [(NonZeroU64, &str); 2] = [(nanos(1_000_000), "ms"), (nanos(1_000), "µs")];

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(nanos) = *self;
        if nanos < SECOND.get() {
            let fits = |(length, _): &&(NonZeroU64, &str)| nanos >= length.get();
            return match SMALL.iter().find(fits) {
                Some((length, unit)) => write_decimal(f, nanos, *length, unit),
                None => write!(f, "{nanos} ns"),
            };
        }
        let (mut rest, mut separator) = (nanos, "");
        for (length, unit) in PARTS {
            let (count, left) = arith::div_rem(rest.into(), length);
            if count > 0 {
                let plural = if unit == "day" && count > 1 { "s" } else { "" };
                write!(f, "{separator}{count} {unit}{plural}")?;
                (rest, separator) = (left, " ");
            }
        }
        if rest == 0 {
            return Ok(());
        }
        f.write_str(separator)?;
        write_decimal(f, rest, SECOND, "s")
    }
}

/// `value / unit` with all its decimals, which are as many as a power of ten has zeros.
fn write_decimal(
    f: &mut fmt::Formatter<'_>,
    value: u64,
    unit: NonZeroU64,
    name: &str,
) -> fmt::Result {
    let (whole, mut part) = arith::div_rem(value.into(), unit);
    write!(f, "{whole}")?;
    if part > 0 {
        let mut digits = unit.ilog10() as usize;
        while let Some(shorter) = part
            .checked_div(10)
            .filter(|shorter| shorter.saturating_mul(10) == part)
        {
            (part, digits) = (shorter, digits.saturating_sub(1));
        }
        write!(f, ".{part:0digits$}")?;
    }
    write!(f, " {name}")
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn lengths_are_exact_and_short() {
        let cases = [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1 µs"),
            (1_050, "1.05 µs"),
            (333_333_334, "333.333334 ms"),
            (10_000_000, "10 ms"),
            (SECOND.get(), "1 s"),
            (2_500_000_000, "2.5 s"),
            (60_000_000_001, "1 min 0.000000001 s"),
            (5_400_000_000_000, "1 h 30 min"),
            (DAY.get(), "1 day"),
            (2 * DAY.get() + 1_000_000_000, "2 days 1 s"),
            (u64::MAX, "213503 days 23 h 34 min 33.709551615 s"),
        ];
        for (nanos, text) in cases {
            assert_eq!(Span(nanos).to_string(), text);
        }
    }
}
