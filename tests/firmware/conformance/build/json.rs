//! Reading the recorded files.

use serde_json::Value;

use crate::LeftOut;

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

/// An integer as 64-bit tokens hold it: one scenario scales a debt to -2^125 tokens, which is held at
/// `i64::MIN`.
pub(crate) fn signed(value: &Value) -> i64 {
    let value = integer(value).max(i64::MIN.into());
    i64::try_from(value).unwrap_or_else(|_| panic!("too large: {value}"))
}

/// An argument that the types take only if it is not negative.
pub(crate) fn unsigned(value: i128) -> Result<u64, LeftOut> {
    u64::try_from(value).map_err(|_| LeftOut)
}

/// A part of an answer, which cannot be negative.
pub(crate) fn count(value: &Value) -> u64 {
    u64::try_from(integer(value)).unwrap_or_else(|_| panic!("negative: {value}"))
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("a text: {value}"))
}

/// The code of an answer that is an error.
pub(crate) fn error(answer: &Value) -> Option<&str> {
    answer.get("error").and_then(Value::as_str)
}
