//! One decision of each limiter that threads can share beside governor's `check`, in one run.
//!
//! Every limiter has the same limit, hidden from the optimiser, and reads the same clock, which costs
//! one load and stands still. In `shared_allow` the burst is never used up, in `shared_deny` it is. In
//! `two_threads` the burst is not used up either, and two threads ask one limiter as fast as they can;
//! the time is what a thread takes for one of its decisions. The last lines print ratios to governor of the medians of this run; figures of
//! different runs must not be compared. Without optimisation across crates:
//! `CARGO_PROFILE_BENCH_LTO=off CARGO_PROFILE_BENCH_CODEGEN_UNITS=16 cargo bench …`.

use std::hint::black_box;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use better_bucket::{BucketConfig, BucketCore};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group};
use governor::clock::Clock;
use governor::nanos::Nanos;
use governor::{Quota, RateLimiter};
use tokenweir::{AtomicBucket, AtomicCycleLimiter, Bandwidth, CycleConfig, Permits, Tokens};

#[path = "support/ratios.rs"]
mod ratios;

const GROUPS: [&str; 3] = ["shared_allow", "shared_deny", "two_threads"];
const LIMITERS: [&str; 3] = ["atomic_bucket", "atomic_cycle", "better_bucket"];
const PEER: &str = "governor";
const SECOND: u64 = 1_000_000_000;

#[derive(Clone)]
struct Still(Arc<AtomicU64>);

impl Clock for Still {
    type Instant = Nanos;

    #[inline]
    fn now(&self) -> Nanos {
        self.0.load(Ordering::Relaxed).into()
    }
}

/// The time of one decision of `decide`, alone or against another thread.
fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    two: bool,
    decide: impl Fn() -> bool + Sync + Copy,
) {
    if !two {
        group.bench_function(name, |b| b.iter(decide));
        return;
    }
    group.bench_function(name, |b| {
        b.iter_custom(|times| {
            let ready = AtomicU64::new(0);
            let run = || {
                ready.fetch_add(1, Ordering::SeqCst);
                while ready.load(Ordering::SeqCst) < 2 {
                    std::hint::spin_loop();
                }
                let start = Instant::now();
                for _ in 0..times {
                    black_box(decide());
                }
                start.elapsed()
            };
            thread::scope(|scope| {
                let other = scope.spawn(run);
                run().max(other.join().expect("the other thread"))
            })
        });
    });
}

fn bench(c: &mut Criterion) {
    for name in GROUPS {
        let mut group = c.benchmark_group(name);
        let (allowed, two) = (name != "shared_deny", name == "two_threads");
        let rate: u32 = black_box(1_000);
        let burst: u32 = black_box(if allowed { u32::MAX } else { 1 });
        let clock = Still(Arc::new(AtomicU64::new(5 * SECOND)));
        let ticks = &*clock.0;
        let now = move || ticks.load(Ordering::Relaxed);

        let quota = Quota::per_second(NonZeroU32::new(rate).expect("positive"))
            .allow_burst(NonZeroU32::new(burst).expect("positive"));
        let peer = &black_box(RateLimiter::direct_with_clock(quota, clock.clone()));
        let _ = peer.check();
        assert_eq!(peer.check().is_ok(), allowed);
        measure(&mut group, PEER, two, move || peer.check().is_ok());

        let limit = Bandwidth::greedy(burst.into(), rate.into(), SECOND).expect("in range");
        let bucket = &black_box(AtomicBucket::new(limit, now()).expect("fits"));
        let _ = bucket.try_consume(Tokens::ONE, now());
        assert_eq!(bucket.try_consume(Tokens::ONE, now()), allowed);
        measure(&mut group, LIMITERS[0], two, move || {
            bucket.try_consume(Tokens::ONE, now())
        });

        let cycles = CycleConfig::new(burst.into(), black_box(SECOND * 1_000)).expect("in range");
        let cycle = &black_box(AtomicCycleLimiter::new(cycles, now()).expect("fits"));
        let _ = cycle.try_acquire(Permits::ONE, now());
        assert_eq!(cycle.try_acquire(Permits::ONE, now()), allowed);
        measure(&mut group, LIMITERS[1], two, move || {
            cycle.try_acquire(Permits::ONE, now())
        });

        let config = BucketConfig::new(burst, rate, Duration::from_secs(1), burst);
        // Its time is a `Duration`, made once: the conversion is not its decision.
        let time = black_box(Duration::from_nanos(now()));
        let other = &black_box(BucketCore::new(config.expect("in range"), time));
        let _ = other.try_acquire_at(1, time);
        assert_eq!(other.try_acquire_at(1, time), allowed);
        measure(&mut group, LIMITERS[2], two, move || {
            other.try_acquire_at(1, time)
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
    ratios::print(&GROUPS, &LIMITERS, PEER);
}
