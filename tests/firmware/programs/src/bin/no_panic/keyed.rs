//! Limiters of many keys, over each state there is, and limiters that count what they refuse.

use core::hint::black_box;
use core::num::NonZeroU32;

use tokenweir::{
    Bandwidth, Bucket, BucketConfig, BucketState, CycleConfig, CycleLimiter, CycleState, Keyed,
    KeyedOutcome, KeyedState, Overflow, Suppressed, TinyBucket, TinyConfig, TinyState, TryTake,
    checked,
};

use crate::{call, number, permits, tokens};

const LIMIT: Bandwidth = checked!(Bandwidth::greedy(10, 10, 100));
const CYCLE: CycleConfig = checked!(CycleConfig::new(10, 100));
const TINY: TinyConfig = checked!(TinyConfig::new(LIMIT));

fn some() -> NonZeroU32 {
    black_box(NonZeroU32::MIN)
}

fn reading() -> u32 {
    black_box(7)
}

pub(crate) fn call_all() {
    keyed::<BucketState<2>>(
        black_box(checked!(BucketConfig::new([LIMIT, LIMIT]))),
        tokens(),
        number(),
    );
    keyed::<CycleState>(black_box(CYCLE), permits(), number());
    keyed::<TinyState>(black_box(TINY), some(), reading());

    suppressed(
        Bucket::new(BucketConfig::single(LIMIT), number()),
        tokens(),
        number(),
    );
    suppressed(CycleLimiter::new(CYCLE, number()), permits(), number());
    suppressed(TinyBucket::new(TINY, reading()), some(), reading());
}

fn keyed<S: KeyedState>(config: S::Config, n: S::Amount, now: S::Instant) {
    let key = &black_box(7_u32);
    let mut keyed = call!(Keyed::<u32, S, 4>::new(config, black_box(Overflow::Share)));
    let outcome = call!(Keyed::<u32, S, 4>::try_take(&mut keyed, key, n, now));
    call!(KeyedOutcome::is_granted(outcome));
    call!(Keyed::<u32, S, 4>::wait(&mut keyed, key, n, now));
    call!(Keyed::<u32, S, 4>::release(&mut keyed, now));
    call!(Keyed::<u32, S, 4>::get(&keyed, key));
    call!(Keyed::<u32, S, 4>::len(&keyed));
    call!(Keyed::<u32, S, 4>::is_empty(&keyed));
    call!(Keyed::<u32, S, 4>::config(&keyed));
}

fn suppressed<L: TryTake<Amount: Copy, Instant: Copy>>(limiter: L, n: L::Amount, now: L::Instant) {
    let mut limiter = call!(Suppressed::<L>::new(limiter));
    call!(Suppressed::<L>::try_take(&mut limiter, n, now));
    call!(Suppressed::<L>::suppressed(&limiter));
    call!(Suppressed::<L>::take_suppressed(&mut limiter));
    call!(Suppressed::<L>::limiter(&limiter));
    let inner: &mut L = call!(Suppressed::<L>::limiter_mut(&mut limiter));
    call!(L::try_take(inner, n, now));
}
