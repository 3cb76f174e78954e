//! `TinyBucket`

#![no_std]
#![no_main]

use tokenweir::{Bandwidth, TinyBucket, TinyConfig, TinyState, checked};

const CONFIG: TinyConfig = checked!(TinyConfig::new(checked!(Bandwidth::greedy(4, 1, 3))));

footprint::measure!(
    TinyBucket = TinyBucket::new(CONFIG, 0),
    |bucket, now| bucket.try_consume_one(now),
    state TinyState
);
