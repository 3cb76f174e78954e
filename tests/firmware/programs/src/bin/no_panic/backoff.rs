//! Back-off.

use core::hint::black_box;
use core::str::FromStr as _;

use tokenweir::Wait;
use tokenweir::backoff::{
    Backoff, BackoffError, GiveUp, Jitter, Ratio, RatioError, Retry, timer_millis,
};

use crate::{call, number};

fn small_number() -> u32 {
    black_box(7)
}

pub(crate) fn call_all() {
    let ratio = match call!(Ratio::new(small_number(), small_number())) {
        Ok(ratio) => ratio,
        Err(error) => {
            call!(RatioError::code(&error));
            return;
        }
    };
    call!(Ratio::whole(small_number()));
    call!(Ratio::numerator(ratio));
    call!(Ratio::denominator(ratio));
    call!(Ratio::is_above_one(ratio));
    let _ = call!(Ratio::from_str(black_box("0.5")));
    let _ = call!(Jitter::from_str(black_box("full")));
    call!(timer_millis(number()));

    match call!(Backoff::exponential(number(), ratio)) {
        Ok(backoff) => intervals(backoff, ratio),
        Err(error) => {
            call!(BackoffError::code(&error));
        }
    }
}

fn intervals(backoff: Backoff, ratio: Ratio) {
    let _ = call!(Backoff::fixed(number()));
    let _ = call!(Backoff::with_max(backoff, number()));
    let _ = call!(Backoff::with_jitter(
        backoff,
        black_box(Jitter::Randomized { factor: ratio })
    ));
    let backoff = call!(Backoff::with_max_retries(backoff, small_number()));
    call!(Backoff::with_budget(backoff, number()));
    call!(Backoff::with_longest_retry_after(backoff, number()));
    let _ = call!(Backoff::interval(&backoff, small_number()));
    call!(Backoff::jittered(&backoff, number(), number()));
    let mut retry = call!(Retry::new(&backoff));
    let wait = black_box(Wait::NONE);
    if let Err(error) = call!(Retry::next_delay(
        &mut retry,
        &backoff,
        number(),
        number(),
        wait
    )) {
        call!(GiveUp::code(&error));
    }
    call!(Retry::retries(&retry));
}
