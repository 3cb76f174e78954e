//! Limiters to wait for, the waiting aside: to each `async fn` the compiler adds a panic, for whoever polls
//! it once too often.

use core::hint::black_box;

use tokenweir::{
    Bandwidth, Bucket, BucketConfig, CycleConfig, CycleLimiter, ManualClock, SharedBucket,
    SharedCycle, checked,
};

use crate::{call, permits, tokens};

const LIMIT: Bandwidth = checked!(Bandwidth::greedy(10, 10, 100));
const CYCLE: CycleConfig = checked!(CycleConfig::new(10, 100));

pub(crate) fn call_all() {
    let clock = black_box(&ManualClock::new(0)).clone();
    bucket(&clock);
    cycle(&clock);
}

fn bucket(clock: &ManualClock) {
    let config = black_box(BucketConfig::single(LIMIT));
    let Ok(bucket) = call!(SharedBucket::new(config, clock)) else {
        return;
    };
    call!(SharedBucket::try_consume(&bucket, tokens()));
    call!(SharedBucket::available(&bucket));
    let add = |bucket: &mut Bucket<1>, now: u64| bucket.add(tokens(), now);
    call!(SharedBucket::with(&bucket, add));
    call!(SharedBucket::clock(&bucket));
}

fn cycle(clock: &ManualClock) {
    let Ok(cycle) = call!(SharedCycle::new(black_box(CYCLE), clock)) else {
        return;
    };
    call!(SharedCycle::try_acquire(&cycle, permits()));
    call!(SharedCycle::available(&cycle));
    let drain = |cycle: &mut CycleLimiter, now: u64| cycle.drain(now);
    call!(SharedCycle::with(&cycle, drain));
    call!(SharedCycle::clock(&cycle));
}
