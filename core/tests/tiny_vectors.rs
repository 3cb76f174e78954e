//! Every recorded bucket scenario that a tiny bucket can express, through the public API.

mod common;

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use common::{expected, integer, name, optional, scenarios};
use serde_json::{Value, json};
use tokenweir::{Bandwidth, TinyBucket, TinyConfig, Tokens, Wait};

/// Why a scenario is not run here, or not to its end; counted and compared with the known numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LeftOut {
    /// More than one bandwidth, a refill at edges, or a store's command.
    AnotherLimiter,
    /// Numbers that are an error already as a bandwidth.
    NoBandwidth,
    /// Too large, whatever the unit of time.
    DoesNotFit,
    /// From this step on: a debt, added tokens, or another configuration.
    Operation,
    /// From this step on: the clock has gone back, or stood untouched for too long.
    Clock,
}

/// Readings of the counter at which the bucket is made: in the middle, and just before each wrap.
const STARTS: [u32; 4] = [1_000, (1 << 31) - 2, u32::MAX - 1_000, u32::MAX];

#[test]
fn every_recorded_scenario_that_fits_passes() {
    let file = common::vectors("bucket4j.json");
    let (mut whole, mut begun, mut steps) = (0, 0, 0);
    let mut left_out = BTreeMap::<LeftOut, usize>::new();
    for scenario in scenarios(&file) {
        let runs = STARTS.map(|start| run(scenario, start));
        assert!(runs.iter().all(|run| *run == runs[0]), "{}", name(scenario));
        let (ran, reason) = runs[0];
        steps += ran;
        match reason {
            None => whole += 1,
            Some(reason) => {
                begun += usize::from(ran > 0);
                *left_out.entry(reason).or_default() += 1;
            }
        }
    }
    println!("{whole} scenarios whole, {begun} begun, {steps} steps; left out: {left_out:?}");
    // A file that is skipped, or a reader that stops early, changes these numbers.
    assert_eq!((whole, begun, steps), (26, 118, 362));
    let known = [
        (LeftOut::AnotherLimiter, 582),
        (LeftOut::NoBandwidth, 11),
        (LeftOut::DoesNotFit, 96),
        (LeftOut::Operation, 142),
        (LeftOut::Clock, 9),
    ];
    assert_eq!(left_out, BTreeMap::from(known));
}

/// How many steps ran, and why not all.
fn run(scenario: &Value, start: u32) -> (usize, Option<LeftOut>) {
    let (config, tick) = match config(scenario) {
        Ok(config) => config,
        Err(reason) => return (0, Some(reason)),
    };
    let mut bucket = TinyBucket::new(config, start);
    let mut last = integer(&scenario["start_ns"]);
    let mut now = start;
    for (index, step) in steps(scenario).iter().enumerate() {
        let at = integer(&step["at_ns"]);
        match u32::try_from((at - last) / tick) {
            Ok(elapsed) if elapsed <= 1 << 31 => now = now.wrapping_add(elapsed),
            _ => return (index, Some(LeftOut::Clock)),
        }
        last = at;
        let before = bucket;
        let Some(answer) = answer(&mut bucket, step, now) else {
            return (index, Some(LeftOut::Operation));
        };
        assert_eq!(
            answer,
            in_ticks(expected(step), tick),
            "{} step {index} at {now}: {step}\nbefore: {before:?}",
            name(scenario)
        );
        bucket.touch(now);
    }
    (steps(scenario).len(), None)
}

fn steps(scenario: &Value) -> &[Value] {
    scenario["steps"].as_array().map_or(&[], Vec::as_slice)
}

