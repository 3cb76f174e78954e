//! Answers of buckets in the form of the file.

use super::optional;
use serde_json::{Value, json};
use tokenweir::{TickRate, TokensInheritance, Wait};

/// An answer as 64-bit tokens hold it: one scenario scales a debt to -2^125 tokens, which is held at
/// `i64::MIN`.
pub(crate) fn held(expected: &Value) -> Value {
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
pub(crate) fn refused(answer: &Value) -> bool {
    answer == &json!(false)
        || answer
            .get("error")
            .is_some_and(|code| code != "interrupted")
        || answer.get("consumed") == Some(&json!(false))
        || answer.get("acquired") == Some(&json!(false))
        || answer.get("future") == Some(&json!("rejected"))
}

pub(crate) fn inheritance(args: &Value) -> TokensInheritance {
    match args["strategy"].as_str().expect("a strategy") {
        "AS_IS" => TokensInheritance::AsIs,
        "PROPORTIONALLY" => TokensInheritance::Proportional,
        "ADDITIVE" => TokensInheritance::Additive,
        "RESET" => TokensInheritance::Reset,
        other => panic!("strategy {other}"),
    }
}

pub(crate) fn future(wait: u64) -> Value {
    let state = if wait == 0 { "done" } else { "pending" };
    json!({ "future": state, "delay_ns": wait.to_string() })
}

/// The file writes "never" as i64::MAX.
pub(crate) fn wait(wait: Wait) -> Value {
    json!(wait.ticks().unwrap_or(i64::MAX as u64).to_string())
}

/// The verbose form of an answer.
pub(crate) fn verbose(value: Value, each: impl Iterator<Item = i64>, full: Wait) -> Value {
    let each: Vec<_> = each.map(|tokens| tokens.to_string()).collect();
    json!({ "value": value, "per_bandwidth": each, "full_refill_ns": wait(full) })
}

/// How long a store keeps a state that is full after `full`, in milliseconds rounded up.
pub(crate) fn time_to_live(full: Wait, args: &Value) -> Value {
    let millis = optional(&args["millis"]).unwrap_or(0);
    let ttl = match args["strategy"].as_str().expect("a strategy") {
        "none" => -1,
        "fixed" => millis,
        "based_on_refill" => {
            let full = full.ticks().unwrap_or(i64::MAX as u64);
            let full = TickRate::NANOS.duration_ceil(full);
            let full = TickRate::MILLIS.ticks_ceil(full).expect("in range");
            (millis + i128::from(full)).clamp(1, i64::MAX.into())
        }
        other => panic!("strategy {other}"),
    };
    json!(ttl.to_string())
}
