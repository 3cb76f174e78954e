//! One decision of each limiter beside governor's `check`, in one run.
//!
//! Every limiter has the same limit, hidden from the optimiser. In `allow` and `deny` the clock
//! stands still: a burst that is never used up, and one that is. In `allow_moving` and
//! `deny_moving` governor's fake clock advances before each decision and both sides read it.
//! The last lines print ratios to governor of the medians of this run; figures of different runs
//! must not be compared.

use std::hint::black_box;
use std::num::NonZeroU32;
use std::time::Duration;

use criterion::{Criterion, criterion_group};
use governor::clock::{Clock, FakeRelativeClock};
use governor::{Quota, RateLimiter};
use tokenweir::{Bandwidth, Bucket, BucketConfig, CycleConfig, CycleLimiter, Permits, Tokens};

#[path = "support/ratios.rs"]
mod ratios;

const GROUPS: [&str; 4] = ["allow", "deny", "allow_moving", "deny_moving"];
const OURS: [&str; 3] = ["bucket1", "bucket2", "cycle"];
const PEER: &str = "governor";
const SECOND: u64 = 1_000_000_000;

/// A case: the rate per second, the burst, and how far the clock moves before each decision.
#[derive(Clone, Copy)]
struct Case {
    rate: u32,
    burst: u32,
    step: Option<Duration>,
    allowed: bool,
}

fn case(group: &str) -> Case {
    let (burst, step, allowed) = match group {
        "allow" => (u32::MAX, None, true),
        "deny" => (1, None, false),
        // One token's time each call; and one nanosecond, so that one call in a million is allowed.
        "allow_moving" => (1_000, Some(Duration::from_millis(1)), true),
        _ => (1, Some(Duration::from_nanos(1)), false),
    };
    Case {
        rate: black_box(1_000),
        burst: black_box(burst),
        step,
        allowed,
    }
}

fn bench(c: &mut Criterion) {
    for name in GROUPS {
        let case = case(name);
        let mut group = c.benchmark_group(name);
        let limit = |scale: u64| {
            let (burst, rate) = (u64::from(case.burst), u64::from(case.rate));
            Bandwidth::greedy(burst * scale, rate * scale, SECOND * scale).expect("in range")
        };
        let clock = FakeRelativeClock::default();
        let now = || {
            if let Some(step) = case.step {
                clock.advance(step);
            }
            clock.now().as_u64()
        };

        let quota = Quota::per_second(NonZeroU32::new(case.rate).expect("positive"))
            .allow_burst(NonZeroU32::new(case.burst).expect("positive"));
        let peer = black_box(RateLimiter::direct_with_clock(quota, clock.clone()));
        let check = || {
            if let Some(step) = case.step {
                clock.advance(step);
            }
            peer.check().is_ok()
        };
        check();
        assert_eq!(check(), case.allowed);
        group.bench_function(PEER, |b| b.iter(check));

        let mut one = black_box(Bucket::new(BucketConfig::from(limit(1)), now()));
        let _ = one.try_consume(Tokens::ONE, now());
        assert_eq!(one.try_consume(Tokens::ONE, now()), case.allowed);
        group.bench_function(OURS[0], |b| b.iter(|| one.try_consume(Tokens::ONE, now())));

        let config = BucketConfig::new([limit(1), limit(2)]).expect("two limits");
        let mut two = black_box(Bucket::new(config, now()));
        let _ = two.try_consume(Tokens::ONE, now());
        assert_eq!(two.try_consume(Tokens::ONE, now()), case.allowed);
        group.bench_function(OURS[1], |b| b.iter(|| two.try_consume(Tokens::ONE, now())));

        // A cycle grants its whole limit at an edge: the refused case needs a long one.
        let (limit, period) = if case.allowed {
            (u64::from(u32::MAX), SECOND)
        } else {
            (1, SECOND * 1_000_000)
        };
        let config = CycleConfig::new(black_box(limit), black_box(period)).expect("in range");
        let mut cycle = black_box(CycleLimiter::new(config, now()));
        let _ = cycle.try_acquire(Permits::ONE, now());
        assert_eq!(cycle.try_acquire(Permits::ONE, now()), case.allowed);
        group.bench_function(OURS[2], |b| {
            b.iter(|| cycle.try_acquire(Permits::ONE, now()))
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(60)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = bench
}

fn main() {
    benches();
    ratios::print(&GROUPS, &OURS, PEER);
}
