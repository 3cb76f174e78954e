//! better-bucket 1.1 (`BucketCore`)

#![no_std]
#![no_main]

use core::time::Duration;

use better_bucket::{BucketConfig, BucketCore};
use portable_atomic::AtomicU64;

/// One token each 3 s; a tick of the others is a second here, the duration that is cheapest to make.
const CONFIG: BucketConfig = match BucketConfig::new(4, 1, Duration::from_secs(3), 4) {
    Ok(config) => config,
    Err(_) => panic!(),
};

footprint::measure!(
    BucketCore = new BucketCore::new(CONFIG, Duration::ZERO),
    |bucket, now| bucket.try_acquire_at(1, Duration::from_secs(now.into())),
    state AtomicU64
);
