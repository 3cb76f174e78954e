//! The tiny bucket, as one piece and as a state apart from its configuration.

use core::hint::black_box;
use core::num::NonZeroU32;

use tokenweir::{Bandwidth, TinyBucket, TinyConfig, TinyConfigError, TinyState, checked};

use crate::call;

const LIMIT: Bandwidth = checked!(Bandwidth::greedy(10, 10, 100));

fn now() -> u32 {
    black_box(7)
}

fn some() -> NonZeroU32 {
    black_box(NonZeroU32::MIN)
}

pub(crate) fn call_all() {
    match call!(TinyConfig::new(black_box(LIMIT))) {
        Ok(config) => {
            call!(TinyConfig::capacity(&config));
            call!(TinyConfig::time_to_fill(&config));
            call!(TinyConfig::max_lag(&config));
            bucket(config);
            state(&config);
        }
        Err(error) => {
            call!(TinyConfigError::code(&error));
        }
    }
}

fn bucket(config: TinyConfig) {
    let mut bucket = call!(TinyBucket::new(config, now()));
    call!(TinyBucket::try_consume_one(&mut bucket, now()));
    call!(TinyBucket::try_consume(&mut bucket, some(), now()));
    call!(TinyBucket::consume_up_to(&mut bucket, some(), now()));
    call!(TinyBucket::touch(&mut bucket, now()));
    call!(TinyBucket::available(&bucket, now()));
    call!(TinyBucket::wait(&bucket, some(), now()));
    call!(TinyBucket::time_to_full(&bucket, now()));
    call!(TinyBucket::config(&bucket));
    call!(TinyBucket::state(&bucket));
}

fn state(config: &TinyConfig) {
    let mut state = call!(TinyState::new(config, now()));
    call!(TinyState::try_consume_one(&mut state, config, now()));
    call!(TinyState::try_consume(&mut state, config, some(), now()));
    call!(TinyState::consume_up_to(&mut state, config, some(), now()));
    call!(TinyState::touch(&mut state, now()));
    call!(TinyState::available(&state, config, now()));
    call!(TinyState::wait(&state, config, some(), now()));
    call!(TinyState::time_to_full(&state, now()));
}
