//! The limiters in one atomic word.

use core::hint::black_box;

use tokenweir::{AtomicBucket, AtomicCycleLimiter, AtomicError, Bandwidth, CycleConfig, checked};

use crate::{call, number, permits, tokens};

const LIMIT: Bandwidth = checked!(Bandwidth::greedy(10, 10, 100));
const CYCLE: CycleConfig = checked!(CycleConfig::new(10, 100));

pub(crate) fn call_all() {
    match call!(AtomicBucket::new(black_box(LIMIT), number())) {
        Ok(shared) => bucket(&shared),
        Err(error) => {
            call!(AtomicError::code(&error));
        }
    }
    if let Ok(shared) = call!(AtomicCycleLimiter::new(black_box(CYCLE), number())) {
        cycle(&shared);
    }
}

fn bucket(bucket: &AtomicBucket) {
    call!(AtomicBucket::try_consume(bucket, tokens(), number()));
    let _ = call!(AtomicBucket::try_consume_with_probe(
        bucket,
        tokens(),
        number()
    ));
    call!(AtomicBucket::consume_up_to(bucket, tokens(), number()));
    call!(AtomicBucket::add(bucket, tokens(), number()));
    call!(AtomicBucket::reset(bucket, number()));
    call!(AtomicBucket::touch(bucket, number()));
    call!(AtomicBucket::available(bucket, number()));
    call!(AtomicBucket::wait(bucket, tokens(), number()));
    call!(AtomicBucket::time_to_full(bucket, number()));
    call!(AtomicBucket::capacity(bucket));
    call!(AtomicBucket::max_idle(bucket));
    call!(AtomicBucket::max_lag(bucket));
}

fn cycle(limiter: &AtomicCycleLimiter) {
    call!(AtomicCycleLimiter::try_acquire(
        limiter,
        permits(),
        number()
    ));
    call!(AtomicCycleLimiter::drain(limiter, number()));
    call!(AtomicCycleLimiter::available(limiter, number()));
    call!(AtomicCycleLimiter::wait(limiter, permits(), number()));
    call!(AtomicCycleLimiter::time_to_full(limiter, number()));
    call!(AtomicCycleLimiter::cycle(limiter, number()));
    call!(AtomicCycleLimiter::limit(limiter));
    call!(AtomicCycleLimiter::max_idle(limiter));
}
