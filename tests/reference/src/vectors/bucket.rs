//! The token bucket's vectors.

use super::{Report, integer, items, name, optional, scenarios, text, wait};
use crate::{Bandwidth, Bucket, Error, Inheritance, Reservation, Style};
use num_bigint::BigInt;
use serde_json::{Value, json};

/// Runs all scenarios of a file against [`Bucket`].
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
    let Some(config) = scenario.get("config") else {
        // A store entry that several callers share: nothing one bucket can express.
        report.skipped += items(&scenario["steps"]).len();
        return Ok(());
    };
    report.scenarios += 1;
    let name = name(scenario);
    let bandwidths = bandwidths(&config["bandwidths"])?;
    let start = integer(&scenario["start_ns"])?;
    let built = Bandwidth::validate_all(&bandwidths)
        .and_then(|()| Bandwidth::validate_instants(&bandwidths))
        .and_then(|()| Bandwidth::validate_clock(&bandwidths, scenario["clock"] == "wall"))
        .and_then(|()| Bucket::new(bandwidths, start));
    let wanted = scenario
        .get("expect_error")
        .unwrap_or(&scenario["construction_error"]);
    let error = built
        .as_ref()
        .err()
        .map_or(Value::Null, |error| error.code().into());
    report.compare(&format!("{name}: construction"), &error, wanted);
    let Ok(mut bucket) = built else {
        report.rejected += 1;
        return Ok(());
    };
    for (index, step) in items(&scenario["steps"]).iter().enumerate() {
        let operation = step["op"].as_str().unwrap_or_default();
        if operation.starts_with("remote_") {
            report.skipped += 1;
            continue;
        }
        let now = integer(&step["at_ns"])?;
        let got = match run_step(&mut bucket, operation, &step["args"], &now)? {
            Ok(answer) => answer,
            Err(error) => json!({ "error": error.code() }),
        };
        let wanted = held(step.get("expect").unwrap_or(&step["result"]));
        report.compare(&format!("{name}: step {index}: {operation}"), &got, &wanted);
        report.steps += 1;
    }
    if let Some(wanted) = scenario.get("final_expect") {
        report.compare(
            &format!("{name}: final state"),
            &state(&bucket),
            &held(wanted),
        );
        report.final_states += 1;
    }
    Ok(())
}

/// What is wanted, with tokens of 64 bits: one scenario scales a debt to -2^125 tokens, which is held at
/// `i64::MIN`.
fn held(wanted: &Value) -> Value {
    match wanted {
        Value::String(text) => match text.parse::<BigInt>() {
            Ok(number) => number.max(i64::MIN.into()).to_string().into(),
            Err(_) => wanted.clone(),
        },
        Value::Array(items) => items.iter().map(held).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), held(value)))
            .collect(),
        other => other.clone(),
    }
}

/// Runs one step. The outer error is about the file, the inner one is the answer.
fn run_step(
    bucket: &mut Bucket,
    operation: &str,
    args: &Value,
    now: &BigInt,
) -> Result<Result<Value, Error>, String> {
    let n = || integer(&args["n"]);
    let longest = || integer(&args["max_wait_ns"]);
    let now = now.clone();
    Ok(match operation {
        "try_consume" => bucket.try_consume(n()?, now).map(Value::Bool),
        "try_consume_and_return_remaining" => bucket.probe(n()?, now).map(|probe| {
            json!({
                "consumed": probe.consumed,
                "remaining": text(&probe.remaining),
                "wait_refill_ns": wait(probe.wait.as_ref()),
                "wait_reset_ns": wait(probe.reset.as_ref()),
            })
        }),
        "estimate_ability_to_consume" => bucket.estimate(n()?, now).map(|estimate| {
            json!({
                "can_be_consumed": estimate.possible,
                "remaining": text(&estimate.remaining),
                "wait_refill_ns": wait(estimate.wait.as_ref()),
            })
        }),
        "try_consume_as_much_as_possible" => bucket
            .as_much_as_possible(optional(&args["limit"])?, now)
            .map(|taken| text(&taken)),
        "consume_ignoring_rate_limits" => {
            bucket.consume_ignoring(n()?, now).map(|wait| text(&wait))
        }
        "add_tokens" => bucket.add(n()?, now).map(|()| Value::Null),
        "force_add_tokens" => bucket.force_add(n()?, now).map(|()| Value::Null),
        "reset" => {
            bucket.reset(now);
            Ok(Value::Null)
        }
        "get_available_tokens" => Ok(text(&bucket.available(now))),
        "verbose_available_tokens" => {
            let value = text(&bucket.available(now.clone()));
            Ok(verbose(bucket, value, &now))
        }
        "verbose_try_consume" => bucket
            .try_consume(n()?, now.clone())
            .map(|consumed| verbose(bucket, Value::Bool(consumed), &now)),
        "blocking_try_consume" => bucket
            .reserve(n()?, longest()?, now)
            .map(|made| parked(made.as_ref())),
        "blocking_consume" => bucket
            .reserve_unlimited(n()?, now)
            .map(|made| parked(Some(&made))),
        // Whoever waits is interrupted, but what it waits for stays reserved.
        "blocking_try_consume_interrupted" => {
            return Ok(Ok(match bucket.reserve(n()?, longest()?, now) {
                Ok(Some(_)) => json!({ "error": "interrupted" }),
                other => return Err(format!("nothing to interrupt: {other:?}")),
            }));
        }
        "scheduler_try_consume" => bucket
            .reserve(n()?, longest()?, now)
            .map(|made| scheduled(made.as_ref())),
        "scheduler_consume" => bucket
            .reserve_unlimited(n()?, now)
            .map(|made| scheduled(Some(&made))),
        "replace_configuration" => {
            let new = bandwidths(&args["bandwidths"])?;
            bucket
                .replace(new, inheritance(&args["strategy"])?, now)
                .map(|()| Value::Null)
        }
        "ttl_millis" => Ok(match args["strategy"].as_str() {
            Some("none") => text(&BigInt::from(-1)),
            Some("fixed") => text(&integer(&args["millis"])?),
            Some("based_on_refill") => {
                text(&bucket.time_to_live(1_000_000, integer(&args["millis"])?, now))
            }
            other => return Err(format!("unknown time to live {other:?}")),
        }),
        other => return Err(format!("unknown operation {other}")),
    })
}

