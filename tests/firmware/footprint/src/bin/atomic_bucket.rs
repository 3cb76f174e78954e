//! `AtomicBucket`

#![no_std]
#![no_main]

use portable_atomic::AtomicU64;
use tokenweir::{AtomicBucket, Bandwidth, Tokens, checked};

footprint::measure!(
    AtomicBucket = checked!(AtomicBucket::new(checked!(Bandwidth::greedy(4, 1, 3)), 0)),
    |bucket, now| bucket.try_consume(Tokens::ONE, now.into()),
    state AtomicU64
);
