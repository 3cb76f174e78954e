//! `CycleLimiter`

#![no_std]
#![no_main]

use tokenweir::{CycleConfig, CycleState, Permits, checked};

const CONFIG: CycleConfig = checked!(CycleConfig::new(2, 5));

footprint::measure!(
    (CycleConfig, CycleState) = (CONFIG, CycleState::new(&CONFIG, 0)),
    |(config, state), now| state.try_acquire(config, Permits::ONE, now.into()),
    state CycleState
);
