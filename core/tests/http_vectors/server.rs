//! What is sent: fields, bodies, and a service seen from outside.

use serde_json::{Value, json};
use tokenweir::http::{Policy, PolicyError, Quota, Style, StyleError, Unit, fields, problem};
use tokenweir::{Bandwidth, Bucket, Tokens, Wait};

use crate::{hex, number, optional_number, section, strings, text, wait};

#[test]
fn styles_have_names() {
    let file = crate::common::vectors("http.json");
    let styles = &file["styles"];
    let known: Vec<Style> = strings(&styles["known"])
        .into_iter()
        .map(|name| name.parse().expect("a style"))
        .collect();
    assert_eq!(known, Style::ALL);
    let names = known.iter().map(|style| style.name());
    assert!(names.eq(strings(&styles["known"])));
    for name in strings(&styles["unknown"]) {
        let code = name
            .parse::<Style>()
            .map_err(|error: StyleError| error.code());
        assert_eq!(code, Err(text(styles, "code")), "{name}");
    }
}

#[test]
fn a_policy_that_cannot_be_sent_is_refused() {
    for case in section("policy_errors", 8) {
        let policy = Policy::new(text(&case, "name"), 1).and_then(|policy| {
            match optional_number(&case["window_ns"]) {
                Some(window) => policy.with_window(window),
                None => Ok(policy),
            }
        });
        let code = policy.err().map(|error: PolicyError| error.code());
        assert_eq!(code, case["code"].as_str(), "{case}");
    }
}

#[test]
fn fields_are_sent_as_written() {
    let mut styles = 0;
    for case in section("fields", 21) {
        let given = case["quotas"].as_array().expect("quotas");
        let policies: Vec<_> = given.iter().map(policy).collect();
        let quotas: Vec<_> = given.iter().zip(&policies).map(quota).collect();
        styles += check(&case["expect"], &quotas, text(&case, "name"));
        if let Some(body) = case["problem"].as_str() {
            let sent = problem(&quotas, case["detail"].as_str());
            assert_eq!(sent, body, "{}", text(&case, "name"));
            // Whatever is in it, it is JSON.
            let parsed: Value = serde_json::from_str(&sent).expect("JSON");
            assert_eq!(parsed["detail"], case["detail"]);
        }
    }
    assert_eq!(styles, 49);
}

/// Compares the fields of each style named, and returns how many those are.
fn check(expect: &Value, quotas: &[Quota<'_>], name: &str) -> usize {
    let expect = expect.as_object().expect("styles");
    for (style, expected) in expect {
        let sent: Vec<Value> = fields(style.parse().expect("a style"), quotas)
            .into_iter()
            .map(|field| json!([field.name, field.value]))
            .collect();
        assert_eq!(&json!(sent), expected, "{name}: {style}");
    }
    expect.len()
}

fn policy(given: &Value) -> Policy {
    let mut policy = Policy::new(text(given, "name"), number(&given["quota"])).expect("a policy");
    if let Some(window) = optional_number(&given["window_ns"]) {
        policy = policy.with_window(window).expect("a window");
    }
    if let Some(unit) = given["unit"].as_str() {
        policy = policy.with_unit(Unit::from_name(unit).expect("a unit"));
    }
    match given["partition_key_hex"].as_str() {
        Some(key) => policy.with_partition_key(&hex(key)),
        None => policy,
    }
}

fn quota<'p>((given, policy): (&Value, &'p Policy)) -> Quota<'p> {
    let quota = Quota::new(
        policy,
        number(&given["remaining"]),
        wait(&given["reset_ns"]),
    )
    .with_retry_after(wait(&given["retry_after_ns"]));
    match given["effective_window_ns"].as_str() {
        Some(_) => quota.with_effective_window(wait(&given["effective_window_ns"])),
        None => quota,
    }
}

#[test]
fn a_service_seen_from_outside() {
    let (mut requests, mut compared) = (0, 0);
    for service in section("services", 3) {
        let limits = service["limits"].as_array().expect("limits");
        let policies: Vec<_> = limits.iter().map(policy_of_limit).collect();
        let mut buckets: Vec<_> = limits
            .iter()
            .map(|limit| Bucket::<1>::new(bandwidth(limit).into(), 0))
            .collect();
        for step in service["steps"].as_array().expect("steps") {
            let mut quotas = Vec::new();
            for _ in 0..step["repeat"].as_u64().unwrap_or(1) {
                let told = ask(&mut buckets, number(&step["cost"]), number(&step["at_ns"]));
                let granted = told.iter().all(|(_, _, wait)| wait.is_none());
                assert_eq!(if granted { 200 } else { 429 }, step["status"], "{step}");
                quotas = told
                    .into_iter()
                    .zip(&policies)
                    .map(|((remaining, reset, wait), policy)| {
                        Quota::new(policy, remaining, reset).with_retry_after(wait)
                    })
                    .collect();
                requests += 1;
            }
            if !step["expect"].is_null() {
                compared += check(&step["expect"], &quotas, &step.to_string());
            }
        }
    }
    assert_eq!((requests, compared), (35, 29));
}

fn policy_of_limit(limit: &Value) -> Policy {
    Policy::new(text(limit, "name"), number(&limit["capacity"]))
        .and_then(|policy| policy.with_window(number(&limit["period_ns"])))
        .expect("a policy")
}

fn bandwidth(limit: &Value) -> Bandwidth {
    let [capacity, tokens, period] =
        ["capacity", "tokens", "period_ns"].map(|key| number(&limit[key]));
    Bandwidth::greedy(capacity, tokens, period).expect("a bandwidth")
}

/// Takes the tokens from all buckets or from none; what is left, the time to full, and the wait.
fn ask(buckets: &mut [Bucket<1>], cost: u64, now: u64) -> Vec<(u64, Wait, Wait)> {
    let cost = Tokens::new(cost).expect("a cost");
    let all = buckets
        .iter()
        .all(|bucket| bucket.estimate(cost, now).can_consume);
    buckets
        .iter_mut()
        .map(|bucket| {
            let wait = bucket.estimate(cost, now).wait;
            if all {
                assert!(bucket.try_consume(cost, now));
            }
            let left = bucket.estimate(Tokens::ONE, now).remaining;
            (left, bucket.time_to_full(now), wait)
        })
        .collect()
}
