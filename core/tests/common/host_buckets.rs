//! Runs every recorded bucket scenario through the host layer.

use super::subject::Subject;
use super::{expected, instant, integer, name, optional, scenarios, shifted};
use serde_json::{Value, json};
use tokenweir::signed::{self, SignedBandwidth, SignedRefill};
use tokenweir::{
    Bandwidth, Limit, Limits, ReserveError, TickRate, Tokens, TokensInheritance, Wait,
};

/// What the limiter has no operation for: counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LeftOut {
    /// A store's command, run through the stored state.
    remote: usize,
    /// Another library's bytes.
    foreign_bytes: usize,
}

/// Runs all of them, and checks that none was missed.
pub(crate) fn run_all<S: Subject>() {
    let file = super::vectors("bucket4j.json");
    let (mut ran, mut steps, mut left_out) = (0, 0, LeftOut::default());
    for scenario in scenarios(&file) {
        if scenario.get("config").is_none() {
            left_out.remote += 1;
            continue;
        }
        steps += run::<S>(scenario, &mut left_out);
        ran += 1;
    }
    assert_eq!((ran, steps), (863, 18_922));
    let expected = LeftOut {
        remote: 3,
        foreign_bytes: 3,
    };
    assert_eq!(left_out, expected);
}

fn run<S: Subject>(scenario: &Value, left_out: &mut LeftOut) -> usize {
    let must_fail = match scenario.get("expect_error") {
        Some(code) => code.as_str(),
        None => scenario.get("construction_error").and_then(Value::as_str),
    };
    let start = instant(&scenario["start_ns"]);
    let is_wall = scenario["clock"] == "wall";
    let built = limits(&scenario["config"]["bandwidths"]).and_then(|limits| {
        match limits.check_clock(is_wall) {
            Ok(()) => Ok(limits),
            Err(error) => Err(error.code()),
        }
    });
    let limits = match (built, must_fail) {
        (Ok(limits), None) => limits,
        (Err(code), Some(expected)) => {
            assert_eq!(code, expected, "{}", name(scenario));
            return 0;
        }
        (built, must_fail) => panic!("{}: {built:?}, expected {must_fail:?}", name(scenario)),
    };
    let mut limiter = S::make(limits, start);
    let mut ran = 0;
    for (index, step) in scenario["steps"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        if step["op"] == "remote_state_hex" {
            left_out.foreign_bytes += 1;
            continue;
        }
        let before = limiter.clone();
        let answer = answer(&mut limiter, step);
        let at = format!("{} step {index}: {step}", name(scenario));
        assert_eq!(answer, held(expected(step)), "{at}\nbefore: {before:?}");
        if refused(&answer) {
            assert_eq!(limiter, before, "{at}: a refusal changed it");
        }
        ran += 1;
    }
    ran
}

/// An answer as 64-bit tokens hold it: one scenario scales a debt to -2^125 tokens, which is held at
/// `i64::MIN`.
fn held(expected: &Value) -> Value {
    match expected {
        Value::String(text) => match text.parse::<i128>() {
            Ok(number) => json!(number.max(i64::MIN.into()).to_string()),
            Err(_) => expected.clone(),
        },
        Value::Array(items) => items.iter().map(held).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), held(value)))
            .collect(),
        other => other.clone(),
    }
}

/// Whether the answer says that nothing was taken.
fn refused(answer: &Value) -> bool {
    let error = answer.get("error");
    answer == &json!(false)
        || error.is_some_and(|code| code != "interrupted")
        || ["consumed", "acquired"]
            .iter()
            .any(|key| answer.get(key) == Some(&json!(false)))
        || answer.get("future") == Some(&json!("rejected"))
}

fn limits(bandwidths: &Value) -> Result<Limits, &'static str> {
    let bandwidths = bandwidths.as_array().expect("bandwidths");
    let limits = bandwidths
        .iter()
        .map(|numbers| {
            let limit = Limit::bandwidth(bandwidth(numbers)?);
            Ok(match numbers["id"].as_str() {
                Some(name) => limit.named(name),
                None => limit,
            })
        })
        .collect::<Result<Vec<_>, &'static str>>()?;
    Limits::new(limits).map_err(|error| error.code())
}

