//! Scenarios of a bucket.

use serde_json::Value;

use crate::LeftOut;
use crate::format::{
    BucketOp, Inheritance, Style, TimeToLive, bandwidth_flag, bucket_flag as flag,
};
use crate::json::{count, error, integer, optional, signed, text, unsigned};
use crate::writer;

/// The file's word for a wait that is never over.
const NEVER: u64 = i64::MAX as u64;

/// Encodes a scenario, its index aside.
pub(crate) fn scenario(scenario: &Value) -> Result<Vec<u8>, LeftOut> {
    // Commands of a store have no configuration of their own.
    let config = scenario.get("config").ok_or(LeftOut)?;
    let mut out = Vec::new();
    out.push(u8::from(scenario["clock"] == "wall"));
    bandwidths(&mut out, &config["bandwidths"])?;
    let mut now = 0;
    writer::instant(&mut out, &mut now, signed(&scenario["start_ns"]));

    let fails = match scenario.get("expect_error") {
        Some(code) => code.as_str(),
        None => scenario.get("construction_error").and_then(Value::as_str),
    };
    if let Some(code) = fails {
        writer::error(&mut out, code);
        return Ok(out);
    }
    out.push(0);

    let steps = scenario["steps"].as_array().map_or(&[][..], Vec::as_slice);
    let mut encoded = Vec::new();
    for value in steps {
        // An instant is a difference from that of the step before, so a step left out leaves no trace.
        let before = now;
        match step(value, &mut now) {
            Ok(bytes) => encoded.push(bytes),
            Err(LeftOut) => now = before,
        }
    }
    writer::unsigned(&mut out, encoded.len() as u64);
    out.extend(encoded.concat());

    let levels = scenario.get("final_expect").and_then(Value::as_array);
    let levels = levels.map_or(&[][..], Vec::as_slice);
    writer::unsigned(&mut out, levels.len() as u64);
    for level in levels {
        let since = integer(&level["last_refill_ns"]) - i128::from(now);
        writer::signed_wide(&mut out, since);
        writer::signed(&mut out, signed(&level["tokens"]));
        writer::unsigned(&mut out, count(&level["remainder"]));
    }
    Ok(out)
}

fn bandwidths(out: &mut Vec<u8>, list: &Value) -> Result<(), LeftOut> {
    let list = list.as_array().expect("bandwidths");
    writer::unsigned(out, list.len() as u64);
    list.iter().try_for_each(|value| bandwidth(out, value))
}

fn bandwidth(out: &mut Vec<u8>, bandwidth: &Value) -> Result<(), LeftOut> {
    let refill = &bandwidth["refill"];
    let style = match text(&refill["style"]) {
        "greedy" => Style::Greedy,
        "intervally" => Style::Interval,
        "intervally_aligned" => Style::Aligned,
        "intervally_aligned_adaptive" => Style::Adaptive,
        other => panic!("refill style {other}"),
    };
    let initial = optional(&bandwidth["initial_tokens"])
        .map(unsigned)
        .transpose()?;
    let id = bandwidth["id"].as_str();
    let mut first = style as u8;
    if initial.is_some() {
        first |= bandwidth_flag::INITIAL;
    }
    if id.is_some() {
        first |= bandwidth_flag::ID;
    }
    out.push(first);
    writer::unsigned(out, unsigned(integer(&bandwidth["capacity"]))?);
    writer::unsigned(out, unsigned(integer(&refill["tokens"]))?);
    let period = match optional(&refill["period_s"]) {
        Some(seconds) => seconds.saturating_mul(1_000_000_000),
        None => integer(&refill["period_ns"]),
    };
    // Durations beyond u64 nanoseconds saturate: the error is the same.
    writer::unsigned(out, unsigned(period.min(u64::MAX.into()))?);
    if matches!(style, Style::Aligned | Style::Adaptive) {
        let edge = match optional(&refill["first_refill_ms"]) {
            Some(millis) => millis * 1_000_000,
            None => integer(&refill["first_refill_ns"]),
        };
        // Instants that the types rule out.
        if !(0..=i128::from(i64::MAX)).contains(&edge) {
            return Err(LeftOut);
        }
        writer::unsigned(out, edge as u64);
    }
    if let Some(tokens) = initial {
        writer::unsigned(out, tokens);
    }
    if let Some(id) = id {
        writer::unsigned(out, id.len() as u64);
        out.extend(id.as_bytes());
    }
    Ok(())
}

