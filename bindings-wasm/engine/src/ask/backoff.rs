//! Back-off by number.

use std::cell::RefCell;

use tokenweir::Wait;
use tokenweir::backoff::{Backoff, BackoffError, Jitter, Ratio, RatioError, Retry, timer_millis};

use super::parts::{Parts, put, put_time};
use crate::fault::Fault;
use crate::slab::Slab;

thread_local! {
    static TRIES: RefCell<Slab<(Backoff, Retry)>> = const { RefCell::new(Slab::new()) };
}

/// Gives a sequence of tries up.
pub(super) fn give_up(parts: &mut Parts<'_>) -> Result<(), Fault> {
    let slot = parts.number("backoff")?;
    TRIES.with_borrow_mut(|tries| tries.remove(slot));
    Ok(())
}

/// A new sequence of tries: initial interval, multiplier, maximum, jitter, retries, budget and the longest
/// `Retry-After`. Answers its number.
pub(super) fn backoff(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    let refused =
        |argument| move |error: BackoffError| Fault::new(argument, error.code()).said(error);
    let initial = parts.time("initial")?;
    let multiplier = match parts.optional_text() {
        Some(text) => text
            .parse()
            .map_err(|error: RatioError| Fault::new("multiplier", error.code()).said(error))?,
        None => Ratio::ONE,
    };
    let mut backoff = Backoff::exponential(initial, multiplier).map_err(refused("initial"))?;
    if let Some(max) = parts.optional_time("max")? {
        backoff = backoff.with_max(max).map_err(refused("max"))?;
    }
    if let Some(jitter) = parts.optional_text() {
        let jitter: Jitter = jitter.parse().map_err(refused("jitter"))?;
        backoff = backoff.with_jitter(jitter).map_err(refused("jitter"))?;
    }
    if let Some(retries) = parts.optional_number("maxRetries")? {
        backoff = backoff.with_max_retries(retries);
    }
    if let Some(budget) = parts.optional_time("budget")? {
        backoff = backoff.with_budget(budget);
    }
    if let Some(longest) = parts.optional_time("longestRetryAfter")? {
        backoff = backoff.with_longest_retry_after(longest);
    }
    let retry = Retry::new(&backoff);
    put(
        answer,
        TRIES.with_borrow_mut(|tries| tries.insert((backoff, retry))),
    );
    Ok(())
}

/// The delay before the next try: of which sequence, the time since the first try, 64 random bits, and how
/// long the server asks for. Answers it, or the code of the reason to give up after an empty part.
pub(super) fn delay(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    let slot = parts.number("backoff")?;
    let elapsed = parts.time("elapsed")?;
    let random = parts.number("random")?;
    let retry_after = parts.optional_wait("retryAfter")?.unwrap_or(Wait::NONE);
    TRIES.with_borrow_mut(|tries| {
        let (backoff, retry) = tries.get(slot)?;
        match retry.next_delay(backoff, elapsed, random, retry_after) {
            Ok(delay) => put_time(answer, delay),
            Err(reason) => {
                put(answer, "");
                put(answer, reason.code());
            }
        }
        Ok(())
    })
}

/// What to set a timer to.
pub(super) fn timer(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    put(answer, timer_millis(parts.time("wait")?));
    Ok(())
}
