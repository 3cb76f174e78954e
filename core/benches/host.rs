//! What one decision over limits costs beside the limiter they are made of, in one run.
//!
//! Figures of different runs must not be compared. `check` also works out the numbers of the limit
//! that decided.

use std::hint::black_box;
use std::time::Duration;

use criterion::{
    BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime,
};
use tokenweir::{
    Bandwidth, Bucket, BucketConfig, CycleConfig, CycleLimiter, Limiter, Limits, Permits, Tokens,
};

const SECOND: u64 = 1_000_000_000;
/// A burst that is never used up, and one that is.
const CASES: [(&str, u64); 2] = [("host_allow", u32::MAX as u64), ("host_deny", 1)];

fn bench(c: &mut Criterion) {
    for (name, burst) in CASES {
        let mut group = c.benchmark_group(name);
        let burst = black_box(burst);
        let limit =
            |scale: u64| Bandwidth::greedy(burst * scale, scale, 1_000 * SECOND).expect("in range");

        let mut one = black_box(Bucket::new(BucketConfig::from(limit(1)), 0));
        let _ = one.try_consume(Tokens::ONE, 0);
        group.bench_function("bucket1", |b| {
            b.iter(|| one.try_consume(Tokens::ONE, black_box(0)))
        });
        limiter(&mut group, "limiter1", &format!("1/1000s burst {burst}"));

        let config = BucketConfig::new([limit(1), limit(2)]).expect("two limits");
        let mut two = black_box(Bucket::new(config, 0));
        let _ = two.try_consume(Tokens::ONE, 0);
        group.bench_function("bucket2", |b| {
            b.iter(|| two.try_consume(Tokens::ONE, black_box(0)))
        });
        let text = format!("1/1000s burst {burst}; 2/1000s burst {}", burst * 2);
        limiter(&mut group, "limiter2", &text);

        let config = CycleConfig::new(burst, 1_000 * SECOND).expect("in range");
        let mut cycle = black_box(CycleLimiter::new(config, 0));
        let _ = cycle.try_acquire(Permits::ONE, 0);
        group.bench_function("cycle", |b| {
            b.iter(|| cycle.try_acquire(Permits::ONE, black_box(0)))
        });
        limiter(&mut group, "limiter_cycle", &format!("cycle {burst}/1000s"));
        let text = format!("1/1000s burst {burst}; cycle {burst}/1000s");
        limiter(&mut group, "limiter_mixed", &text);
        let mut mixed = black_box(Limiter::new(Limits::parse(&text).expect("limits"), 0));
        group.bench_function("check_mixed", |b| {
            b.iter(|| mixed.check(Tokens::ONE, black_box(0)))
        });
        group.finish();
    }
}

fn limiter(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, limits: &str) {
    let mut limiter = black_box(Limiter::new(Limits::parse(limits).expect("limits"), 0));
    let _ = limiter.try_acquire(Tokens::ONE, 0);
    group.bench_function(name, |b| {
        b.iter(|| limiter.try_acquire(Tokens::ONE, black_box(0)))
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(60)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = bench
}
criterion_main!(benches);
