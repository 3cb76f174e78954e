//! `Bucket<1>`, greedy

#![no_std]
#![no_main]

use tokenweir::{Bandwidth, BucketConfig, BucketState, Tokens, checked};

const CONFIG: BucketConfig<1> = BucketConfig::single(checked!(Bandwidth::greedy(4, 1, 3)));

footprint::measure!(
    (BucketConfig<1>, BucketState<1>) = (CONFIG, BucketState::new(&CONFIG, 0)),
    |(config, state), now| state.try_consume(config, Tokens::ONE, now.into()),
    state BucketState<1>
);
