//! Budgets that outlive a power cycle.

use core::hint::black_box;

use tokenweir::{
    Bandwidth, Bucket, BucketConfig, CycleConfig, CycleLimiter, SavedError, TinyBucket, TinyConfig,
    checked,
};

use crate::{call, number};

const LIMIT: Bandwidth = checked!(Bandwidth::greedy(10, 10, 100));
const BUCKET: BucketConfig<1> = BucketConfig::single(LIMIT);
const CYCLE: CycleConfig = checked!(CycleConfig::new(10, 100));
const TINY: TinyConfig = checked!(TinyConfig::new(LIMIT));

pub(crate) fn call_all() {
    let off = black_box(Some(7));

    let saved = call!(Bucket::save(&Bucket::new(BUCKET, number()), number()));
    let saved = black_box(saved.as_slice());
    if let Err(error) = call!(Bucket::load(black_box(BUCKET), saved, off, number())) {
        call!(SavedError::code(&error));
    }

    let saved = call!(CycleLimiter::save(
        &CycleLimiter::new(CYCLE, number()),
        number()
    ));
    let saved = black_box(saved.as_slice());
    let _ = call!(CycleLimiter::load(black_box(CYCLE), saved, off, number()));

    let reading = black_box(7_u32);
    let saved = call!(TinyBucket::save(&TinyBucket::new(TINY, reading), reading));
    let saved = black_box(saved.as_slice());
    let _ = call!(TinyBucket::load(black_box(TINY), saved, off, reading));
}
