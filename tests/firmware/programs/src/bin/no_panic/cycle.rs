//! The cycle limiter, as one piece and as a state apart from its configuration.

use core::hint::black_box;

use tokenweir::{CycleConfig, CycleLimiter, CycleRefusal, CycleState, checked};

use crate::{call, number, permits};

const CONFIG: CycleConfig = checked!(CycleConfig::new(10, 100));

pub(crate) fn call_all() {
    limiter(black_box(CONFIG));
    state(&black_box(CONFIG));
}

fn limiter(config: CycleConfig) {
    let mut limiter = call!(CycleLimiter::new(config, number()));
    call!(CycleLimiter::try_acquire(&mut limiter, permits(), number()));
    match call!(CycleLimiter::reserve(&mut limiter, permits(), number())) {
        Ok(reservation) => {
            call!(CycleLimiter::cancel(&mut limiter, reservation, number()));
        }
        Err(refusal) => {
            call!(CycleRefusal::code(&refusal));
        }
    }
    call!(CycleLimiter::drain(&mut limiter, number()));
    call!(CycleLimiter::available(&limiter, number()));
    call!(CycleLimiter::wait(&limiter, permits(), number()));
    call!(CycleLimiter::time_to_full(&limiter, number()));
    call!(CycleLimiter::cycle(&limiter, number()));
    let _ = call!(CycleLimiter::change_limit(&mut limiter, number(), number()));
    let _ = call!(CycleLimiter::change_timeout(&mut limiter, number()));
    call!(CycleLimiter::replace(&mut limiter, config, number()));
    call!(CycleLimiter::config(&limiter));
    call!(CycleLimiter::state(&limiter));
}

fn state(config: &CycleConfig) {
    let mut state = call!(CycleState::new(config, number()));
    call!(CycleState::try_acquire(
        &mut state,
        config,
        permits(),
        number()
    ));
    if let Ok(reservation) = call!(CycleState::reserve(&mut state, config, permits(), number())) {
        call!(CycleState::cancel(
            &mut state,
            config,
            reservation,
            number()
        ));
    }
    call!(CycleState::drain(&mut state, config, number()));
    call!(CycleState::available(&state, config, number()));
    call!(CycleState::wait(&state, config, permits(), number()));
    call!(CycleState::time_to_full(&state, config, number()));
    call!(CycleState::cycle(&state, config, number()));
    call!(CycleState::replaced(&state, config, config, number()));
}
