//! Every recorded fixed-cycle scenario, through the public API.

mod common;

use std::collections::BTreeMap;

use common::{integer, name, scenarios, shifted};
use serde_json::{Value, json};
use tokenweir::{CycleConfig, CycleConfigError, CycleLimiter, Permits};

/// Why a scenario or a step is not run here; counted and compared with the known numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LeftOut {
    /// A negative number, which unsigned types rule out; the bindings run these.
    RuledOutByType,
    /// Threads that wait are the caller's.
    WaitingThreads,
}

#[test]
fn every_recorded_scenario_passes() {
    let file = common::vectors("resilience4j.json");
    let mut ran = (0, 0);
    let mut left_out: BTreeMap<LeftOut, (usize, usize)> = BTreeMap::new();
    for scenario in scenarios(&file) {
        match run(scenario) {
            Ok((steps, skipped)) => {
                ran = (ran.0 + 1, ran.1 + steps);
                for reason in skipped {
                    left_out.entry(reason).or_default().1 += 1;
                }
            }
            Err(reason) => {
                println!("left out, {reason:?}: {}", name(scenario));
                left_out.entry(reason).or_default().0 += 1;
            }
        }
    }
    println!(
        "ran {} scenarios with {} steps; left out: {left_out:?}",
        ran.0, ran.1
    );
    // A file that is skipped, or a reader that stops early, changes these numbers.
    assert_eq!(scenarios(&file).len(), 506);
    assert_eq!(ran, (500, 13_009));
    let expected = [
        (LeftOut::RuledOutByType, (6, 82)),
        (LeftOut::WaitingThreads, (0, 1)),
    ];
    assert_eq!(left_out, BTreeMap::from(expected));
}

fn run(scenario: &Value) -> Result<(usize, Vec<LeftOut>), LeftOut> {
    let config = &scenario["config"];
    let steps = scenario["steps"].as_array().expect("steps");
    // Steps count from construction. One recorded clock wraps as an i64, which ours must not: only
    // the distance counts, so that scenario begins at 0.
    let start = integer(&config["clock_start_ns"]);
    let fits = |step: &Value| i64::try_from(start + integer(&step["at_ns"])).is_ok();
    let start = if steps.iter().all(fits) { start } else { 0 };
    let built = build(config)?;
    let mut limiter = match (built, scenario["construct_error"]["error"].as_str()) {
        (Ok(config), None) => CycleLimiter::new(config, shifted(start)),
        (Err(error), Some(expected)) => {
            assert_eq!(error.code(), expected, "{}", name(scenario));
            return Ok((0, Vec::new()));
        }
        (built, expected) => panic!("{}: built {built:?}, expected {expected:?}", name(scenario)),
    };
    let (mut ran, mut skipped) = (0, Vec::new());
    for (index, step) in steps.iter().enumerate() {
        let now = shifted(start + integer(&step["at_ns"]));
        let at = || format!("{} step {index}: {step}", name(scenario));
        let before = limiter;
        let mut drained = None;
        match answer(&mut limiter, step, now, &mut drained) {
            Ok(answer) => {
                ran += 1;
                // The record names the reference's exception beside the code.
                let mut result = field(step, "result").clone();
                if let Some(error) = result.as_object_mut() {
                    error.remove("java");
                }
                assert_eq!(answer, result, "{}\nbefore: {before:?}", at());
                if answer == json!(false) || answer == json!("-1") {
                    assert_eq!(
                        limiter.available(now),
                        before.available(now),
                        "{}: a refusal took",
                        at()
                    );
                }
            }
            Err(reason) => skipped.push(reason),
        }
        if !field(step, "available").is_null() {
            let available = json!(limiter.available(now));
            assert_eq!(
                &available,
                field(step, "available"),
                "{}\nbefore: {before:?}",
                at()
            );
        }
        if let Some(events) = field(step, "events").as_array() {
            let drain = events.iter().find(|event| event["type"] == "drained");
            assert_eq!(
                drained.map(|n| json!(n)).as_ref(),
                drain.map(|event| &event["n"]),
                "{}",
                at()
            );
        }
    }
    Ok((ran, skipped))
}

