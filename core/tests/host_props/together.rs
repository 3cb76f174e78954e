//! Buckets and cycles mixed: all grant or none pays, and the promised wait is exact.

use proptest::prelude::*;
use tokenweir::{Limiter, Rule, TokensInheritance, Wait};

use crate::strategies::{Step, after, config, limits, number, timeline, tokens};

proptest! {
    #![proptest_config(config())]

    /// Whatever is decided, it is decided for all limits, and the promised wait is exact.
    #[test]
    fn all_grant_or_none_pays_and_the_promise_holds(
        limits in limits(),
        start in prop_oneof![0..100_u64, any::<u64>()],
        steps in timeline(),
    ) {
        let mut limiter = Limiter::new(limits, start);
        let mut now = start;
        for (gap, step) in steps {
            now = after(now, gap);
            let before: Vec<_> = limiter.statuses(now).collect();
            match step {
                Step::TryAcquire(n) | Step::Check(n) => {
                    let peeked = limiter.peek(tokens(n), now);
                    let decision = limiter.check(tokens(n), now);
                    prop_assert_eq!(decision.allowed, peeked.allowed);
                    prop_assert_eq!(decision.retry_after, peeked.retry_after);
                    let taken = if decision.allowed { n as i64 } else { 0 };
                    let statuses = limiter.statuses(now);
                    for (status, before) in statuses.zip(&before) {
                        prop_assert_eq!(status.available, before.available - taken);
                    }
                    let scope = limiter.statuses(now).nth(decision.scope).unwrap();
                    prop_assert_eq!(decision.limit, scope.limit);
                    prop_assert_eq!(decision.remaining, scope.remaining());
                    prop_assert_eq!(decision.reset_after, scope.reset_after);
                    check_promise(&limiter, n, decision.retry_after, now)?;
                }
                Step::Peek(n) => {
                    let reference = limiter.clone();
                    let _ = limiter.peek(tokens(n), now);
                    prop_assert_eq!(&limiter, &reference);
                }
                Step::UpTo(n) => {
                    let there = limiter.available(now).max(0) as u64;
                    prop_assert_eq!(limiter.acquire_up_to(tokens(n), now), there.min(n));
                }
                Step::Ignoring(n) => {
                    let _ = limiter.acquire_ignoring_limits(tokens(n), now);
                }
                Step::Reserve(n, wait) => {
                    let reserved = limiter.reserve(tokens(n), wait, now);
                    let taken = if reserved.is_ok() { i128::from(n) } else { 0 };
                    for (status, before) in limiter.statuses(now).zip(&before) {
                        prop_assert_eq!(i128::from(status.available), i128::from(before.available) - taken);
                    }
                }
                Step::Refund(n) => {
                    limiter.refund(tokens(n), now);
                    for (status, before) in limiter.statuses(now).zip(&before) {
                        prop_assert!(status.available >= before.available);
                        prop_assert!(status.available <= before.available.max(before.limit as i64));
                    }
                }
                Step::ForceAdd(n) => limiter.force_add(tokens(n), now),
                Step::Reset => {
                    limiter.reset(now);
                    for status in limiter.statuses(now) {
                        prop_assert_eq!(status.available, status.limit as i64);
                    }
                }
            }
        }
    }

    /// An update with the same limits changes nothing that can be seen, unless it resets.
    #[test]
    fn an_update_with_the_same_limits_keeps_what_is_left(limits in limits(), cost in number()) {
        let unnamed = |cycles: bool| limits.iter().filter(|limit| {
            limit.name().is_none() && matches!(limit.rule(), Rule::Cycle(_)) == cycles
        }).count();
        prop_assume!(unnamed(true) <= 1 && unnamed(false) <= 1);
        let mut limiter = Limiter::new(limits.clone(), 5);
        let _ = limiter.try_acquire(tokens(cost), 5);
        let before: Vec<_> = limiter.statuses(7).collect();
        limiter.update(limits, TokensInheritance::AsIs, 7);
        let over_full = |at: usize| before[at].available > before[at].limit as i64;
        for (index, status) in limiter.statuses(7).enumerate() {
            if over_full(index) {
                prop_assert!(status.available <= before[index].available);
            } else {
                prop_assert_eq!(status, before[index]);
            }
        }
    }
}

/// Refused one tick before the wait is over, granted at it.
fn check_promise(limiter: &Limiter, n: u64, wait: Wait, now: u64) -> Result<(), TestCaseError> {
    let Some(ready) = wait.ticks().and_then(|ticks| now.checked_add(ticks)) else {
        return Ok(());
    };
    if ready > now {
        prop_assert!(!limiter.clone().try_acquire(tokens(n), ready - 1));
        prop_assert!(limiter.clone().try_acquire(tokens(n), ready));
    }
    Ok(())
}
