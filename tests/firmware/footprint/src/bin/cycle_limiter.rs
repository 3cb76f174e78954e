//! `CycleLimiter`

#![no_std]
#![no_main]

use tokenweir::{CycleConfig, CycleLimiter, CycleState, Permits, checked};

footprint::measure!(
    CycleLimiter = CycleLimiter::new(checked!(CycleConfig::new(2, 5)), 0),
    |limiter, now| limiter.try_acquire(Permits::ONE, now.into()),
    state CycleState
);
