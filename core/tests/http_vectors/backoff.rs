//! Back-off, and what a timer takes.

use serde_json::Value;
use tokenweir::backoff::{Backoff, BackoffError, Ratio, Retry, timer_millis};
use tokenweir::http::Received;

use crate::{number, optional_number, section, text, wait};

#[test]
fn each_try_is_delayed_or_given_up() {
    let mut tries = 0;
    for case in section("backoff", 15) {
        let name = text(&case, "name");
        let backoff = build(&case).unwrap_or_else(|code| panic!("{name}: {code}"));
        let mut retry = Retry::new(&backoff);
        let mut planned = 0;
        for step in case["tries"].as_array().expect("tries") {
            let random = optional_number(&step["random"]).unwrap_or(0);
            let answer = retry.next_delay(
                &backoff,
                number(&step["elapsed"]),
                random,
                wait(&step["retry_after"]),
            );
            planned += u32::from(answer.is_ok());
            match answer {
                Ok(delay) => assert_eq!(delay.to_string(), text(step, "delay"), "{name}: {step}"),
                Err(error) => assert_eq!(error.code(), text(step, "give_up"), "{name}: {step}"),
            }
            assert_eq!(retry.retries(), planned, "{name}: {step}");
            tries += 1;
        }
    }
    assert_eq!(tries, 51);
}

#[test]
fn a_retry_after_that_cannot_be_read_leaves_it_to_the_back_off() {
    let backoff = Backoff::fixed(400_000_000).expect("a back-off");
    let delay = |value: &str| {
        let wait = Received::parse([("Retry-After", value)], 0)
            .advice()
            .wait(0);
        Retry::new(&backoff).next_delay(&backoff, 0, 0, wait)
    };
    assert_eq!(delay("soon"), Ok(400_000_000));
    assert_eq!(delay("1"), Ok(1_000_000_000));
    // A date in the past asks for nothing, which is no reason to hurry.
    assert_eq!(delay("Thu, 01 Jan 1970 00:00:00 GMT"), Ok(400_000_000));
    let code = delay("9223372037").map_err(|error| error.code());
    assert_eq!(code, Err("retry_after_too_long"));
}

#[test]
fn a_backoff_out_of_range_is_refused() {
    for case in section("backoff_errors", 17) {
        assert_eq!(build(&case).err(), Some(text(&case, "code")), "{case}");
    }
}

#[test]
fn timers_take_milliseconds_up_to_31_bits() {
    for case in section("timers", 7) {
        assert_eq!(timer_millis(number(&case[0])), case[1], "{case}");
    }
}

fn build(case: &Value) -> Result<Backoff, &'static str> {
    let code = |error: BackoffError| error.code();
    let multiplier = match case["multiplier"].as_str() {
        Some(multiplier) => multiplier.parse().map_err(|error| {
            let error: tokenweir::backoff::RatioError = error;
            error.code()
        })?,
        None => Ratio::ONE,
    };
    let mut backoff = Backoff::exponential(number(&case["initial"]), multiplier).map_err(code)?;
    if let Some(max) = optional_number(&case["max"]) {
        backoff = backoff.with_max(max).map_err(code)?;
    }
    if let Some(jitter) = case["jitter"].as_str() {
        backoff = jitter
            .parse()
            .and_then(|jitter| backoff.with_jitter(jitter))
            .map_err(code)?;
    }
    if let Some(retries) = case["max_retries"].as_u64() {
        backoff = backoff.with_max_retries(u32::try_from(retries).expect("retries"));
    }
    if let Some(budget) = optional_number(&case["budget"]) {
        backoff = backoff.with_budget(budget);
    }
    Ok(match optional_number(&case["longest_retry_after"]) {
        Some(longest) => backoff.with_longest_retry_after(longest),
        None => backoff,
    })
}
