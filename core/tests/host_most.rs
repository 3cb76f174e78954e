//! The most that limits grant in a window, against callers who take all they can get.

use proptest::prelude::*;
use tokenweir::{Bandwidth, CycleConfig, Limit, LimiterState, Limits, Tokens};

/// Small enough to try every instant, large enough for several edges and for more than a token in a
/// nanosecond.
const INSTANTS: u64 = 60;

fn limit() -> impl Strategy<Value = Limit> {
    let initial = proptest::option::of(0..12_u64);
    let bandwidth = (
        1..8_u64,
        1..20_u64,
        1..16_u64,
        0..40_u64,
        initial,
        0..4_u8,
        any::<bool>(),
    );
    let bandwidth = bandwidth.prop_map(
        |(capacity, tokens, period, edge, initial, style, recurring)| {
            let built = match style {
                0 => Bandwidth::greedy(capacity, tokens, period),
                1 => Bandwidth::interval(capacity, tokens, period),
                2 => Bandwidth::aligned(capacity, tokens, period, edge),
                _ => Bandwidth::adaptive(capacity, tokens, period, edge),
            };
            let built = built.expect("small numbers");
            let limit = Limit::bandwidth(match initial {
                Some(tokens) if style < 3 => built.with_initial_tokens(tokens).expect("small"),
                _ => built,
            });
            if recurring { limit.recurring() } else { limit }
        },
    );
    let edge = proptest::option::of(0..40_u64);
    let cycle = (1..8_u64, 1..16_u64, edge).prop_map(|(limit, period, edge)| {
        let config = CycleConfig::new(limit, period).expect("small numbers");
        Limit::cycle(edge.map_or(config, |edge| config.aligned_to(edge)))
    });
    prop_oneof![3 => bandwidth, 1 => cycle]
}

/// What is taken at each instant from `idle` after creation on, if all that is there is taken.
fn taken(limits: &Limits, created: u64, idle: u64, instants: u64) -> Vec<u64> {
    let mut state = LimiterState::new(limits, created);
    let from = created + idle;
    (from..from + instants)
        .map(|now| state.acquire_up_to(limits, Tokens::MAX, now))
        .collect()
}

/// Long enough to fill any of these buckets.
const LONG: u64 = 8 * 16 + 40;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whoever takes all from a full limit gets the most there can be, if the time is the worst one.
    #[test]
    fn the_most_of_one_limit_is_what_the_worst_caller_gets(limit in limit()) {
        let limits = Limits::new([limit]).expect("one limit");
        // All phases of the edges, and a creation before the first of them and after it.
        let idle = (0..20).chain(LONG..LONG + 20);
        let starts = idle.flat_map(|idle| [0, 45, 100].map(|created| (created, idle)));
        let mut most = vec![0; INSTANTS as usize];
        for (created, idle) in starts {
            let mut sum = 0;
            for (most, taken) in most.iter_mut().zip(taken(&limits, created, idle, INSTANTS)) {
                sum += taken;
                *most = sum.max(*most);
            }
        }
        for (window, most) in most.into_iter().enumerate() {
            prop_assert_eq!(limits.most_within(window as u64), most, "{} in {}", limits, window);
        }
    }

    /// No caller of several limits gets more in any window, whatever they take and when.
    #[test]
    fn no_caller_gets_more_than_the_most(
        limits in proptest::collection::vec(limit(), 1..4),
        created in 0..50_u64,
        wishes in proptest::collection::vec((0..6_u64, 0..9_u64), 1..40),
    ) {
        let limits = Limits::new(limits).expect("few limits");
        let mut state = LimiterState::new(&limits, created);
        let (mut now, mut grants) = (created, Vec::new());
        for (gap, wish) in wishes {
            now += gap;
            let got = match Tokens::new(wish) {
                Ok(cost) if state.try_acquire(&limits, cost, now) => wish,
                Ok(_) => 0,
                // Takes all there is.
                Err(_) => state.acquire_up_to(&limits, Tokens::MAX, now),
            };
            grants.push((now, got));
        }
        for first in 0..grants.len() {
            let mut sum = 0;
            for (now, got) in &grants[first..] {
                sum += got;
                let window = now - grants[first].0;
                prop_assert!(sum <= limits.most_within(window), "{} in {}", limits, window);
            }
        }
    }

    /// A longer window never has less, and each limit more only lowers the most.
    #[test]
    fn the_most_grows_with_the_window(
        limits in proptest::collection::vec(limit(), 1..4),
        window in any::<u64>(),
        more in any::<u64>(),
    ) {
        let all = Limits::new(limits.iter().cloned()).expect("few limits");
        let longer = window.saturating_add(more);
        prop_assert!(all.most_within(window) <= all.most_within(longer));
        let least = limits.iter().map(|limit| limit.most_within(window)).min();
        prop_assert_eq!(Some(all.most_within(window)), least);
    }
}

#[test]
fn numbers_at_the_ends_of_their_range_do_not_wrap() {
    const MAX: u64 = i64::MAX as u64;
    let most = |limit: Limit| limit.most_within(u64::MAX);
    let greedy = |capacity, tokens, period| {
        most(Limit::bandwidth(
            Bandwidth::greedy(capacity, tokens, period).expect("in range"),
        ))
    };
    assert_eq!(greedy(MAX, MAX, MAX), u64::MAX);
    assert_eq!(greedy(1, 1, MAX), 3);
    assert_eq!(greedy(MAX, MAX, 1), u64::MAX);
    assert_eq!(
        most(Limit::cycle(CycleConfig::new(1, 1).expect("in range"))),
        u64::MAX
    );
    assert_eq!(
        most(Limit::cycle(CycleConfig::new(MAX, MAX).expect("in range"))),
        u64::MAX
    );
}

#[test]
fn an_interval_that_is_no_whole_number_of_nanoseconds_costs_a_bucket_of_one_its_rest() {
    // Each token takes 333 333 334 ns: a bucket of one cannot hold the part that is over.
    const DAY: u64 = 86_400_000_000_000;
    let most = |text: &str| Limits::parse(text).expect("limits").most_within(DAY);
    assert_eq!(most("3/s burst 1"), 259_200);
    assert_eq!(most("3/s burst 2"), 259_202);
}
