//! Amounts, durations, configurations and their errors.

use core::hint::black_box;
use core::time::Duration;

use tokenweir::{
    AmountError, Bandwidth, BandwidthError, BandwidthId, BucketConfig, ConfigError, CycleConfig,
    CycleConfigError, DurationError, FloatTimeError, FloatUnit, Permits, RateError, TickRate,
    Tokens, Wait,
};

use crate::{call, number, permits, tokens};

pub(crate) fn call_all() {
    amounts();
    durations();
    bandwidths();
    cycles();
}

fn amounts() {
    if let Err(error) = call!(Tokens::new(number())) {
        call!(AmountError::code(&error));
    }
    let _ = call!(Tokens::to_add(number()));
    let _ = call!(Tokens::try_from(i128::from(number())));
    call!(Tokens::get(tokens()));
    let _ = call!(Permits::new(number()));
    let _ = call!(Permits::try_from(i128::from(number())));
    call!(Permits::get(permits()));
}

fn durations() {
    let rate = black_box(TickRate::MILLIS);
    let duration = black_box(Duration::from_millis(7));
    call!(TickRate::from_hz(number()));
    call!(TickRate::hz(rate));
    if let Err(error) = call!(TickRate::ticks(rate, duration)) {
        call!(DurationError::code(&error));
    }
    let _ = call!(TickRate::ticks_floor(rate, duration));
    let _ = call!(TickRate::ticks_ceil(rate, duration));
    call!(TickRate::duration_ceil(rate, number()));

    let (unit, time) = (black_box(FloatUnit::MILLIS), black_box(0.1));
    if let Err(error) = call!(FloatUnit::nearest(unit, time)) {
        call!(FloatTimeError::code(&error));
    }
    let _ = call!(FloatUnit::exact(unit, time));
    let _ = call!(FloatUnit::floor(unit, time));
    let _ = call!(FloatUnit::ceil(unit, time));
    call!(FloatUnit::of_nanos_ceil(unit, number()));

    let wait = black_box(Wait::NONE);
    call!(Wait::ticks(wait));
    call!(Wait::is_none(wait));
    call!(Wait::within(wait, number()));
}

fn bandwidths() {
    let rate = black_box(TickRate::MILLIS);
    let limit = match call!(Bandwidth::greedy(number(), number(), number())) {
        Ok(limit) => limit,
        Err(error) => {
            call!(BandwidthError::code(&error));
            return;
        }
    };
    let _ = call!(Bandwidth::interval(number(), number(), number()));
    let _ = call!(Bandwidth::aligned(number(), number(), number(), number()));
    let _ = call!(Bandwidth::adaptive(number(), number(), number(), number()));
    let _ = call!(Bandwidth::per_second(number(), rate));
    let _ = call!(Bandwidth::per(
        number(),
        Duration::from_secs(number()),
        rate
    ));
    if let Err(error) = call!(Bandwidth::from_rate(
        f64::from_bits(number()),
        number(),
        rate
    )) {
        call!(RateError::code(&error));
    }
    let _ = call!(Bandwidth::with_capacity(limit, number()));
    let _ = call!(Bandwidth::with_initial_tokens(limit, number()));
    let id = call!(BandwidthId::new(number()));
    call!(BandwidthId::of(black_box("burst")));
    call!(BandwidthId::get(id));
    call!(Bandwidth::with_id(limit, id));
    call!(Bandwidth::capacity(&limit));
    call!(Bandwidth::tokens(&limit));
    call!(Bandwidth::period(&limit));
    call!(Bandwidth::refill(&limit));
    call!(Bandwidth::initial_tokens(&limit));
    call!(Bandwidth::id(&limit));
    call!(Bandwidth::is_aligned(&limit));

    let single = call!(BucketConfig::single(limit));
    call!(BucketConfig::is_aligned(&single));
    call!(BucketConfig::bandwidths(&single));
    let _ = call!(BucketConfig::new([limit, limit, limit]));
    let limits = [limit; 3];
    let limits = black_box(limits.as_slice());
    if let Err(error) = call!(BucketConfig::<2>::from_slice(limits)) {
        call!(ConfigError::code(&error));
    }
}

fn cycles() {
    let config = match call!(CycleConfig::new(number(), number())) {
        Ok(config) => config,
        Err(error) => {
            call!(CycleConfigError::code(&error));
            return;
        }
    };
    let _ = call!(CycleConfig::with_limit(config, number()));
    let _ = call!(CycleConfig::with_timeout(config, number()));
    call!(CycleConfig::aligned_to(config, number()));
    call!(CycleConfig::limit(&config));
    call!(CycleConfig::period(&config));
    call!(CycleConfig::timeout(&config));
    call!(CycleConfig::edge(&config));
}
