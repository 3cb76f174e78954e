//! Scenarios of a cycle limiter.

use serde_json::Value;

use crate::LeftOut;
use crate::format::{CycleOp, cycle_flag as flag};
use crate::json::{count, error, integer, signed, text, unsigned};
use crate::writer;

/// The file's word for a wait that is never over.
const NEVER: u64 = 1 << 63;

/// Encodes a scenario, its index aside.
pub(crate) fn scenario(scenario: &Value) -> Result<Vec<u8>, LeftOut> {
    let config = &scenario["config"];
    let mut out = Vec::new();
    for key in ["limit_for_period", "limit_refresh_period_ns", "timeout_ns"] {
        let value = integer(&config[key]).min(u64::MAX.into());
        writer::unsigned(&mut out, unsigned(value)?);
    }
    let steps = scenario["steps"].as_array().expect("steps");
    // Steps count from construction. One recorded clock wraps as an i64, which ours must not: only
    // the distance counts, so that scenario begins at 0.
    let start = integer(&config["clock_start_ns"]);
    let fits = |step: &Value| i64::try_from(start + integer(&step["at_ns"])).is_ok();
    let start = if steps.iter().all(fits) {
        start as i64
    } else {
        0
    };
    let mut now = 0;
    writer::instant(&mut out, &mut now, start);

    if let Some(code) = error(&scenario["construct_error"]) {
        writer::error(&mut out, code);
        return Ok(out);
    }
    out.push(0);

    let mut encoded = Vec::new();
    for value in steps {
        // An instant is a difference from that of the step before, so a step left out leaves no trace.
        let before = now;
        match step(value, start, &mut now) {
            Ok(bytes) => encoded.push(bytes),
            Err(LeftOut) => now = before,
        }
    }
    writer::unsigned(&mut out, encoded.len() as u64);
    out.extend(encoded.concat());
    Ok(out)
}

/// A field of what the step must answer: `expect` holds only those that differ from the record.
fn field<'a>(step: &'a Value, key: &str) -> &'a Value {
    step["expect"].get(key).unwrap_or(&step[key])
}

fn step(step: &Value, start: i64, now: &mut i64) -> Result<Vec<u8>, LeftOut> {
    let args = &step["args"];
    let drains = args["drain"] == true
        || args["outcome"]
            .as_str()
            .is_some_and(|outcome| outcome.starts_with("drain_"));
    let op = match text(&step["op"]) {
        "acquire" => CycleOp::Acquire,
        "reserve" => CycleOp::Reserve,
        "call" if drains => CycleOp::CallThatDrains,
        "call" => CycleOp::Call,
        "drain" => CycleOp::Drain,
        "on_error" if drains => CycleOp::Drain,
        "on_error" => CycleOp::Nothing,
        "change_limit" => CycleOp::ChangeLimit,
        "change_timeout" => CycleOp::ChangeTimeout,
        "available" => CycleOp::Available,
        "nanos_to_wait" => CycleOp::WaitForOne,
        "cycle" => CycleOp::Cycle,
        "config" => CycleOp::Config,
        // Threads that wait are the caller's.
        "waiting" => return Err(LeftOut),
        other => panic!("operation {other}"),
    };
    let mut out = vec![op as u8];
    writer::instant(&mut out, now, start + signed(&step["at_ns"]));
    match op {
        CycleOp::Acquire | CycleOp::Reserve | CycleOp::Call | CycleOp::CallThatDrains => {
            writer::signed(&mut out, signed(&args["n"]));
        }
        CycleOp::ChangeLimit => {
            writer::unsigned(&mut out, unsigned(integer(&args["limit_for_period"]))?);
        }
        CycleOp::ChangeTimeout => {
            writer::unsigned(&mut out, unsigned(integer(&args["timeout_ns"]))?);
        }
        _ => {}
    }
    let answer = field(step, "result");
    match error(answer) {
        Some(code) => {
            out[0] |= flag::ERROR;
            writer::error(&mut out, code);
        }
        None => answered(&mut out, op, answer, args),
    }
    let available = field(step, "available");
    if !available.is_null() {
        out[0] |= flag::AVAILABLE;
        writer::signed(&mut out, signed(available));
    }
    if let Some(events) = field(step, "events").as_array() {
        let event = events.iter().find(|event| event["type"] == "drained");
        if matches!(op, CycleOp::Drain | CycleOp::CallThatDrains) {
            out[0] |= flag::DRAINED;
            writer::optional(&mut out, event.map(|event| count(&event["n"])));
        } else {
            assert_eq!(event, None, "drained by {step}");
        }
    }
    Ok(out)
}

fn answered(out: &mut Vec<u8>, op: CycleOp, answer: &Value, args: &Value) {
    let mut yes = |is: bool| {
        if is {
            out[0] |= flag::YES;
        }
    };
    match op {
        CycleOp::Acquire => yes(answer.as_bool().expect("yes or no")),
        CycleOp::Call | CycleOp::CallThatDrains => {
            yes(answer != "rejected");
            let outcome = text(&args["outcome"]);
            let outcome = outcome.strip_prefix("drain_").unwrap_or(outcome);
            assert!(answer == "rejected" || answer == outcome, "{answer}");
        }
        CycleOp::Reserve if answer == "-1" => yes(false),
        CycleOp::Reserve => {
            yes(true);
            writer::unsigned(out, count(answer));
        }
        CycleOp::Drain | CycleOp::Nothing | CycleOp::ChangeLimit | CycleOp::ChangeTimeout => {
            assert!(answer.is_null())
        }
        CycleOp::Available => writer::signed(out, signed(answer)),
        CycleOp::WaitForOne => writer::wait(out, count(answer), NEVER),
        CycleOp::Cycle => writer::unsigned(out, count(answer)),
        CycleOp::Config => {
            for key in ["limit_for_period", "limit_refresh_period_ns", "timeout_ns"] {
                writer::unsigned(out, count(&answer[key]));
            }
        }
    }
}
