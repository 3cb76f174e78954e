//! Any limits, and any timeline of what is done to a limiter.

use proptest::prelude::*;
use tokenweir::{Bandwidth, CycleConfig, Limit, Limits, Tokens};

const MAX: u64 = i64::MAX as u64;
/// The most limits in a set.
pub(crate) const MOST: usize = 4;

/// A failure is shown in its smallest form; what it shows becomes a test of its own.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Small numbers, round ones, and the whole range.
pub(crate) fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        1..20_u64,
        (0..60_u32).prop_map(|shift| 1 << shift),
        1..=MAX,
        Just(MAX)
    ]
}

pub(crate) fn period() -> impl Strategy<Value = u64> {
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

pub(crate) fn bandwidth() -> impl Strategy<Value = Bandwidth> {
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

pub(crate) fn cycle() -> impl Strategy<Value = CycleConfig> {
    let edge = proptest::option::of(prop_oneof![Just(0), period(), any::<u64>()]);
    (number(), period(), edge).prop_map(|(limit, period, edge)| {
        let config = CycleConfig::new(limit, period).unwrap();
        edge.map_or(config, |edge| config.aligned_to(edge))
    })
}

pub(crate) fn limit() -> impl Strategy<Value = Limit> {
    let bandwidth = (bandwidth(), any::<bool>()).prop_map(|(bandwidth, recurring)| {
        let limit = Limit::bandwidth(bandwidth);
        if recurring { limit.recurring() } else { limit }
    });
    prop_oneof![2 => bandwidth, 1 => cycle().prop_map(Limit::cycle)]
}

pub(crate) fn limits() -> impl Strategy<Value = Limits> {
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

/// Something done to a limiter, after some time.
#[derive(Clone, Debug)]
pub(crate) enum Step {
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

pub(crate) fn timeline() -> impl Strategy<Value = Vec<(i64, Step)>> {
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

pub(crate) fn tokens(n: u64) -> Tokens {
    Tokens::new(n).unwrap()
}

pub(crate) fn after(now: u64, gap: i64) -> u64 {
    now.saturating_add_signed(gap)
}
