//! What limits do together is what a bucket or a cycle limiter does alone.

use proptest::prelude::*;
use tokenweir::{
    Bandwidth, BandwidthId, Bucket, BucketConfig, CycleLimiter, Limit, Limiter, Limits, Permits,
    Tokens, TokensInheritance,
};

use crate::strategies::{MOST, Step, after, bandwidth, config, cycle, timeline, tokens};

proptest! {
    #![proptest_config(config())]

    /// The bandwidths of a limiter are one bucket.
    #[test]
    fn bandwidths_behave_as_one_bucket(
        bandwidths in proptest::collection::vec(bandwidth(), 1..=MOST),
        others in proptest::collection::vec(bandwidth(), 1..=MOST),
        inheritance in 0..4_u8,
        start in prop_oneof![0..100_u64, any::<u64>()],
        before in timeline(),
        rest in timeline(),
    ) {
        let named = |bandwidths: &[Bandwidth]| {
            // One without a name and the others with, as far as there are any.
            let limits = bandwidths.iter().enumerate().map(|(index, bandwidth)| match index {
                0 => Limit::bandwidth(*bandwidth),
                _ => Limit::bandwidth(*bandwidth).named(format!("{index}")),
            });
            let with_ids = bandwidths.iter().enumerate().map(|(index, bandwidth)| match index {
                0 => *bandwidth,
                _ => bandwidth.with_id(BandwidthId::of(&format!("{index}"))),
            });
            let with_ids: Vec<_> = with_ids.collect();
            (Limits::new(limits).unwrap(), BucketConfig::<MOST>::from_slice(&with_ids).unwrap())
        };
        let (limits, config) = named(&bandwidths);
        let (mut limiter, mut bucket) = (Limiter::new(limits, start), Bucket::new(config, start));
        let now = same_as_bucket(&mut limiter, &mut bucket, start, &before)?;
        let inheritance = match inheritance {
            0 => TokensInheritance::AsIs,
            1 => TokensInheritance::Proportional,
            2 => TokensInheritance::Additive,
            _ => TokensInheritance::Reset,
        };
        let (limits, config) = named(&others);
        limiter.update(limits, inheritance, now);
        bucket.replace(config, inheritance, now);
        same_as_bucket(&mut limiter, &mut bucket, now, &rest)?;
    }

    /// A cycle among the limits is a cycle limiter.
    #[test]
    fn a_cycle_behaves_as_a_cycle_limiter(
        config in cycle(),
        start in prop_oneof![0..100_u64, any::<u64>()],
        steps in timeline(),
    ) {
        let limits = Limits::new([Limit::cycle(config)]).unwrap();
        let mut limiter = Limiter::new(limits, start);
        let mut alone = CycleLimiter::new(config, start);
        let mut now = start;
        for (gap, step) in steps {
            now = after(now, gap);
            match step {
                Step::TryAcquire(n) | Step::Check(n) => {
                    prop_assert_eq!(
                        limiter.try_acquire(tokens(n), now),
                        alone.try_acquire(Permits::new(n).unwrap(), now)
                    );
                }
                Step::Reserve(n, wait) => {
                    alone.change_timeout(wait).unwrap();
                    let reserved = limiter.reserve(tokens(n), wait, now).ok();
                    let expected = alone.reserve(Permits::new(n).unwrap(), now).ok();
                    prop_assert_eq!(
                        reserved.as_ref().map(|one| (one.wait(), one.ready_at())),
                        expected.as_ref().map(|one| (one.wait(), one.ready_at()))
                    );
                    if let (Some(reserved), Some(expected), 0) = (reserved, expected, gap) {
                        let later = after(now, wait.cast_signed() / 2);
                        prop_assert_eq!(limiter.cancel(reserved, later), alone.cancel(expected, later));
                    }
                }
                Step::UpTo(_) => {
                    prop_assert_eq!(limiter.acquire_up_to(Tokens::MAX, now), alone.drain(now));
                }
                _ => {}
            }
            prop_assert_eq!(limiter.available(now), alone.available(now));
            prop_assert_eq!(limiter.time_to_full(now), alone.time_to_full(now));
        }
    }
}

/// Every answer of a limiter over bandwidths is that of the bucket; returns when the last step was.
fn same_as_bucket(
    limiter: &mut Limiter,
    bucket: &mut Bucket<MOST>,
    start: u64,
    steps: &[(i64, Step)],
) -> Result<u64, TestCaseError> {
    let mut now = start;
    for (gap, step) in steps {
        now = after(now, *gap);
        match *step {
            Step::TryAcquire(n) => {
                prop_assert_eq!(
                    limiter.try_acquire(tokens(n), now),
                    bucket.try_consume(tokens(n), now)
                );
            }
            Step::Check(n) => {
                let decision = limiter.check(tokens(n), now);
                let probe = bucket.try_consume_with_probe(tokens(n), now);
                prop_assert_eq!(decision.allowed, probe.consumed);
                prop_assert_eq!(decision.retry_after, probe.wait);
                prop_assert_eq!(limiter.time_to_full(now), probe.reset);
                if probe.consumed {
                    prop_assert_eq!(decision.remaining, probe.remaining);
                }
            }
            Step::Peek(n) => {
                let (decision, estimate) = (
                    limiter.peek(tokens(n), now),
                    bucket.estimate(tokens(n), now),
                );
                prop_assert_eq!(decision.allowed, estimate.can_consume);
                prop_assert_eq!(decision.retry_after, estimate.wait);
            }
            Step::UpTo(n) => {
                prop_assert_eq!(
                    limiter.acquire_up_to(tokens(n), now),
                    bucket.consume_up_to(tokens(n), now)
                );
            }
            Step::Ignoring(n) => {
                prop_assert_eq!(
                    limiter.acquire_ignoring_limits(tokens(n), now),
                    bucket.consume_ignoring_limits(tokens(n), now)
                );
            }
            Step::Reserve(n, wait) => {
                let reserved = limiter.reserve(tokens(n), wait, now);
                let expected = bucket.reserve(tokens(n), wait, now);
                prop_assert_eq!(
                    reserved.as_ref().map(|one| (one.wait(), one.ready_at())),
                    expected.as_ref().map(|one| (one.wait(), one.ready_at()))
                );
                // Every other one is given back, sooner or later.
                if let (Ok(reserved), Ok(expected), 0) = (reserved, expected, gap) {
                    let later = after(now, wait.cast_signed() / 2);
                    prop_assert_eq!(
                        limiter.cancel(reserved, later),
                        bucket.cancel(expected, later)
                    );
                }
            }
            Step::Refund(n) => {
                limiter.refund(tokens(n), now);
                bucket.add(tokens(n), now);
            }
            Step::ForceAdd(n) => {
                limiter.force_add(tokens(n), now);
                bucket.force_add(tokens(n), now);
            }
            Step::Reset => {
                limiter.reset(now);
                bucket.reset(now);
            }
        }
        let each: Vec<_> = limiter
            .statuses(now)
            .map(|status| status.available)
            .collect();
        prop_assert_eq!(each, bucket.available_of_each(now).collect::<Vec<_>>());
        prop_assert_eq!(limiter.time_to_full(now), bucket.time_to_full(now));
    }
    Ok(now)
}
