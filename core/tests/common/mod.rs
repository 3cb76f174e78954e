//! Reading the recorded scenarios.

#![allow(dead_code, reason = "each test uses its part")]

use serde_json::Value;

#[cfg(feature = "alloc")]
pub(crate) mod host_buckets;
#[cfg(feature = "alloc")]
pub(crate) mod host_cycles;
#[cfg(feature = "alloc")]
pub(crate) mod subject;

/// One of the files under `tests/vectors`.
pub(crate) fn vectors(file: &str) -> Value {
    let path = format!("{}/../tests/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The scenarios of a file.
pub(crate) fn scenarios(file: &Value) -> &[Value] {
    file["scenarios"].as_array().expect("a list of scenarios")
}

/// An integer, written as a number or as a decimal string.
pub(crate) fn integer(value: &Value) -> i128 {
    match value {
        Value::String(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("an integer: {text}")),
        Value::Number(number) => number.as_i64().expect("an integer").into(),
        other => panic!("an integer: {other}"),
    }
}

/// An integer that may be absent.
pub(crate) fn optional(value: &Value) -> Option<i128> {
    (!value.is_null()).then(|| integer(value))
}

/// A recorded instant as ticks: the recorded ones are signed, ours start at 0.
pub(crate) fn instant(value: &Value) -> u64 {
    shifted(integer(value))
}

/// As [`instant`], for a number.
pub(crate) fn shifted(nanos: i128) -> u64 {
    u64::try_from(nanos + SHIFT).expect("an i64 instant")
}

/// What is added to a recorded instant.
pub(crate) const SHIFT: i128 = 1 << 63;

/// What a step must answer.
pub(crate) fn expected(step: &Value) -> &Value {
    step.get("expect").unwrap_or(&step["result"])
}

/// The name of a scenario, for messages.
pub(crate) fn name(scenario: &Value) -> &str {
    scenario["name"].as_str().expect("a name")
}