fn step(step: &Value, now: &mut i64) -> Result<Vec<u8>, LeftOut> {
    let args = &step["args"];
    let answer = step.get("expect").unwrap_or(&step["result"]);
    let name = text(&step["op"]);
    let op = match name {
        "try_consume" => BucketOp::TryConsume,
        "verbose_try_consume" => BucketOp::VerboseTryConsume,
        "try_consume_and_return_remaining" => BucketOp::Probe,
        "estimate_ability_to_consume" => BucketOp::Estimate,
        "try_consume_as_much_as_possible" if args.get("limit").is_some() => BucketOp::ConsumeUpTo,
        "try_consume_as_much_as_possible" => BucketOp::ConsumeAll,
        "consume_ignoring_rate_limits" | "blocking_consume" | "scheduler_consume" => {
            BucketOp::ConsumeIgnoringLimits
        }
        "add_tokens" => BucketOp::Add,
        "force_add_tokens" => BucketOp::ForceAdd,
        "reset" => BucketOp::Reset,
        "get_available_tokens" => BucketOp::Available,
        "verbose_available_tokens" => BucketOp::VerboseAvailable,
        "blocking_try_consume" => BucketOp::Reserve,
        "blocking_try_consume_interrupted" => BucketOp::ReserveInterrupted,
        "scheduler_try_consume" => BucketOp::ReserveScheduled,
        "replace_configuration" => BucketOp::Replace,
        "ttl_millis" => BucketOp::TimeToLive,
        // Another library's bytes, and commands of a store.
        "remote_state_hex" | "remote_call" => return Err(LeftOut),
        other => panic!("operation {other}"),
    };
    let mut out = vec![op as u8];
    writer::instant(&mut out, now, signed(&step["at_ns"]));
    arguments(&mut out, op, args)?;
    match error(answer) {
        // The interruption is the caller's affair: the tokens stay taken.
        Some("interrupted") => {}
        Some(code) => {
            out[0] |= flag::ERROR;
            writer::error(&mut out, code);
        }
        None => {
            if says_yes(answer) {
                out[0] |= flag::YES;
            }
            answered(&mut out, op, answer);
        }
    }
    Ok(out)
}

fn arguments(out: &mut Vec<u8>, op: BucketOp, args: &Value) -> Result<(), LeftOut> {
    match op {
        BucketOp::ConsumeAll
        | BucketOp::Reset
        | BucketOp::Available
        | BucketOp::VerboseAvailable => {}
        BucketOp::ConsumeUpTo => writer::signed(out, signed(&args["limit"])),
        BucketOp::Add | BucketOp::ForceAdd => {
            let n = unsigned(integer(&args["n"]))?;
            writer::signed(out, n as i64);
        }
        BucketOp::Reserve | BucketOp::ReserveInterrupted | BucketOp::ReserveScheduled => {
            writer::signed(out, signed(&args["n"]));
            writer::unsigned(out, unsigned(integer(&args["max_wait_ns"]))?);
        }
        BucketOp::Replace => {
            out.push(match text(&args["strategy"]) {
                "AS_IS" => Inheritance::AsIs,
                "PROPORTIONALLY" => Inheritance::Proportional,
                "ADDITIVE" => Inheritance::Additive,
                "RESET" => Inheritance::Reset,
                other => panic!("strategy {other}"),
            } as u8);
            bandwidths(out, &args["bandwidths"])?;
        }
        BucketOp::TimeToLive => {
            out.push(match text(&args["strategy"]) {
                "none" => TimeToLive::Unlimited,
                "fixed" => TimeToLive::Fixed,
                "based_on_refill" => TimeToLive::BasedOnRefill,
                other => panic!("strategy {other}"),
            } as u8);
            let millis = optional(&args["millis"]).unwrap_or(0);
            writer::unsigned(out, unsigned(millis)?);
        }
        _ => writer::signed(out, signed(&args["n"])),
    }
    Ok(())
}

fn says_yes(answer: &Value) -> bool {
    *answer == true
        || ["consumed", "can_be_consumed", "acquired", "value"]
            .iter()
            .any(|key| answer[key] == true)
        || answer
            .get("future")
            .is_some_and(|state| state != "rejected")
}

fn answered(out: &mut Vec<u8>, op: BucketOp, answer: &Value) {
    let wait = |out: &mut Vec<u8>, key: &str| writer::wait(out, count(&answer[key]), NEVER);
    match op {
        // The flag says it all.
        BucketOp::TryConsume => assert!(answer.is_boolean()),
        BucketOp::Add | BucketOp::ForceAdd | BucketOp::Reset | BucketOp::Replace => {
            assert!(answer.is_null())
        }
        BucketOp::ReserveInterrupted => panic!("not interrupted: {answer}"),
        BucketOp::Probe | BucketOp::Estimate => {
            writer::unsigned(out, count(&answer["remaining"]));
            wait(out, "wait_refill_ns");
            if op == BucketOp::Probe {
                wait(out, "wait_reset_ns");
            }
        }
        BucketOp::VerboseTryConsume | BucketOp::VerboseAvailable => {
            if op == BucketOp::VerboseAvailable {
                writer::signed(out, signed(&answer["value"]));
            }
            let each = answer["per_bandwidth"].as_array().expect("bandwidths");
            writer::unsigned(out, each.len() as u64);
            for tokens in each {
                writer::signed(out, signed(tokens));
            }
            wait(out, "full_refill_ns");
        }
        BucketOp::Reserve | BucketOp::ReserveScheduled if !says_yes(answer) => {
            assert_eq!(waited(answer), 0);
        }
        BucketOp::Reserve | BucketOp::ReserveScheduled | BucketOp::ConsumeIgnoringLimits => {
            writer::unsigned(out, waited(answer));
        }
        BucketOp::ConsumeUpTo | BucketOp::ConsumeAll => writer::unsigned(out, count(answer)),
        BucketOp::Available | BucketOp::TimeToLive => writer::signed(out, signed(answer)),
    }
}

/// The wait of an operation that takes tokens ahead of time, in whichever form it was asked for.
fn waited(answer: &Value) -> u64 {
    if let Some(state) = answer.get("future") {
        let delay = count(&answer["delay_ns"]);
        assert_eq!(state == "pending", delay > 0, "{answer}");
        delay
    } else if answer.is_object() {
        count(&answer["park_ns"])
    } else {
        count(answer)
    }
}
