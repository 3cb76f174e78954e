//! What is read: advice, dates, addresses.

use serde_json::{Value, json};
use tokenweir::http::{Advice, ClientAddress, Received, parse_date};

use crate::{hex, number, section, strings, text};

#[test]
fn advice_is_what_the_fields_say() {
    for case in section("advice", 69) {
        let fields = case["fields"]
            .as_array()
            .expect("fields")
            .iter()
            .map(|field| {
                let [name, value] = strings(field)[..] else {
                    panic!("a name and a value: {field}");
                };
                (name, value)
            });
        let received = Received::parse(fields, number(&case["now_ns"]));
        let name = text(&case, "name");
        assert_eq!(written(received.advice()), case["advice"], "{name}");
        let ours = json!({
            "retry_after_ns": received.retry_after.map(|wait| wait.to_string()),
            "policies": received.policies.iter().map(|policy| json!({
                "name": policy.name(),
                "quota": policy.quota().to_string(),
                "window_seconds": policy.window_seconds().map(|seconds| seconds.to_string()),
                "unit": policy.unit().map(|unit| unit.name()),
            })).collect::<Vec<_>>(),
            "limits": received.limits.iter().map(|limit| json!({
                "name": limit.name,
                "limit": limit.limit.map(|limit| limit.to_string()),
                "remaining": limit.remaining.map(|remaining| remaining.to_string()),
                "reset_ns": limit.reset.map(|reset| reset.to_string()),
            })).collect::<Vec<_>>(),
        });
        for (key, ours) in ours.as_object().expect("sections") {
            if let Some(expected) = case.get(key) {
                assert_eq!(ours, expected, "{name}: {key}");
            }
        }
    }
}

#[test]
fn a_malformed_value_is_as_if_it_were_absent() {
    let file = crate::common::vectors("http.json");
    let mut count = 0;
    for (field, values) in file["malformed"].as_object().expect("fields") {
        for value in strings(values) {
            let bytes = value.strip_prefix("hex:").map_or_else(|| value.into(), hex);
            let mut fields = vec![(field.clone(), bytes)];
            if let Some(style) = field.strip_suffix("Reset") {
                fields.push((format!("{style}Remaining"), b"0".into()));
            }
            let received = Received::parse(fields, NOW);
            assert_eq!(received.advice(), Advice::Unknown, "{field}: {value}");
            assert_eq!(received.retry_after, None, "{field}: {value}");
            count += 1;
        }
    }
    assert_eq!(count, 78);
}

#[test]
fn dates_are_read_in_three_forms_and_no_other() {
    for case in section("dates", 54) {
        let read = parse_date(text(&case, "text"), number(&case["now_ns"]));
        let read = json!(read.map(|instant| instant.to_string()));
        assert_eq!(read, case["unix_ns"], "{case}");
    }
}

#[test]
fn an_address_gives_one_key() {
    for case in section("addresses", 48) {
        let rules = rules(&case).expect("rules");
        let key = rules.key(text(&case, "peer"), &strings(&case["lines"]));
        assert_eq!(key, text(&case, "key"), "{case}");
    }
}

#[test]
fn rules_out_of_range_are_refused() {
    for case in section("address_errors", 8) {
        assert_eq!(rules(&case).err(), case["code"].as_str(), "{case}");
    }
}

fn rules(case: &Value) -> Result<ClientAddress, &'static str> {
    let count = case["trusted_proxies"].as_u64().unwrap_or(0);
    let mut rules = ClientAddress::new();
    rules = rules.with_trusted_proxies(usize::try_from(count).expect("a count"));
    if let Some(field) = case["field"].as_str() {
        rules = rules.with_field(field.parse().map_err(code)?);
    }
    if let Some(bits) = case["ipv6_prefix"].as_u64() {
        let bits = u32::try_from(bits).expect("bits");
        rules = rules.with_ipv6_prefix(bits).map_err(code)?;
    }
    Ok(rules)
}

fn code(error: tokenweir::http::AddressError) -> &'static str {
    error.code()
}

fn written(advice: Advice) -> Value {
    match advice {
        Advice::Unknown => json!("unknown"),
        Advice::MayCall => json!("may_call"),
        Advice::NotBefore(instant) => json!(instant.to_string()),
    }
}

const NOW: u64 = 1_700_000_000_000_000_000;