fn bandwidth(numbers: &Value) -> Result<Bandwidth, &'static str> {
    let refill = &numbers["refill"];
    let first = match optional(&refill["first_refill_ms"]) {
        Some(millis) => Some(millis * 1_000_000),
        None => optional(&refill["first_refill_ns"]),
    };
    let first_refill = first.unwrap_or(0);
    let signed = SignedBandwidth {
        capacity: integer(&numbers["capacity"]),
        tokens: integer(&refill["tokens"]),
        period: match optional(&refill["period_s"]) {
            Some(seconds) => seconds.saturating_mul(1_000_000_000),
            None => integer(&refill["period_ns"]),
        },
        refill: match refill["style"].as_str().expect("a style") {
            "greedy" => SignedRefill::Greedy,
            "intervally" => SignedRefill::Interval,
            "intervally_aligned" => SignedRefill::Aligned { first_refill },
            "intervally_aligned_adaptive" => SignedRefill::Adaptive { first_refill },
            other => panic!("refill style {other}"),
        },
        initial_tokens: optional(&numbers["initial_tokens"]),
    };
    let built = signed.build().map_err(|error| error.code())?;
    // The recorded instants are signed; the edge moves with them, once it is known to be in range.
    let (capacity, tokens, period) = (built.capacity(), built.tokens(), built.period());
    let moved = match signed.refill {
        SignedRefill::Greedy | SignedRefill::Interval => return Ok(built),
        SignedRefill::Aligned { first_refill } => {
            Bandwidth::aligned(capacity, tokens, period, shifted(first_refill))
        }
        SignedRefill::Adaptive { first_refill } => {
            Bandwidth::adaptive(capacity, tokens, period, shifted(first_refill))
        }
    };
    let moved = moved.and_then(|moved| match built.initial_tokens() {
        Some(tokens) => moved.with_initial_tokens(tokens),
        None => Ok(moved),
    });
    moved.map_err(|error| error.code())
}

/// Performs a step and gives the answer in the form of the file.
fn answer(limiter: &mut impl Subject, step: &Value) -> Value {
    match attempt(limiter, step) {
        Ok(answer) => answer,
        Err(code) => json!({ "error": code }),
    }
}

