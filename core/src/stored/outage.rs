//! What is answered while a store does not answer.

use alloc::vec::Vec;
use core::num::{NonZeroU32, NonZeroU64};

use crate::{Bandwidth, Decision, Limit, Limits, Refill, Rule, Wait};

/// The decision that an outage is answered by, where the failure policy says so without any state: it
/// promises nothing.
///
/// Nothing remains, and `retry_after` is how long not to ask again; it is not used if `allowed`. The
/// limit named is the one with the least quota, the first of several such.
///
/// ```
/// use tokenweir::stored::without_store;
/// use tokenweir::{Limits, Wait};
///
/// let limits = Limits::parse("burst: 10/s; daily: 5000/day")?;
/// let decision = without_store(&limits, false, Wait::Ticks(1_000_000_000));
/// assert_eq!((decision.allowed, decision.remaining, limits.name(decision.scope)), (false, 0, "burst"));
/// assert!(!decision.never());
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub fn without_store(limits: &Limits, allowed: bool, retry_after: Wait) -> Decision {
    let least = limits
        .iter()
        .enumerate()
        .min_by_key(|(_, limit)| limit.quota());
    let (scope, limit) = least.map_or((0, 0), |(scope, limit)| (scope, limit.quota()));
    Decision {
        allowed,
        scope,
        limit,
        remaining: 0,
        retry_after: if allowed { Wait::NONE } else { retry_after },
        reset_after: if allowed { Wait::NONE } else { retry_after },
    }
}

/// The part of limits that one of several instances may use by itself, in the same order and with the same
/// names.
///
/// Each amount is divided by `instances` and rounded down, but is at least 1; the rate of greedy
/// bandwidths is divided exactly. So all instances together never have more than the whole, except where a
/// quota, or an amount that comes back at edges, is smaller than their number: then it is as large as their
/// number.
///
/// ```
/// use core::num::{NonZeroU32, NonZeroU64};
/// use tokenweir::Limits;
/// use tokenweir::stored::share_of;
///
/// let whole = Limits::parse("100/s burst 250; cycle 10/min")?;
/// let part = share_of(&whole, NonZeroU32::new(4).expect("not 0"));
/// assert_eq!(part, Limits::parse("100 per 4s burst 62; cycle 2/min")?);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[must_use]
pub fn share_of(limits: &Limits, instances: NonZeroU32) -> Limits {
    let parts: Vec<_> = limits.iter().map(|limit| part(limit, instances)).collect();
    // As many with the same names as before.
    Limits::new(parts).unwrap_or_else(|_| limits.clone())
}

fn part(limit: &Limit, instances: NonZeroU32) -> Limit {
    let share = |amount: u64| (amount / NonZeroU64::from(instances)).max(1);
    let part = match limit.rule() {
        Rule::Bandwidth(bandwidth) => {
            part_of_bandwidth(bandwidth, instances, share).map(Limit::bandwidth)
        }
        Rule::Cycle(config) => config
            .with_limit(share(config.limit()))
            .ok()
            .map(Limit::cycle),
    };
    // A smaller amount of what was in range is in range.
    let part = part.unwrap_or_else(|| limit.clone());
    let part = match limit.name() {
        Some(name) => part.named(name),
        None => part,
    };
    if limit.is_recurring() {
        part.recurring()
    } else {
        part
    }
}

fn part_of_bandwidth(
    whole: &Bandwidth,
    instances: NonZeroU32,
    share: impl Fn(u64) -> u64,
) -> Option<Bandwidth> {
    let (capacity, tokens, period) = (share(whole.capacity()), whole.tokens(), whole.period());
    let part = match whole.refill() {
        Refill::Greedy => {
            let longer = period.saturating_mul(instances.get().into());
            // Where the longer period is too long, fewer tokens come in the same.
            Bandwidth::greedy(capacity, tokens, longer)
                .or_else(|_| Bandwidth::greedy(capacity, share(tokens), period))
        }
        Refill::Interval => Bandwidth::interval(capacity, share(tokens), period),
        Refill::Aligned { first_refill } => {
            Bandwidth::aligned(capacity, share(tokens), period, first_refill)
        }
        Refill::Adaptive { first_refill } => {
            Bandwidth::adaptive(capacity, share(tokens), period, first_refill)
        }
    };
    let part = part.ok()?;
    match whole.initial_tokens() {
        // None at the start stay none.
        Some(initial) => part
            .with_initial_tokens(initial / NonZeroU64::from(instances))
            .ok(),
        None => Some(part),
    }
}
