//! Decides, and asks neither how much is left nor how long to wait: `test.sh` checks that it contains no
//! division routine, and (as `no_panic` does) it links only if it cannot panic.
//!
//! Configurations are hidden from the optimiser, so that every style of refill is part of the program.

#![no_std]
#![no_main]

use core::cell::Cell;
use core::hint::black_box;

use tokenweir::{
    Bandwidth, Bucket, BucketConfig, ClockedBucket, CycleConfig, CycleLimiter, Permits, TickRate,
    Tokens, WideningClock, checked,
};

board::forbid_panics!();

/// 2 tokens at most, 2 each 10 ticks.
const LIMIT: Bandwidth = checked!(Bandwidth::interval(2, 2, 10));

/// How many of these are granted: the third comes one tick too early.
const INSTANTS: [u64; 4] = [0, 0, 9, 10];
const GRANTED: usize = 3;

#[board::entry]
fn main() -> ! {
    let all = bucket::<1>() && bucket::<2>() && bucket::<3>() && clocked() && cycle();
    board::print_text(if all {
        "decided\n"
    } else {
        "decided wrongly\n"
    });
    board::exit(0)
}

fn grants(mut decide: impl FnMut(u64) -> bool) -> bool {
    INSTANTS.into_iter().filter(|now| decide(*now)).count() == GRANTED
}

fn bucket<const N: usize>() -> bool {
    let Ok(config) = BucketConfig::<N>::new(black_box([LIMIT; N])) else {
        return false;
    };
    let mut bucket = black_box(Bucket::new(config, black_box(0)));
    grants(|now| bucket.try_consume(black_box(Tokens::ONE), black_box(now)))
}

fn clocked() -> bool {
    let counter = Cell::new(0);
    let clock = WideningClock::new(TickRate::MILLIS, || black_box(&counter).get());
    let Ok(mut bucket) = ClockedBucket::new(BucketConfig::single(black_box(LIMIT)), clock) else {
        return false;
    };
    grants(|now| {
        counter.set(now as u32);
        bucket.try_consume(black_box(Tokens::ONE))
    })
}

fn cycle() -> bool {
    let Ok(config) = CycleConfig::new(black_box(2), black_box(10)) else {
        return false;
    };
    let mut limiter = black_box(CycleLimiter::new(config, black_box(0)));
    grants(|now| limiter.try_acquire(black_box(Permits::ONE), black_box(now)))
}