fn attempt(limiter: &mut impl Subject, step: &Value) -> Result<Value, &'static str> {
    let now = instant(&step["at_ns"]);
    let args = &step["args"];
    let cost = || Tokens::try_from(integer(&args["n"])).map_err(|error| error.code());
    let added = || signed::tokens_to_add(integer(&args["n"])).map_err(|error| error.code());
    let max_wait = || signed::max_wait(integer(&args["max_wait_ns"])).map_err(|error| error.code());
    Ok(match step["op"].as_str().expect("an operation") {
        "try_consume" => json!(limiter.try_acquire(cost()?, now)),
        "try_consume_and_return_remaining" => {
            let decision = limiter.check(cost()?, now);
            json!({
                "consumed": decision.allowed,
                "remaining": limiter.available(now).max(0).to_string(),
                "wait_refill_ns": wait(decision.retry_after),
                "wait_reset_ns": wait(limiter.time_to_full(now)),
            })
        }
        "estimate_ability_to_consume" => {
            let decision = limiter.peek(cost()?, now);
            json!({
                "can_be_consumed": decision.allowed,
                "remaining": limiter.available(now).max(0).to_string(),
                "wait_refill_ns": wait(decision.retry_after),
            })
        }
        "try_consume_as_much_as_possible" => {
            let most = match args.get("limit") {
                None => Tokens::MAX,
                Some(limit) => Tokens::try_from(integer(limit)).map_err(|error| error.code())?,
            };
            json!(limiter.acquire_up_to(most, now).to_string())
        }
        "consume_ignoring_rate_limits" => {
            let wait = limiter.acquire_ignoring_limits(cost()?, now);
            json!(wait.map_err(|error| error.code())?.to_string())
        }
        "add_tokens" => {
            limiter.refund(added()?, now);
            Value::Null
        }
        "force_add_tokens" => {
            limiter.force_add(added()?, now);
            Value::Null
        }
        "reset" => {
            limiter.reset(now);
            Value::Null
        }
        "get_available_tokens" => json!(limiter.available(now).to_string()),
        "verbose_available_tokens" => {
            verbose(limiter, json!(limiter.available(now).to_string()), now)
        }
        "verbose_try_consume" => {
            let consumed = limiter.try_acquire(cost()?, now);
            verbose(limiter, json!(consumed), now)
        }
        "blocking_try_consume" => {
            let cost = cost()?;
            match limiter.reserve(cost, max_wait()?, now) {
                Ok(reservation) => {
                    json!({ "acquired": true, "park_ns": reservation.wait().to_string() })
                }
                Err(ReserveError::NotInTime { .. }) => json!({ "acquired": false, "park_ns": "0" }),
                Err(error) => return Err(error.code()),
            }
        }
        "blocking_try_consume_interrupted" => {
            // The interruption is the caller's affair: the tokens stay taken.
            let taken = limiter.reserve(cost()?, max_wait()?, now);
            assert!(taken.is_ok_and(|reservation| reservation.wait() > 0));
            return Err("interrupted");
        }
        "blocking_consume" => {
            let wait = limiter.acquire_ignoring_limits(cost()?, now);
            let wait = wait.map_err(|error| error.code())?;
            json!({ "acquired": true, "park_ns": wait.to_string() })
        }
        "scheduler_try_consume" => {
            // The reference checks the wait before the amount.
            let max_wait = max_wait()?;
            match limiter.reserve(cost()?, max_wait, now) {
                Ok(reservation) => future(reservation.wait()),
                Err(ReserveError::NotInTime { .. }) => {
                    json!({ "future": "rejected", "delay_ns": "0" })
                }
                Err(error) => return Err(error.code()),
            }
        }
        "scheduler_consume" => {
            let wait = limiter.acquire_ignoring_limits(cost()?, now);
            future(wait.map_err(|error| error.code())?)
        }
        "replace_configuration" => {
            let inheritance = match args["strategy"].as_str().expect("a strategy") {
                "AS_IS" => TokensInheritance::AsIs,
                "PROPORTIONALLY" => TokensInheritance::Proportional,
                "ADDITIVE" => TokensInheritance::Additive,
                "RESET" => TokensInheritance::Reset,
                other => panic!("strategy {other}"),
            };
            limiter.update(limits(&args["bandwidths"])?, inheritance, now);
            Value::Null
        }
        "ttl_millis" => time_to_live(limiter, args, now),
        other => panic!("operation {other}"),
    })
}

fn future(wait: u64) -> Value {
    let state = if wait == 0 { "done" } else { "pending" };
    json!({ "future": state, "delay_ns": wait.to_string() })
}

fn verbose(limiter: &impl Subject, value: Value, now: u64) -> Value {
    let each = limiter
        .statuses(now)
        .into_iter()
        .map(|status| status.available.to_string());
    json!({
        "value": value,
        "per_bandwidth": each.collect::<Vec<_>>(),
        "full_refill_ns": wait(limiter.time_to_full(now)),
    })
}

/// How long a store keeps the state: until it is full, in milliseconds rounded up.
fn time_to_live(limiter: &impl Subject, args: &Value, now: u64) -> Value {
    let millis = optional(&args["millis"]).unwrap_or(0);
    let ttl = match args["strategy"].as_str().expect("a strategy") {
        "none" => -1,
        "fixed" => millis,
        "based_on_refill" => {
            let full = limiter.time_to_full(now).ticks().unwrap_or(i64::MAX as u64);
            let full = TickRate::NANOS.duration_ceil(full);
            let full = TickRate::MILLIS.ticks_ceil(full).expect("in range");
            (millis + i128::from(full)).clamp(1, i64::MAX.into())
        }
        other => panic!("strategy {other}"),
    };
    json!(ttl.to_string())
}

/// The file writes "never" as i64::MAX.
fn wait(wait: Wait) -> Value {
    json!(wait.ticks().unwrap_or(i64::MAX as u64).to_string())
}
