//! Runs every recorded fixed-cycle scenario through the host layer.

use super::subject::Subject;
use super::{integer, name, scenarios, shifted};
use serde_json::{Value, json};
use tokenweir::signed::{self, SignedCycle};
use tokenweir::{CycleConfig, Limit, Limits, Permits, Tokens, TokensInheritance};

/// The steps that ask for what the limiter does not know: the number of the cycle, and threads.
const LEFT_OUT: [&str; 2] = ["cycle", "waiting"];

/// A limiter of one cycle limit, and the timeout, which the limiter takes with each reservation.
struct Timed<S> {
    limiter: S,
    config: CycleConfig,
    timeout: u64,
}

/// Runs all of them, and checks that none was missed.
pub(crate) fn run_all<S: Subject>() {
    let file = super::vectors("resilience4j.json");
    let (mut steps, mut left_out) = (0, 0);
    for scenario in scenarios(&file) {
        let (ran, skipped) = run::<S>(scenario);
        steps += ran;
        left_out += skipped;
    }
    assert_eq!(scenarios(&file).len(), 506);
    assert_eq!((steps, left_out), (12_650, 442));
}

fn run<S: Subject>(scenario: &Value) -> (usize, usize) {
    let config = &scenario["config"];
    let steps = scenario["steps"].as_array().expect("steps");
    // Steps count from construction. One recorded clock wraps as an i64, which ours must not: only
    // the distance counts, so that scenario begins at 0.
    let start = integer(&config["clock_start_ns"]);
    let fits = |step: &Value| i64::try_from(start + integer(&step["at_ns"])).is_ok();
    let start = if steps.iter().all(fits) { start } else { 0 };
    let numbers = SignedCycle {
        limit: integer(&config["limit_for_period"]),
        period: integer(&config["limit_refresh_period_ns"]),
        timeout: integer(&config["timeout_ns"]),
    };
    let config = match (
        numbers.build(),
        scenario["construct_error"]["error"].as_str(),
    ) {
        (Ok(config), None) => config,
        (Err(error), Some(expected)) => {
            assert_eq!(error.code(), expected, "{}", name(scenario));
            return (0, 0);
        }
        (built, expected) => panic!("{}: built {built:?}, expected {expected:?}", name(scenario)),
    };
    let mut subject = Timed {
        limiter: S::make(limits(config), shifted(start)),
        config,
        timeout: config.timeout(),
    };
    let (mut ran, mut left_out) = (0, 0);
    for (index, step) in steps.iter().enumerate() {
        let now = shifted(start + integer(&step["at_ns"]));
        let at = || format!("{} step {index}: {step}", name(scenario));
        if LEFT_OUT.contains(&step["op"].as_str().expect("an operation")) {
            left_out += 1;
        } else {
            let before = subject.limiter.clone();
            let answer = answer(&mut subject, step, now);
            let mut result = field(step, "result").clone();
            // The record names the reference's exception beside the code.
            if let Some(error) = result.as_object_mut() {
                error.remove("java");
            }
            assert_eq!(answer, result, "{}\nbefore: {before:?}", at());
            if answer == json!(false) || answer == json!("-1") {
                let (after, before) = (subject.limiter.available(now), before.available(now));
                assert_eq!(after, before, "{}: a refusal took", at());
            }
            ran += 1;
        }
        if !field(step, "available").is_null() {
            let available = json!(subject.limiter.available(now));
            assert_eq!(&available, field(step, "available"), "{}", at());
        }
    }
    (ran, left_out)
}

/// A field of what the step must answer: `expect` holds only those that differ from the record.
fn field<'a>(step: &'a Value, key: &str) -> &'a Value {
    step["expect"].get(key).unwrap_or(&step[key])
}

fn limits(config: CycleConfig) -> Limits {
    Limits::new([Limit::cycle(config)]).expect("one limit")
}

/// Performs a step and gives the answer in the form of the file.
fn answer(subject: &mut Timed<impl Subject>, step: &Value, now: u64) -> Value {
    match attempt(subject, step, now) {
        Ok(answer) => answer,
        Err(code) => json!({ "error": code }),
    }
}

fn attempt(
    subject: &mut Timed<impl Subject>,
    step: &Value,
    now: u64,
) -> Result<Value, &'static str> {
    let args = &step["args"];
    let limiter = &mut subject.limiter;
    let permits = || {
        let permits = Permits::try_from(integer(&args["n"])).map_err(|error| error.code())?;
        Tokens::new(permits.get()).map_err(|error| error.code())
    };
    Ok(match step["op"].as_str().expect("an operation") {
        "acquire" => json!(limiter.try_acquire(permits()?, now)),
        "reserve" => match (permits()?, subject.timeout) {
            // Without a wait there is nothing to reserve.
            (n, 0) if limiter.try_acquire(n, now) => json!("0"),
            (_, 0) => json!("-1"),
            (n, timeout) => match limiter.reserve(n, timeout, now) {
                Ok(reservation) => json!(reservation.wait().to_string()),
                Err(_) => json!("-1"),
            },
        },
        // A guarded call: acquire, run, and drain if the outcome asks for it.
        "call" => {
            if !limiter.try_acquire(permits()?, now) {
                return Ok(json!("rejected"));
            }
            let outcome = args["outcome"].as_str().expect("an outcome");
            match outcome.strip_prefix("drain_") {
                Some(outcome) => {
                    let _ = limiter.acquire_up_to(Tokens::MAX, now);
                    json!(outcome)
                }
                None => json!(outcome),
            }
        }
        op @ ("drain" | "on_error") => {
            if op == "drain" || args["drain"] == true {
                let _ = limiter.acquire_up_to(Tokens::MAX, now);
            }
            Value::Null
        }
        "change_limit" => {
            let limit = signed::cycle_limit(integer(&args["limit_for_period"]));
            let changed = limit.and_then(|limit| subject.config.with_limit(limit));
            subject.config = changed.map_err(|error| error.code())?;
            limiter.update(limits(subject.config), TokensInheritance::AsIs, now);
            Value::Null
        }
        "change_timeout" => {
            let timeout = signed::cycle_timeout(integer(&args["timeout_ns"]));
            subject.timeout = timeout.map_err(|error| error.code())?;
            Value::Null
        }
        "available" => json!(limiter.available(now)),
        "nanos_to_wait" => {
            let wait = limiter.peek(Tokens::ONE, now).retry_after;
            // The file writes "never" as i64::MAX + 1.
            json!(wait.ticks().unwrap_or(1 << 63).to_string())
        }
        "config" => json!({
            "limit_for_period": subject.config.limit(),
            "limit_refresh_period_ns": subject.config.period().to_string(),
            "timeout_ns": subject.timeout.to_string(),
        }),
        other => panic!("operation {other}"),
    })
}
