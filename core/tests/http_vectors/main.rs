//! Every case of `tests/vectors/http.json`, which all languages run, through the public API.
#![cfg(feature = "alloc")]

mod backoff;
mod client;
#[path = "../common/mod.rs"]
mod common;
mod server;

use serde_json::Value;
use tokenweir::Wait;

/// The cases of a section: a file that lost some, or a reader that stops early, changes the count.
pub(crate) fn section(name: &str, count: usize) -> Vec<Value> {
    let file = common::vectors("http.json");
    assert_eq!(file["format"], "tokenweir-http/1");
    let cases = file[name].as_array().expect("a list of cases").clone();
    assert_eq!(cases.len(), count, "{name}");
    cases
}

#[test]
fn every_section_is_run() {
    let file = common::vectors("http.json");
    let sections: Vec<_> = file.as_object().expect("sections").keys().collect();
    let expected = [
        "format",
        "about",
        "styles",
        "policy_errors",
        "fields",
        "services",
        "advice",
        "malformed",
        "dates",
        "addresses",
        "address_errors",
        "backoff",
        "backoff_errors",
        "timers",
    ];
    assert_eq!(sections, expected);
}

pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key} of {value}"))
}

/// A 64-bit number, in decimal text.
pub(crate) fn number(value: &Value) -> u64 {
    let number = value.as_str().and_then(|text| text.parse().ok());
    number.unwrap_or_else(|| panic!("a number: {value}"))
}

pub(crate) fn optional_number(value: &Value) -> Option<u64> {
    (!value.is_null()).then(|| number(value))
}

/// A wait: a number, or `never`; none if absent.
pub(crate) fn wait(value: &Value) -> Wait {
    match value.as_str() {
        None => Wait::NONE,
        Some("never") => Wait::Never,
        Some(_) => Wait::Ticks(number(value)),
    }
}

pub(crate) fn strings(value: &Value) -> Vec<&str> {
    let values = value.as_array().expect("a list").iter();
    values
        .map(|value| value.as_str().expect("a string"))
        .collect()
}

/// The bytes of hexadecimal text.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    assert_eq!(text.len() % 2, 0, "{text}");
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal"))
        .collect()
}
