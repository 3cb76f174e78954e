//! The promise: refused one tick before the wait is over, granted at it. Needs no oracle.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use tokenweir::{Bandwidth, Bucket, Refill, Tokens, Wait};

use crate::numbers::MAX;
use crate::runner::Tally;

/// The wait told for `n` tokens is the right one, where the instants it leads to exist.
pub(crate) fn decision<const N: usize>(
    bucket: &Bucket<N>,
    n: Tokens,
    now: u64,
    tally: &Tally,
) -> TestCaseResult {
    let granted = |at: u64| bucket.clone().try_consume(n, at);
    let estimate = bucket.estimate(n, now);
    // Up to 63 bits of units, a greedy bandwidth is decided by a short cut of one word.
    let is_greedy = |limit: &&Bandwidth| matches!(limit.refill(), Refill::Greedy);
    for limit in bucket.config().bandwidths().iter().filter(is_greedy) {
        let wide = u128::from(limit.capacity()) * u128::from(limit.period()) >= u128::from(MAX);
        tally.note(if wide {
            "decided wide"
        } else {
            "decided in one word"
        });
    }
    prop_assert_eq!(estimate.can_consume, granted(now));
    match estimate.wait {
        Wait::Ticks(0) => {
            prop_assert!(estimate.can_consume);
            tally.note("granted");
        }
        Wait::Ticks(wait) => {
            prop_assert!(!estimate.can_consume);
            let Some(over) = now.checked_add(wait) else {
                prop_assert!(!granted(u64::MAX));
                tally.note("a wait beyond the last tick");
                return Ok(());
            };
            prop_assert!(granted(over), "refused at {over}, {estimate:?}");
            prop_assert!(!granted(over - 1), "granted before {over}, {estimate:?}");
            tally.note("a wait kept");
        }
        Wait::Never => {
            prop_assert!(!estimate.can_consume);
            let lacks = |(limit, has): (&Bandwidth, i64)| {
                n.get() > limit.capacity() && u64::try_from(has).unwrap_or(0) < n.get()
            };
            let limits = bucket.config().bandwidths().iter();
            if limits.zip(bucket.available_of_each(now)).any(lacks) {
                prop_assert!(!granted(u64::MAX), "granted at the end of time");
                tally.note("never, above the capacity");
            } else {
                // The other meaning of never: not within i64::MAX ticks.
                prop_assert!(!granted(now.saturating_add(MAX - 1)));
                tally.note("never, too long a wait");
            }
        }
    }
    Ok(())
}

/// A debt is repaid when the wait for it is over, and not one tick earlier.
pub(crate) fn repaid<const N: usize>(
    bucket: &Bucket<N>,
    wait: u64,
    now: u64,
    tally: &Tally,
) -> TestCaseResult {
    if wait > 0
        && let Some(over) = now.checked_add(wait)
    {
        prop_assert!(bucket.available(over) >= 0);
        prop_assert!(bucket.available(over - 1) < 0);
        tally.note("a debt repaid in time");
    }
    Ok(())
}

/// The bucket is full when the time to it is over, and not one tick earlier.
pub(crate) fn full<const N: usize>(bucket: &Bucket<N>, wait: Wait, now: u64) -> TestCaseResult {
    let is_full = |at: u64| {
        let limits = bucket.config().bandwidths().iter();
        let mut parts = limits.zip(bucket.available_of_each(at));
        parts.all(|(limit, n)| u64::try_from(n).is_ok_and(|n| n >= limit.capacity()))
    };
    match wait {
        Wait::Ticks(0) => prop_assert!(is_full(now)),
        Wait::Ticks(wait) => match now.checked_add(wait) {
            Some(over) => prop_assert!(is_full(over) && !is_full(over - 1)),
            None => prop_assert!(!is_full(u64::MAX)),
        },
        Wait::Never => prop_assert!(!is_full(now.saturating_add(MAX - 1))),
    }
    Ok(())
}