/// The configuration in the largest unit of time in which the scenario is exact, and that unit.
fn config(scenario: &Value) -> Result<(TinyConfig, i128), LeftOut> {
    let Some([bandwidth]) = scenario["config"]["bandwidths"]
        .as_array()
        .map(Vec::as_slice)
    else {
        return Err(LeftOut::AnotherLimiter);
    };
    let refill = &bandwidth["refill"];
    if refill["style"] != "greedy" {
        return Err(LeftOut::AnotherLimiter);
    }
    let period = match optional(&refill["period_s"]) {
        Some(seconds) => seconds.saturating_mul(1_000_000_000),
        None => integer(&refill["period_ns"]),
    };
    let start = integer(&scenario["start_ns"]);
    let distances = steps(scenario)
        .iter()
        .map(|step| integer(&step["at_ns"]) - start);
    let tick = distances.fold(period, gcd).max(1);
    let unsigned = |value: i128| u64::try_from(value).map_err(|_| LeftOut::NoBandwidth);
    let limit = Bandwidth::greedy(
        unsigned(integer(&bandwidth["capacity"]))?,
        unsigned(integer(&refill["tokens"]))?,
        unsigned(period / tick)?,
    )
    .map_err(|_| LeftOut::NoBandwidth)?;
    let limit = match optional(&bandwidth["initial_tokens"]) {
        Some(tokens) => limit
            .with_initial_tokens(unsigned(tokens)?)
            .map_err(|_| LeftOut::NoBandwidth)?,
        None => limit,
    };
    match TinyConfig::new(limit) {
        Ok(config) => Ok((config, tick)),
        Err(_) => Err(LeftOut::DoesNotFit),
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// Performs a step and gives the answer in the form of the file, with waits in ticks; `None` for an
/// operation that a tiny bucket does not have.
fn answer(bucket: &mut TinyBucket, step: &Value, now: u32) -> Option<Value> {
    let op = step["op"].as_str().expect("an operation");
    if op.contains("add") {
        return None;
    }
    let args = &step["args"];
    let amount = |key: &str, absent: NonZeroU32| {
        let Some(n) = optional(&args[key]) else {
            return Ok(absent);
        };
        match Tokens::try_from(n) {
            Ok(_) => Ok(NonZeroU32::new(u32::try_from(n).unwrap_or(u32::MAX)).expect("positive")),
            // What the types of a tiny bucket rule out is not asked.
            Err(error) => Err(json!({ "error": error.code() })),
        }
    };
    let n = match amount("n", NonZeroU32::MIN) {
        Ok(n) => n,
        Err(error) => return Some(error),
    };
    Some(match op {
        "try_consume" => json!(consume(bucket, n, now)),
        "try_consume_and_return_remaining" => {
            let wait = bucket.wait(n, now);
            let consumed = consume(bucket, n, now);
            assert_eq!(consumed, wait.is_none());
            json!({
                "consumed": consumed,
                "remaining": bucket.available(now).to_string(),
                "wait_refill_ns": ticks(wait),
                "wait_reset_ns": ticks(bucket.time_to_full(now)),
            })
        }
        "estimate_ability_to_consume" => json!({
            "can_be_consumed": bucket.wait(n, now).is_none(),
            "remaining": bucket.available(now).to_string(),
            "wait_refill_ns": ticks(bucket.wait(n, now)),
        }),
        "try_consume_as_much_as_possible" => {
            let most = match amount("limit", NonZeroU32::MAX) {
                Ok(most) => most,
                Err(error) => return Some(error),
            };
            json!(bucket.consume_up_to(most, now).to_string())
        }
        "get_available_tokens" => json!(bucket.available(now).to_string()),
        "verbose_available_tokens" => {
            verbose(bucket, json!(bucket.available(now).to_string()), now)
        }
        "verbose_try_consume" => {
            let consumed = consume(bucket, n, now);
            verbose(bucket, json!(consumed), now)
        }
        _ => return None,
    })
}

/// One token by the shorter way, which must decide as the longer one does.
fn consume(bucket: &mut TinyBucket, n: NonZeroU32, now: u32) -> bool {
    let mut other = *bucket;
    let consumed = bucket.try_consume(n, now);
    if n == NonZeroU32::MIN {
        assert_eq!(other.try_consume_one(now), consumed);
        assert_eq!(other, *bucket);
    }
    consumed
}

fn verbose(bucket: &TinyBucket, value: Value, now: u32) -> Value {
    json!({
        "value": value,
        "per_bandwidth": [bucket.available(now).to_string()],
        "full_refill_ns": ticks(bucket.time_to_full(now)),
    })
}

/// The file writes "never" as i64::MAX.
fn ticks(wait: Wait) -> Value {
    json!(wait.ticks().unwrap_or(i64::MAX as u64).to_string())
}

/// A recorded answer with its waits in ticks, rounded up.
fn in_ticks(answer: &Value, tick: i128) -> Value {
    let mut answer = answer.clone();
    if let Value::Object(fields) = &mut answer {
        for (key, value) in fields {
            if key.ends_with("_ns") && integer(value) != i64::MAX.into() {
                *value = json!(((integer(value) + tick - 1) / tick).to_string());
            }
        }
    }
    answer
}
