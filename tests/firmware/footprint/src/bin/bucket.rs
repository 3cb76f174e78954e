//! `Bucket<1>`

#![no_std]
#![no_main]

use tokenweir::{Bandwidth, Bucket, BucketConfig, BucketState, Tokens, checked};

const LIMIT: Bandwidth = checked!(Bandwidth::greedy(4, 1, 3));

footprint::measure!(
    Bucket<1> = Bucket::new(BucketConfig::single(LIMIT), 0),
    |bucket, now| bucket.try_consume(Tokens::ONE, now.into()),
    state BucketState<1>
);
