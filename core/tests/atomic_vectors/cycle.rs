//! Recorded fixed-cycle scenarios, in an `AtomicCycleLimiter` and beside a `CycleLimiter`.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokenweir::{AtomicCycleLimiter, CycleConfig, CycleLimiter, Permits};

use crate::common::{integer, name, optional, scenarios, vectors};
use crate::{Ran, offsets, steps, ticks};

#[test]
fn cycles_answer_every_scenario_they_can_express() {
    let file = vectors("resilience4j.json");
    for which in 0..2 {
        let mut ran = Ran::default();
        for scenario in scenarios(&file) {
            match cycles(&scenario["config"]) {
                Ok(config) => run_cycles(scenario, config, which, &mut ran),
                Err(why) => ran.leave_out(why),
            }
        }
        println!("{ran:?}");
        assert_eq!(scenarios(&file).len(), 506);
        let expected = Ran {
            whole: 52,
            cut: 443,
            steps: 1_692,
            beside: 6_453,
            late: 0,
            idle: 17,
            left_out: BTreeMap::from([("invalid", 11)]),
        };
        assert_eq!(ran, expected);
    }
}

fn cycles(config: &Value) -> Result<CycleConfig, &'static str> {
    let unsigned = |key: &str| u64::try_from(integer(&config[key])).map_err(|_| "invalid");
    CycleConfig::new(
        unsigned("limit_for_period")?,
        unsigned("limit_refresh_period_ns")?,
    )
    .and_then(|cycles| cycles.with_timeout(unsigned("timeout_ns").unwrap_or(u64::MAX)))
    .map_err(|_| "invalid")
}

fn run_cycles(scenario: &Value, config: CycleConfig, which: usize, ran: &mut Ran) {
    let start = integer(&scenario["config"]["clock_start_ns"]);
    let at = |step: &Value| start + integer(&step["at_ns"]);
    // One recorded clock wraps as an i64; only distances count.
    let offset = offsets(steps(scenario).iter().map(at).chain([start]))[which]
        - if which == 0
            && steps(scenario)
                .iter()
                .any(|step| i64::try_from(at(step)).is_err())
        {
            start
        } else {
            0
        };
    let (start, at) = (ticks(start, offset), |step| ticks(at(step), offset));

    let limiter = match AtomicCycleLimiter::new(config, start) {
        Ok(limiter) => limiter,
        Err(error) => return ran.leave_out(error.code()),
    };
    let (mut timeout, mut whole, mut touched) = (config.timeout(), true, start);
    for (index, step) in steps(scenario).iter().enumerate() {
        let (now, place) = (at(step), || {
            format!("{} step {index}: {step}", name(scenario))
        });
        let pause = now.saturating_sub(touched);
        let found = answer(&limiter, step, now, &mut timeout);
        let Some((answer, drained)) = found.filter(|_| pause <= limiter.max_idle()) else {
            whole = false;
            break;
        };
        if touches(step) {
            touched = touched.max(now);
        }
        // The record names the reference's exception beside the code.
        let mut result = field(step, "result").clone();
        if let Some(error) = result.as_object_mut() {
            error.remove("java");
        }
        assert_eq!(answer, result, "{}", place());
        if !field(step, "available").is_null() {
            assert_eq!(
                &json!(limiter.available(now)),
                field(step, "available"),
                "{}",
                place()
            );
        }
        if let Some(events) = field(step, "events").as_array() {
            let event = events.iter().find(|event| event["type"] == "drained");
            assert_eq!(
                drained.map(|n| json!(n)).as_ref(),
                event.map(|event| &event["n"]),
                "{}",
                place()
            );
        }
        ran.steps += 1;
    }
    *(if whole { &mut ran.whole } else { &mut ran.cut }) += 1;

    let limiter = AtomicCycleLimiter::new(config, start).expect("as before");
    let mut twin = CycleLimiter::new(config, start);
    let (mut timeout, mut touched) = (config.timeout(), start);
    for (index, step) in steps(scenario).iter().enumerate() {
        let (now, place) = (at(step), || {
            format!("{} step {index}: {step}", name(scenario))
        });
        if now.saturating_sub(touched) > limiter.max_idle() {
            ran.idle += 1;
            break;
        }
        let Some((answer, drained)) = answer(&limiter, step, now, &mut timeout) else {
            continue;
        };
        if touches(step) {
            touched = touched.max(now);
        }
        if let Ok(n) = Permits::try_from(optional(&step["args"]["n"]).unwrap_or(0)) {
            let granted = answer != json!(false) && answer != json!("-1") && answer != "rejected";
            assert_eq!(granted, twin.try_acquire(n, now), "{}", place());
        }
        if let Some(drained) = drained {
            assert_eq!(drained, twin.drain(now), "{}", place());
        }
        let n = Permits::new(limiter.limit()).unwrap();
        assert_eq!(
            (
                i64::try_from(limiter.available(now)).unwrap(),
                limiter.cycle(now),
                limiter.wait(Permits::ONE, now),
                limiter.wait(n, now),
                limiter.time_to_full(now),
            ),
            (
                twin.available(now),
                twin.cycle(now),
                twin.wait(Permits::ONE, now),
                twin.wait(n, now),
                twin.time_to_full(now),
            ),
            "{}",
            place()
        );
        ran.beside += 1;
    }
}

