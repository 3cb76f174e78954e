//! Decides, and asks neither how much is left nor how long to wait: `test.sh` checks that it contains no
//! division routine, and (as `no_panic` does) it links only if it cannot panic.
//!
//! Configurations are hidden from the optimiser, so that every style of refill is part of the program.

#![no_std]
#![no_main]

use core::cell::Cell;
use core::hint::black_box;

use core::num::NonZeroU32;

use tokenweir::{
    AtomicBucket, AtomicCycleLimiter, Bandwidth, Bucket, BucketConfig, ClockedBucket, CycleConfig,
    CycleLimiter, Keyed, Overflow, Permits, Suppressed, TickRate, TinyBucket, TinyConfig,
    TinyState, Tokens, WideningClock, checked,
};

board::forbid_panics!();

/// 2 tokens at most, 2 each 10 ticks.
const LIMIT: Bandwidth = checked!(Bandwidth::interval(2, 2, 10));

/// The same as long as nobody looks beyond tick 10, for those that refill greedily only.
const GREEDY: Bandwidth = checked!(Bandwidth::greedy(2, 1, 10));
const TINY: TinyConfig = checked!(TinyConfig::new(GREEDY));
const CYCLE: CycleConfig = checked!(CycleConfig::new(2, 10));
static SHARED: AtomicBucket = checked!(AtomicBucket::new(GREEDY, 0));
static SHARED_CYCLE: AtomicCycleLimiter = checked!(AtomicCycleLimiter::new(CYCLE, 0));

/// How many of these are granted: the third comes one tick too early.
const INSTANTS: [u64; 4] = [0, 0, 9, 10];
const GRANTED: usize = 3;

#[board::entry]
fn main() -> ! {
    let buckets = bucket::<1>() && bucket::<2>() && bucket::<3>();
    let others = clocked() && cycle() && tiny() && atomic() && keyed() && suppressed();
    board::print_text(if buckets && others {
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
    let mut limiter = black_box(CycleLimiter::new(black_box(CYCLE), black_box(0)));
    grants(|now| limiter.try_acquire(black_box(Permits::ONE), black_box(now)))
}

fn tiny() -> bool {
    let mut bucket = black_box(TinyBucket::new(TINY, black_box(0)));
    let mut another = black_box(TinyBucket::new(TINY, black_box(0)));
    grants(|now| bucket.try_consume_one(black_box(now as u32)))
        && grants(|now| another.try_consume(black_box(NonZeroU32::MIN), black_box(now as u32)))
}

fn atomic() -> bool {
    let (bucket, limiter) = (black_box(&SHARED), black_box(&SHARED_CYCLE));
    grants(|now| bucket.try_consume(black_box(Tokens::ONE), black_box(now)))
        && grants(|now| limiter.try_acquire(black_box(Permits::ONE), black_box(now)))
}

fn keyed() -> bool {
    let mut keyed = Keyed::<u32, TinyState, 4>::new(black_box(TINY), black_box(Overflow::Deny));
    grants(|now| {
        let outcome = keyed.try_take(&black_box(7), NonZeroU32::MIN, black_box(now as u32));
        outcome.is_granted()
    })
}

fn suppressed() -> bool {
    let mut bucket = Suppressed::new(black_box(TinyBucket::new(TINY, black_box(0))));
    grants(|now| {
        bucket
            .try_take(black_box(NonZeroU32::MIN), black_box(now as u32))
            .is_some()
    })
}
