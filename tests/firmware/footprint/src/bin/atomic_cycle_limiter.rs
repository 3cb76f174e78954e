//! `AtomicCycleLimiter`

#![no_std]
#![no_main]

use portable_atomic::AtomicU64;
use tokenweir::{AtomicCycleLimiter, CycleConfig, Permits, checked};

footprint::measure!(
    AtomicCycleLimiter = checked!(AtomicCycleLimiter::new(checked!(CycleConfig::new(2, 5)), 0)),
    |limiter, now| limiter.try_acquire(Permits::ONE, now.into()),
    state AtomicU64
);
