//! Properties of limits and of the limiter over them, for any limits and any timeline.

use proptest::prelude::*;
use tokenweir::{
    Bandwidth, BandwidthId, Bucket, BucketConfig, CycleConfig, CycleLimiter, Limit, Limiter,
    Limits, Permits, Rule, Tokens, TokensInheritance, Wait,
};

const MAX: u64 = i64::MAX as u64;
const MOST: usize = 4;

/// A failure is shown in its smallest form; what it shows becomes a test of its own.
fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Small numbers, round ones, and the whole range.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        1..20_u64,
        (0..60_u32).prop_map(|shift| 1 << shift),
        1..=MAX,
        Just(MAX)
    ]
}

fn period() -> impl Strategy<Value = u64> {
    let units = [
        1,
        1_000,
        1_000_000_000,
        60_000_000_000,
        86_400_000_000_000,
        604_800_000_000_000,
    ];
    let rounded = (1..15_u64, proptest::sample::select(units.to_vec()));
    prop_oneof![rounded.prop_map(|(count, unit)| count * unit), number()]
}

fn bandwidth() -> impl Strategy<Value = Bandwidth> {
    let edge = prop_oneof![Just(0), Just(345_600_000_000_000), period(), any::<u64>()];
    let initial = proptest::option::of(prop_oneof![Just(0), number()]);
    let style = 0..4_u8;
    (number(), number(), period(), edge, initial, style).prop_map(
        |(capacity, tokens, period, edge, initial, style)| {
            let built = match style {
                0 => Bandwidth::greedy(capacity, tokens, period),
                1 => Bandwidth::interval(capacity, tokens, period),
                2 => Bandwidth::aligned(capacity, tokens, period, edge),
                _ => Bandwidth::adaptive(capacity, tokens, period, edge),
            };
            let built = built.unwrap();
            match initial {
                Some(tokens) if style < 3 => built.with_initial_tokens(tokens).unwrap(),
                _ => built,
            }
        },
    )
}

fn cycle() -> impl Strategy<Value = CycleConfig> {
    let edge = proptest::option::of(prop_oneof![Just(0), period(), any::<u64>()]);
    (number(), period(), edge).prop_map(|(limit, period, edge)| {
        let config = CycleConfig::new(limit, period).unwrap();
        edge.map_or(config, |edge| config.aligned_to(edge))
    })
}

fn limit() -> impl Strategy<Value = Limit> {
    let bandwidth = (bandwidth(), any::<bool>()).prop_map(|(bandwidth, recurring)| {
        let limit = Limit::bandwidth(bandwidth);
        if recurring { limit.recurring() } else { limit }
    });
    prop_oneof![2 => bandwidth, 1 => cycle().prop_map(Limit::cycle)]
}

fn limits() -> impl Strategy<Value = Limits> {
    let name = prop_oneof![
        3 => Just(None),
        1 => "[a-zA-Z_][a-zA-Z0-9_.-]{0,8}".prop_map(Some),
        1 => proptest::sample::select(vec!["cycle", "10/s", "10/s #2", "per", "a\"b\\", ";:"])
            .prop_map(|name| Some(name.to_owned())),
        1 => any::<String>().prop_map(|name| Some(name.chars().take(30).collect())),
    ];
    let named = (limit(), name).prop_map(|(limit, name)| match name {
        Some(name) => limit.named(name),
        None => limit,
    });
    proptest::collection::vec(named, 1..=MOST)
        .prop_filter_map("names that cannot be together", |limits| {
            Limits::new(limits).ok()
        })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn formatted_limits_parse_to_the_same(limits in limits()) {
        let text = limits.to_string();
        prop_assert_eq!(Limits::parse(&text).map_err(|error| format!("{text}: {error}")), Ok(limits));
    }

    #[test]
    fn every_limit_is_called_differently(limits in limits()) {
        for index in 0..limits.len() {
            prop_assert_eq!(limits.position(limits.name(index)), Some(index));
            if let Some(name) = limits.get(index).and_then(Limit::name) {
                prop_assert_eq!(limits.name(index), name);
            }
        }
    }

    #[test]
    fn any_text_is_limits_or_an_error_within_it(text in any::<String>()) {
        check_text(&text)?;
    }

    #[test]
    fn text_of_the_right_words_is_limits_or_an_error_within_it(
        words in proptest::collection::vec(proptest::sample::select(vec![
            "10", "0.5", "1_0", "18446744073709551616", "/", "per", "s", "µs", "weeks", "burst",
            "initial", "aligned", "adaptive", "at", "from", "interval", "cycle", ";", ",", ":", "a",
            "\"", "\\", " ", "\n", "é", "-", ".",
        ]), 0..12),
        spaced in any::<bool>(),
    ) {
        check_text(&words.join(if spaced { " " } else { "" }))?;
    }
}

fn check_text(text: &str) -> Result<(), TestCaseError> {
    match Limits::parse(text) {
        Ok(limits) => {
            let formatted = limits.to_string();
            prop_assert_eq!(Limits::parse(&formatted), Ok(limits));
        }
        Err(error) => {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.column));
            prop_assert_eq!(
                error.found.is_none(),
                error.column == text.chars().count() + 1
            );
        }
    }
    Ok(())
}

/// Something done to a limiter, after some time.
#[derive(Clone, Debug)]
enum Step {
    TryAcquire(u64),
    Check(u64),
    Peek(u64),
    UpTo(u64),
    Ignoring(u64),
    Reserve(u64, u64),
    Refund(u64),
    ForceAdd(u64),
    Reset,
}

fn timeline() -> impl Strategy<Value = Vec<(i64, Step)>> {
    let gap = prop_oneof![
        Just(0),
        0..100_i64,
        -50..0_i64,
        any::<i32>().prop_map(i64::from),
        0..=i64::MAX
    ];
    let step = prop_oneof![
        4 => number().prop_map(Step::TryAcquire),
        2 => number().prop_map(Step::Check),
        1 => number().prop_map(Step::Peek),
        1 => number().prop_map(Step::UpTo),
        1 => number().prop_map(Step::Ignoring),
        2 => (number(), number()).prop_map(|(n, wait)| Step::Reserve(n, wait)),
        1 => number().prop_map(Step::Refund),
        1 => number().prop_map(Step::ForceAdd),
        1 => Just(Step::Reset),
    ];
    proptest::collection::vec((gap, step), 1..30)
}

fn tokens(n: u64) -> Tokens {
    Tokens::new(n).unwrap()
}

fn after(now: u64, gap: i64) -> u64 {
    now.saturating_add_signed(gap)
}

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
