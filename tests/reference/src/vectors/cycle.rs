//! The fixed-cycle limiter's vectors.

use super::{Report, integer, items, name, scenarios, text};
use crate::{CycleLimiter, Error};
use num_bigint::BigInt;
use serde_json::{Value, json};

/// Runs all scenarios of a file against [`CycleLimiter`].
///
/// # Errors
/// Why it could not be read as such a file.
pub fn run(json: &str) -> Result<Report, String> {
    let mut report = Report::default();
    for scenario in &scenarios(json)? {
        let failed = |error| format!("{}: {error}", name(scenario));
        run_scenario(scenario, &mut report).map_err(failed)?;
    }
    Ok(report)
}

fn run_scenario(scenario: &Value, report: &mut Report) -> Result<(), String> {
    report.scenarios += 1;
    let name = name(scenario);
    let config = &scenario["config"];
    let start = integer(&config["clock_start_ns"])?;
    let built = CycleLimiter::new(
        integer(&config["limit_for_period"])?,
        integer(&config["limit_refresh_period_ns"])?,
        integer(&config["timeout_ns"])?,
        start.clone(),
    );
    let error = built
        .as_ref()
        .err()
        .map_or(Value::Null, |error| error.code().into());
    let wanted = &scenario["construct_error"]["error"];
    report.compare(&format!("{name}: construction"), &error, wanted);
    let Ok(mut limiter) = built else {
        report.rejected += 1;
        return Ok(());
    };
    for (index, step) in items(&scenario["steps"]).iter().enumerate() {
        let operation = step["op"].as_str().unwrap_or_default();
        let what = format!("{name}: step {index}: {operation}");
        // What differs from the recording replaces it, part by part.
        let wanted = |part: &str| step["expect"].get(part).or_else(|| step.get(part));
        let now = &start + integer(&step["at_ns"])?;
        if operation == "waiting" {
            // Threads that are parked: the host's, not the limiter's.
            report.skipped += 1;
        } else {
            let ran = run_step(&mut limiter, operation, &step["args"], &now)?;
            let (answer, drained) = match ran {
                Ok(ran) => ran,
                Err(error) => (json!({ "error": error.code() }), None),
            };
            let result = without_exception(wanted("result").unwrap_or(&Value::Null));
            report.compare(&what, &answer, &result);
            report.steps += 1;
            if let Some(events) = wanted("events") {
                let count = drained.as_ref().map_or(Value::Null, number);
                report.compare(&format!("{what}: drained"), &count, &drain_event(events));
                report.drains += usize::from(drained.is_some());
            }
        }
        if let Some(available) = wanted("available") {
            let got = number(&limiter.available(now));
            report.compare(&format!("{what}: available after it"), &got, available);
            report.available += 1;
        }
    }
    Ok(())
}

/// The answer to a step, and how many permits it drained if it did.
type Ran = (Value, Option<BigInt>);

/// Runs one step. The outer error is about the file, the inner one is the answer.
fn run_step(
    limiter: &mut CycleLimiter,
    operation: &str,
    args: &Value,
    now: &BigInt,
) -> Result<Result<Ran, Error>, String> {
    let n = || integer(&args["n"]);
    let now = now.clone();
    let answer = match operation {
        "acquire" => limiter.try_acquire(n()?, now).map(Value::Bool),
        "reserve" => limiter
            .reserve(n()?, now)
            .map(|permit| text(&permit.map_or_else(|| BigInt::from(-1), |permit| permit.wait))),
        "drain" => return Ok(Ok((Value::Null, Some(limiter.drain(now))))),
        "call" => return call(limiter, &n()?, &args["outcome"], &now),
        "on_error" => {
            let drained = (args["drain"] == true).then(|| limiter.drain(now));
            return Ok(Ok((Value::Null, drained)));
        }
        "change_limit" => limiter
            .change_limit(integer(&args["limit_for_period"])?, now)
            .map(|()| Value::Null),
        "change_timeout" => limiter
            .change_timeout(integer(&args["timeout_ns"])?)
            .map(|()| Value::Null),
        "available" => Ok(number(&limiter.available(now))),
        "nanos_to_wait" => limiter
            .wait(1, now)
            .map(|wait| text(&wait.unwrap_or_else(never))),
        "cycle" => Ok(text(&limiter.cycle(now))),
        "config" => Ok(json!({
            "limit_for_period": number(limiter.limit()),
            "limit_refresh_period_ns": text(limiter.period()),
            "timeout_ns": text(limiter.timeout()),
        })),
        other => return Err(format!("unknown operation {other}")),
    };
    Ok(answer.map(|answer| (answer, None)))
}

/// A guarded call: permits first, and a drain if its outcome asks for one.
fn call(
    limiter: &mut CycleLimiter,
    n: &BigInt,
    outcome: &Value,
    now: &BigInt,
) -> Result<Result<Ran, Error>, String> {
    let (answer, drains) = match outcome.as_str() {
        Some("ok") => ("ok", false),
        Some("drain_ok") => ("ok", true),
        Some("error") => ("error", false),
        Some("drain_error") => ("error", true),
        other => return Err(format!("unknown outcome {other:?}")),
    };
    Ok(limiter.try_acquire(n.clone(), now.clone()).map(|granted| {
        if !granted {
            return (Value::from("rejected"), None);
        }
        (
            Value::from(answer),
            drains.then(|| limiter.drain(now.clone())),
        )
    }))
}

/// An error as recorded, without the name of the exception.
fn without_exception(result: &Value) -> Value {
    match result.get("error") {
        Some(error) => json!({ "error": error }),
        None => result.clone(),
    }
}

/// The count of the drain among the events of a step.
fn drain_event(events: &Value) -> Value {
    let drained = items(events)
        .iter()
        .find(|event| event["type"] == "drained");
    drained.map_or(Value::Null, |event| event["n"].clone())
}

/// How these vectors write "never": unlike those of buckets as one more than the longest wait, which is a wait
/// like any other here.
fn never() -> BigInt {
    BigInt::from(i64::MAX) + 1
}

/// How these vectors write a number of permits.
fn number(value: &BigInt) -> Value {
    i64::try_from(value).map_or_else(|_| text(value), Value::from)
}
