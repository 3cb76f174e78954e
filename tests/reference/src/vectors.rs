//! Runs the recorded scenarios against the models.
//!
//! A file of vectors holds scenarios, each a configuration and a list of steps. A step says when, what is asked,
//! what another library answered (`result`) and, where tokenweir must answer otherwise, that too (`expect`).
//! What is wrong is collected rather than asserted, so that a caller sees all of it, and the counts tell whether
//! anything ran at all.

mod bucket;
mod cycle;

pub use bucket::run as run_buckets;
pub use cycle::run as run_cycles;

use num_bigint::BigInt;
use serde_json::Value;

/// What a file of vectors did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Scenarios that ran, those included that must fail to build.
    pub scenarios: usize,
    /// Of these, the ones that must fail to build, and did.
    pub rejected: usize,
    /// Steps whose answer was compared.
    pub steps: usize,
    /// Steps this project does not take over.
    pub skipped: usize,
    /// Final states that were compared.
    pub final_states: usize,
    /// Balances after a step that were compared.
    pub available: usize,
    /// Drains whose count was compared.
    pub drains: usize,
    /// What differed, in words.
    pub failures: Vec<String>,
}

impl Report {
    /// Notes a failure unless both are equal.
    fn compare(&mut self, what: &str, got: &Value, wanted: &Value) {
        if got != wanted {
            self.failures
                .push(format!("{what}: got {got}, wanted {wanted}"));
        }
    }
}

/// The scenarios of a file.
///
/// # Errors
/// Why it is not a file of vectors.
fn scenarios(json: &str) -> Result<Vec<Value>, String> {
    let mut file: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
    match file.get_mut("scenarios").map(Value::take) {
        Some(Value::Array(scenarios)) => Ok(scenarios),
        _ => Err("no scenarios".to_owned()),
    }
}

/// The members of an array, none if it is not there.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// An integer, written as a number or, as most are, as a string.
fn integer(value: &Value) -> Result<BigInt, String> {
    let digits = match value {
        Value::String(digits) => digits.clone(),
        Value::Number(number) => number.to_string(),
        other => return Err(format!("not an integer: {other}")),
    };
    digits
        .parse()
        .map_err(|_| format!("not an integer: {digits}"))
}

/// An integer that may be left out.
fn optional(value: &Value) -> Result<Option<BigInt>, String> {
    if value.is_null() {
        Ok(None)
    } else {
        integer(value).map(Some)
    }
}

/// How the vectors write an integer.
fn text(value: &BigInt) -> Value {
    Value::String(value.to_string())
}

/// How the vectors write a wait: the largest one stands for "never".
fn wait(value: Option<&BigInt>) -> Value {
    value.map_or_else(|| text(&BigInt::from(i64::MAX)), text)
}

/// What a scenario or step is called in a failure.
fn name(value: &Value) -> &str {
    value["name"].as_str().unwrap_or("?")
}