/// Whether a step starts the horizon anew: queries do not.
fn touches(step: &Value) -> bool {
    matches!(step["op"].as_str(), Some("acquire" | "reserve" | "drain"))
}

/// A field of what the step must answer: `expect` holds only those that differ from the record.
fn field<'a>(step: &'a Value, key: &str) -> &'a Value {
    step["expect"].get(key).unwrap_or(&step[key])
}

/// Performs a step and gives the answer in the form of the file, and what it drained; `None` if there
/// is no such operation.
fn answer(
    limiter: &AtomicCycleLimiter,
    step: &Value,
    now: u64,
    timeout: &mut u64,
) -> Option<(Value, Option<u64>)> {
    let args = &step["args"];
    let permits =
        || Permits::try_from(integer(&args["n"])).map_err(|error| json!({ "error": error.code() }));
    let answer = match step["op"].as_str().expect("an operation") {
        "acquire" => permits().map(|n| json!(limiter.try_acquire(n, now))),
        // Without a timeout, a reservation is a permit or a refusal.
        "reserve" if *timeout == 0 => permits().map(|n| match limiter.try_acquire(n, now) {
            true => json!("0"),
            false => json!("-1"),
        }),
        "call" => match permits() {
            Ok(n) if limiter.try_acquire(n, now) => {
                let outcome = args["outcome"].as_str().expect("an outcome");
                if let Some(outcome) = outcome.strip_prefix("drain_") {
                    return Some((json!(outcome), Some(limiter.drain(now))));
                }
                Ok(json!(outcome))
            }
            Ok(_) => Ok(json!("rejected")),
            Err(error) => Err(error),
        },
        "on_error" if args["drain"] != true => Ok(Value::Null),
        "on_error" | "drain" => return Some((Value::Null, Some(limiter.drain(now)))),
        // The timeout is the caller's affair.
        "change_timeout" => match u64::try_from(integer(&args["timeout_ns"])) {
            Ok(new) if new <= i64::MAX as u64 => {
                *timeout = new;
                Ok(Value::Null)
            }
            _ => return None,
        },
        "available" => Ok(json!(limiter.available(now))),
        "nanos_to_wait" => {
            let wait = limiter.wait(Permits::ONE, now);
            // The file writes "never" as i64::MAX + 1.
            Ok(json!(wait.ticks().unwrap_or(1 << 63).to_string()))
        }
        "cycle" => Ok(json!(limiter.cycle(now).to_string())),
        _ => return None,
    };
    Some((answer.unwrap_or_else(|error| error), None))
}