/// A field of what the step must answer: `expect` holds only those that differ from the record.
fn field<'a>(step: &'a Value, key: &str) -> &'a Value {
    step["expect"].get(key).unwrap_or(&step[key])
}

fn build(config: &Value) -> Result<Result<CycleConfig, CycleConfigError>, LeftOut> {
    let unsigned = |key: &str| {
        let value = integer(&config[key]).min(u64::MAX.into());
        u64::try_from(value).map_err(|_| LeftOut::RuledOutByType)
    };
    let limit = unsigned("limit_for_period")?;
    let period = unsigned("limit_refresh_period_ns")?;
    let timeout = unsigned("timeout_ns")?;
    Ok(CycleConfig::new(limit, period).and_then(|config| config.with_timeout(timeout)))
}

/// Performs a step and gives the answer in the form of the file.
fn answer(
    limiter: &mut CycleLimiter,
    step: &Value,
    now: u64,
    drained: &mut Option<u64>,
) -> Result<Value, LeftOut> {
    let args = &step["args"];
    let permits =
        || Permits::try_from(integer(&args["n"])).map_err(|error| json!({ "error": error.code() }));
    Ok(match step["op"].as_str().expect("an operation") {
        "acquire" => match permits() {
            Ok(n) => json!(limiter.try_acquire(n, now)),
            Err(error) => error,
        },
        "reserve" => match permits() {
            Ok(n) => match limiter.reserve(n, now) {
                Ok(reservation) => json!(reservation.wait().to_string()),
                Err(_) => json!("-1"),
            },
            Err(error) => error,
        },
        // A guarded call: acquire, run, and drain if the outcome asks for it.
        "call" => match permits() {
            Ok(n) if limiter.try_acquire(n, now) => {
                let outcome = args["outcome"].as_str().expect("an outcome");
                let (drain, outcome) = match outcome.strip_prefix("drain_") {
                    Some(outcome) => (true, outcome),
                    None => (false, outcome),
                };
                if drain {
                    *drained = Some(limiter.drain(now));
                }
                json!(outcome)
            }
            Ok(_) => json!("rejected"),
            Err(error) => error,
        },
        "on_error" => {
            if args["drain"] == true {
                *drained = Some(limiter.drain(now));
            }
            Value::Null
        }
        "drain" => {
            *drained = Some(limiter.drain(now));
            Value::Null
        }
        "change_limit" => {
            let Ok(limit) = u64::try_from(integer(&args["limit_for_period"])) else {
                return Err(LeftOut::RuledOutByType);
            };
            changed(limiter.change_limit(limit, now))
        }
        "change_timeout" => {
            let Ok(timeout) = u64::try_from(integer(&args["timeout_ns"])) else {
                return Err(LeftOut::RuledOutByType);
            };
            changed(limiter.change_timeout(timeout))
        }
        "available" => json!(limiter.available(now)),
        "nanos_to_wait" => {
            let wait = limiter.wait(Permits::ONE, now);
            // The file writes "never" as i64::MAX + 1.
            json!(wait.ticks().unwrap_or(1 << 63).to_string())
        }
        "cycle" => json!(limiter.cycle(now).to_string()),
        "config" => {
            let config = limiter.config();
            json!({
                "limit_for_period": config.limit(),
                "limit_refresh_period_ns": config.period().to_string(),
                "timeout_ns": config.timeout().to_string(),
            })
        }
        "waiting" => return Err(LeftOut::WaitingThreads),
        other => panic!("operation {other}"),
    })
}

fn changed(result: Result<(), CycleConfigError>) -> Value {
    match result {
        Ok(()) => Value::Null,
        Err(error) => json!({ "error": error.code() }),
    }
}
