//! A decision of the keyed limiter beside governor's, in one run, with a thousand and a million keys.
//!
//! The keys are integers, visited in a scattered order that both sides share; every decision is
//! allowed. The last lines print ratios to governor of the medians of this run.

use std::hint::black_box;
use std::num::NonZeroU32;
use std::time::Duration;

use criterion::{Criterion, criterion_group};
use governor::clock::FakeRelativeClock;
use governor::{Quota, RateLimiter};
use tokenweir::{Bandwidth, KeyedLimiter, Limit, Limits, TickRate, Tokens};

#[path = "support/ratios.rs"]
mod ratios;

const SIZES: [(&str, u64); 2] = [("1k_keys", 1_000), ("1M_keys", 1_000_000)];
const PEER: &str = "governor";
const OURS: [&str; 1] = ["keyed"];

/// Visits every key before it comes back to one, in an order no prefetcher knows.
fn scattered(count: u64) -> impl FnMut() -> u64 {
    let mut turn = 0_u64;
    move || {
        turn = turn.wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((u128::from(turn) * u128::from(count)) >> 64) as u64
    }
}

fn bench(c: &mut Criterion) {
    for (name, count) in SIZES {
        let mut group = c.benchmark_group(name);
        let rate = black_box(1_000);
        let burst = black_box(u32::MAX);

        let quota = Quota::per_second(NonZeroU32::new(rate).expect("positive"))
            .allow_burst(NonZeroU32::new(burst).expect("positive"));
        let peer = RateLimiter::dashmap_with_clock(quota, FakeRelativeClock::default());
        (0..count).for_each(|key| assert!(peer.check_key(&key).is_ok()));
        let mut key = scattered(count);
        group.bench_function(PEER, |b| b.iter(|| peer.check_key(&key()).is_ok()));
        drop(peer);

        let limit = Bandwidth::per_second(rate.into(), TickRate::NANOS)
            .and_then(|limit| limit.with_capacity(burst.into()))
            .expect("in range");
        let limits = Limits::new([Limit::bandwidth(limit)]).expect("one limit");
        let ours = KeyedLimiter::<u64>::new(limits, count as usize);
        (0..count).for_each(|key| assert!(ours.try_acquire(&key, Tokens::ONE, 0)));
        let mut key = scattered(count);
        group.bench_function(OURS[0], |b| {
            b.iter(|| ours.try_acquire(&key(), Tokens::ONE, 0))
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
    ratios::print(&SIZES.map(|(name, _)| name), &OURS, PEER);
}
