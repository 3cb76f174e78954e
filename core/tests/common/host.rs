//! What the tests of the host layer share.

use tokenweir::{Limiter, Limits, Tokens};

pub(crate) const MILLI: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000 * MILLI;
pub(crate) const MINUTE: u64 = 60 * SECOND;
pub(crate) const HOUR: u64 = 60 * MINUTE;
pub(crate) const DAY: u64 = 24 * HOUR;

pub(crate) fn limits(text: &str) -> Limits {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub(crate) fn limiter(text: &str, now: u64) -> Limiter {
    Limiter::new(limits(text), now)
}

pub(crate) fn tokens(n: u64) -> Tokens {
    Tokens::new(n).unwrap()
}

pub(crate) fn each(limiter: &Limiter, now: u64) -> Vec<i64> {
    limiter
        .statuses(now)
        .map(|status| status.available)
        .collect()
}