fn verbose(bucket: &Bucket, value: Value, now: &BigInt) -> Value {
    let each = bucket.available_per_bandwidth(now.clone());
    json!({
        "value": value,
        "per_bandwidth": each.iter().map(text).collect::<Vec<_>>(),
        "full_refill_ns": wait(bucket.time_to_full(now.clone()).as_ref()),
    })
}

fn parked(made: Option<&Reservation>) -> Value {
    let park = made.map_or(BigInt::ZERO, |made| made.wait.clone());
    json!({ "acquired": made.is_some(), "park_ns": text(&park) })
}

fn scheduled(made: Option<&Reservation>) -> Value {
    let delay = made.map_or(BigInt::ZERO, |made| made.wait.clone());
    let future = match made {
        None => "rejected",
        Some(_) if delay == BigInt::ZERO => "done",
        Some(_) => "pending",
    };
    json!({ "future": future, "delay_ns": text(&delay) })
}

fn state(bucket: &Bucket) -> Value {
    let levels = bucket.levels().iter().map(|level| {
        json!({
            "last_refill_ns": text(&level.last),
            "tokens": text(&level.tokens),
            "remainder": text(&level.remainder),
        })
    });
    Value::Array(levels.collect())
}

fn inheritance(strategy: &Value) -> Result<Inheritance, String> {
    Ok(match strategy.as_str() {
        Some("AS_IS") => Inheritance::AsIs,
        Some("PROPORTIONALLY") => Inheritance::Proportional,
        Some("ADDITIVE") => Inheritance::Additive,
        Some("RESET") => Inheritance::Reset,
        other => return Err(format!("unknown strategy {other:?}")),
    })
}

fn bandwidths(list: &Value) -> Result<Vec<Bandwidth>, String> {
    items(list).iter().map(bandwidth).collect()
}

fn bandwidth(value: &Value) -> Result<Bandwidth, String> {
    let refill = &value["refill"];
    let period = match optional(&refill["period_s"])? {
        Some(seconds) => seconds * 1_000_000_000,
        None => integer(&refill["period_ns"])?,
    };
    let first_refill = || match optional(&refill["first_refill_ms"])? {
        Some(milliseconds) => Ok(milliseconds * 1_000_000),
        None => integer(&refill["first_refill_ns"]),
    };
    let style = match refill["style"].as_str() {
        Some("greedy") => Style::Greedy,
        Some("intervally") => Style::Interval,
        Some("intervally_aligned") => Style::Aligned {
            first_refill: first_refill()?,
        },
        Some("intervally_aligned_adaptive") => Style::Adaptive {
            first_refill: first_refill()?,
        },
        other => return Err(format!("unknown style {other:?}")),
    };
    Ok(Bandwidth {
        capacity: integer(&value["capacity"])?,
        tokens: integer(&refill["tokens"])?,
        period,
        style,
        initial: optional(&value["initial_tokens"])?,
        id: value["id"].as_str().map(str::to_owned),
    })
}
