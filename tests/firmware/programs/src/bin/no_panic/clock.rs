//! Clocks, and the limiters that read one.

use core::hint::black_box;

use tokenweir::{
    Bandwidth, Bucket, BucketConfig, Clock, ClockedBucket, ClockedCycle, CycleConfig, ManualClock,
    TickRate, TokensInheritance, Widening, WideningClock, checked,
};

use crate::{call, exhaust, number, permits, tokens};

const LIMIT: Bandwidth = checked!(Bandwidth::greedy(10, 10, 100));
const CYCLE: CycleConfig = checked!(CycleConfig::new(10, 100));

pub(crate) fn call_all() {
    let clock = call!(ManualClock::new(number()));
    let clock = call!(ManualClock::into_wall(clock));
    call!(ManualClock::with_rate(
        number(),
        black_box(TickRate::MILLIS)
    ));
    call!(ManualClock::set(&clock, number()));
    call!(ManualClock::advance(&clock, number()));

    let mut widening = call!(Widening::new());
    call!(Widening::default());
    call!(Widening::widen(&mut widening, black_box(7_u32)));
    let counter = call!(WideningClock::new(black_box(TickRate::MILLIS), || {
        black_box(7)
    }));
    read(&counter);
    read(&clock);

    let config = black_box(BucketConfig::single(LIMIT));
    bucket(config, &clock);
    cycle(black_box(CYCLE), &clock);
}

fn read(clock: &dyn Clock) {
    let clock = black_box(clock);
    black_box(clock.now());
    black_box(clock.rate());
    black_box(clock.is_wall());
}

fn bucket(config: BucketConfig<1>, clock: &ManualClock) {
    let Ok(mut bucket) = call!(ClockedBucket::new(config, clock)) else {
        return;
    };
    call!(ClockedBucket::try_consume(&mut bucket, tokens()));
    let _ = call!(ClockedBucket::try_consume_with_probe(&mut bucket, tokens()));
    let _ = call!(ClockedBucket::estimate(&bucket, tokens()));
    call!(ClockedBucket::consume_up_to(&mut bucket, tokens()));
    let _ = call!(ClockedBucket::consume_ignoring_limits(
        &mut bucket,
        tokens()
    ));
    if let Ok(reservation) = call!(ClockedBucket::reserve(&mut bucket, tokens(), number())) {
        call!(ClockedBucket::cancel(&mut bucket, reservation));
    }
    call!(ClockedBucket::add(&mut bucket, tokens()));
    call!(ClockedBucket::force_add(&mut bucket, tokens()));
    call!(ClockedBucket::reset(&mut bucket));
    call!(ClockedBucket::available(&bucket));
    exhaust(call!(ClockedBucket::available_of_each(&bucket)));
    call!(ClockedBucket::time_to_full(&bucket));
    let _ = call!(ClockedBucket::replace(
        &mut bucket,
        config,
        black_box(TokensInheritance::AsIs)
    ));
    let inner: &Bucket<1> = call!(ClockedBucket::bucket(&bucket));
    let _ = call!(ClockedBucket::with_bucket(*inner, clock));
    call!(ClockedBucket::clock(&bucket));
}

fn cycle(config: CycleConfig, clock: &ManualClock) {
    let Ok(mut limiter) = call!(ClockedCycle::new(config, clock)) else {
        return;
    };
    call!(ClockedCycle::try_acquire(&mut limiter, permits()));
    if let Ok(reservation) = call!(ClockedCycle::reserve(&mut limiter, permits())) {
        call!(ClockedCycle::cancel(&mut limiter, reservation));
    }
    call!(ClockedCycle::drain(&mut limiter));
    call!(ClockedCycle::available(&limiter));
    call!(ClockedCycle::wait(&limiter, permits()));
    call!(ClockedCycle::time_to_full(&limiter));
    call!(ClockedCycle::cycle(&limiter));
    let _ = call!(ClockedCycle::change_limit(&mut limiter, number()));
    let _ = call!(ClockedCycle::change_timeout(&mut limiter, number()));
    let _ = call!(ClockedCycle::replace(&mut limiter, config));
    call!(ClockedCycle::limiter(&limiter));
    call!(ClockedCycle::clock(&limiter));
}
