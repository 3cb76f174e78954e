//! Units of time, in nanoseconds.

use core::num::NonZeroU64;

use crate::arith;

/// What is said where a unit is missing.
pub(crate) const EXPECTED: &str = "a unit of time (ns, us, ms, s, min, h, d, w)";

pub(crate) const DAY: NonZeroU64 = nanos(86_400_000_000_000);
pub(crate) const WEEK: NonZeroU64 = nanos(7 * DAY.get());
/// 5 January 1970.
const MONDAY: u64 = 4 * DAY.get();

/// The units, the longest first, with the ways to spell them; the first is the one that is written.
const UNITS: [(NonZeroU64, &[&str]); 8] = [
    (WEEK, &["w", "wk", "wks", "week", "weeks"]),
    (DAY, &["d", "day", "days"]),
    (
        nanos(3_600_000_000_000),
        &["h", "hr", "hrs", "hour", "hours"],
    ),
    (
        nanos(60_000_000_000),
        &["min", "m", "mins", "minute", "minutes"],
    ),
    (
        nanos(1_000_000_000),
        &["s", "sec", "secs", "second", "seconds"],
    ),
    (
        nanos(1_000_000),
        &[
            "ms",
            "msec",
            "msecs",
            "milli",
            "millis",
            "millisecond",
            "milliseconds",
        ],
    ),
    (
        nanos(1_000),
        // The micro sign and the Greek letter are two characters that look alike.
        &[
            "us",
            "\u{b5}s",
            "\u{3bc}s",
            "usec",
            "usecs",
            "micro",
            "micros",
            "microsecond",
            "microseconds",
        ],
    ),
    (
        NonZeroU64::MIN,
        &[
            "ns",
            "nsec",
            "nsecs",
            "nano",
            "nanos",
            "nanosecond",
            "nanoseconds",
        ],
    ),
];

/// The length of a unit that is spelled so, in any case.
pub(crate) fn length(word: &str) -> Option<u64> {
    UNITS
        .iter()
        .find(|(_, forms)| forms.iter().any(|form| form.eq_ignore_ascii_case(word)))
        .map(|(length, _)| length.get())
}

/// `nanos` as a whole number of the largest unit that measures it; 0 is counted in weeks.
pub(crate) fn measured(nanos: u64) -> (u64, &'static str) {
    let whole = |(length, forms): &(NonZeroU64, &[&'static str])| {
        let (count, rest) = arith::div_rem(nanos.into(), *length);
        (rest == 0).then_some((count as u64, *forms.first()?))
    };
    UNITS.iter().find_map(whole).unwrap_or((nanos, "ns"))
}

/// Where the grid of edges begins: the Unix epoch, a Thursday, and for whole weeks the Monday
/// after it.
pub(crate) const fn origin(period: u64) -> u64 {
    match arith::div_rem(period as u128, WEEK) {
        (_, 0) => MONDAY,
        _ => 0,
    }
}

/// A length that is not 0.
pub(crate) const fn nanos(nanos: u64) -> NonZeroU64 {
    match NonZeroU64::new(nanos) {
        Some(nanos) => nanos,
        None => NonZeroU64::MIN,
    }
}
