//! Every recorded bucket scenario, through the public API.

mod common;

use std::collections::BTreeMap;

use common::bucket_answers::{future, held, inheritance, refused, time_to_live, verbose, wait};
use common::{SHIFT, expected, instant, integer, name, optional, scenarios, shifted};
use serde_json::{Value, json};
use tokenweir::{
    Bandwidth, BandwidthId, Bucket, BucketConfig, ClockedBucket, ManualClock, Reservation,
    ReserveError, Tokens,
};

/// Why a scenario or a step is not run here; counted and compared with the known numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LeftOut {
    /// A negative number, or an instant beyond the range, which the types rule out; the bindings
    /// run these.
    RuledOutByType,
    /// A store's command, run through the stored state.
    Remote,
    /// Another library's bytes.
    ForeignBytes,
}

const CATALOGUE: &str = "bucket4j.json";

#[test]
fn every_recorded_scenario_passes() {
    let file = common::vectors(CATALOGUE);
    let mut ran = (0, 0);
    let mut left_out: BTreeMap<LeftOut, (usize, usize)> = BTreeMap::new();
    for scenario in scenarios(&file) {
        match run(scenario) {
            Ok((steps, skipped)) => {
                ran = (ran.0 + 1, ran.1 + steps);
                for reason in skipped {
                    left_out.entry(reason).or_default().1 += 1;
                }
            }
            Err(reason) => {
                println!("left out, {reason:?}: {}", name(scenario));
                left_out.entry(reason).or_default().0 += 1;
            }
        }
    }
    println!(
        "ran {} scenarios with {} steps; left out: {left_out:?}",
        ran.0, ran.1
    );
    // A file that is skipped, or a reader that stops early, changes these numbers.
    assert_eq!(scenarios(&file).len(), 866);
    assert_eq!(ran, (852, 18_911));
    let expected = [
        (LeftOut::RuledOutByType, (11, 11)),
        (LeftOut::Remote, (3, 0)),
        (LeftOut::ForeignBytes, (0, 3)),
    ];
    assert_eq!(left_out, BTreeMap::from(expected));
}

/// Runs a scenario in the smallest bucket it fits, and again in a larger one.
fn run(scenario: &Value) -> Result<(usize, Vec<LeftOut>), LeftOut> {
    if scenario.get("config").is_none() {
        return Err(LeftOut::Remote);
    }
    let widest = std::iter::once(&scenario["config"])
        .chain(steps(scenario).iter().map(|step| &step["args"]))
        .filter_map(|config| config["bandwidths"].as_array())
        .map(Vec::len)
        .max()
        .unwrap_or(0);
    let result = run_in::<8>(scenario)?;
    let smallest = match widest {
        0 | 1 => run_in::<1>(scenario)?,
        2 => run_in::<2>(scenario)?,
        3 => run_in::<3>(scenario)?,
        _ => run_in::<8>(scenario)?,
    };
    assert_eq!(result, smallest);
    Ok(result)
}

fn steps(scenario: &Value) -> &[Value] {
    scenario["steps"].as_array().map_or(&[], Vec::as_slice)
}

fn run_in<const N: usize>(scenario: &Value) -> Result<(usize, Vec<LeftOut>), LeftOut> {
    let built = bucket::<N>(scenario)?;
    let must_fail = match scenario.get("expect_error") {
        Some(code) => code.as_str(),
        None => scenario.get("construction_error").and_then(Value::as_str),
    };
    let mut bucket = match (built, must_fail) {
        (Ok(bucket), None) => bucket,
        (Err(code), Some(expected)) => {
            assert_eq!(code, expected, "{}", name(scenario));
            return Ok((0, Vec::new()));
        }
        (built, expected) => panic!(
            "{}: built {:?}, expected {expected:?}",
            name(scenario),
            built.map(|_| ())
        ),
    };
    let (mut ran, mut skipped) = (0, Vec::new());
    for (index, step) in steps(scenario).iter().enumerate() {
        let before = bucket;
        match answer(&mut bucket, step) {
            Ok(answer) => {
                ran += 1;
                assert_eq!(
                    answer,
                    held(expected(step)),
                    "{} step {index}: {step}\nbefore: {:?}",
                    name(scenario),
                    before.snapshot(),
                );
                if refused(&answer) {
                    assert_eq!(
                        bucket,
                        before,
                        "{} step {index}: a refusal changed it",
                        name(scenario)
                    );
                }
            }
            Err(reason) => skipped.push(reason),
        }
    }
    if let Some(levels) = scenario.get("final_expect").and_then(Value::as_array) {
        let snapshot = bucket.snapshot();
        let found: Vec<_> = snapshot
            .levels()
            .iter()
            .map(|level| {
                json!({
                    "last_refill_ns": (level.last_refill - SHIFT).to_string(),
                    "tokens": level.tokens.to_string(),
                    "remainder": level.remainder.to_string(),
                })
            })
            .collect();
        let levels: Vec<_> = levels.iter().map(held).collect();
        assert_eq!(found, levels, "{} at the end", name(scenario));
        let restored = Bucket::restore(*bucket.config(), &snapshot).expect("its own snapshot");
        assert_eq!(restored, bucket);
    }
    Ok((ran, skipped))
}

/// The bucket of a scenario, or the code of the error that building it gives.
fn bucket<const N: usize>(scenario: &Value) -> Result<Result<Bucket<N>, &'static str>, LeftOut> {
    let start = instant(&scenario["start_ns"]);
    let config = match config::<N>(&scenario["config"]["bandwidths"])? {
        Ok(config) => config,
        Err(code) => return Ok(Err(code)),
    };
    let clock = match scenario["clock"].as_str() {
        Some("wall") => ManualClock::new(start).into_wall(),
        _ => ManualClock::new(start),
    };
    Ok(match ClockedBucket::new(config, clock) {
        Ok(clocked) => Ok(*clocked.bucket()),
        Err(error) => Err(error.code()),
    })
}

fn config<const N: usize>(
    bandwidths: &Value,
) -> Result<Result<BucketConfig<N>, &'static str>, LeftOut> {
    let mut limits = Vec::new();
    for bandwidth in bandwidths.as_array().expect("bandwidths") {
        match limit(bandwidth)? {
            Ok(limit) => limits.push(limit),
            Err(code) => return Ok(Err(code)),
        }
    }
    Ok(BucketConfig::from_slice(&limits).map_err(|error| error.code()))
}

fn limit(bandwidth: &Value) -> Result<Result<Bandwidth, &'static str>, LeftOut> {
    let refill = &bandwidth["refill"];
    let unsigned = |value: i128| u64::try_from(value).map_err(|_| LeftOut::RuledOutByType);
    let capacity = unsigned(integer(&bandwidth["capacity"]))?;
    let tokens = unsigned(integer(&refill["tokens"]))?;
    let period = match optional(&refill["period_s"]) {
        Some(seconds) => seconds.saturating_mul(1_000_000_000),
        None => integer(&refill["period_ns"]),
    };
    // Durations beyond u64 nanoseconds saturate: the error is the same.
    let period = unsigned(period.min(u64::MAX.into()))?;
    let first = match optional(&refill["first_refill_ms"]) {
        Some(millis) => Some(millis * 1_000_000),
        None => optional(&refill["first_refill_ns"]),
    };
    if first.is_some_and(|first| first < 0) {
        // Epoch times are not negative by type.
        return Err(LeftOut::RuledOutByType);
    }
    if first.is_some_and(|first| first > i64::MAX.into()) {
        return Err(LeftOut::RuledOutByType);
    }
    let first = first.map_or(0, shifted);
    let built = match refill["style"].as_str().expect("a style") {
        "greedy" => Bandwidth::greedy(capacity, tokens, period),
        "intervally" => Bandwidth::interval(capacity, tokens, period),
        "intervally_aligned" => Bandwidth::aligned(capacity, tokens, period, first),
        "intervally_aligned_adaptive" => Bandwidth::adaptive(capacity, tokens, period, first),
        other => panic!("refill style {other}"),
    };
    let initial = optional(&bandwidth["initial_tokens"])
        .map(unsigned)
        .transpose()?;
    let built = match (built, initial) {
        (Ok(limit), Some(initial)) => limit.with_initial_tokens(initial),
        (built, _) => built,
    };
    Ok(match built {
        Ok(limit) => Ok(match bandwidth["id"].as_str() {
            Some(id) => limit.with_id(BandwidthId::of(id)),
            None => limit,
        }),
        Err(error) => Err(error.code()),
    })
}

/// Performs a step and gives the answer in the form of the file.
fn answer<const N: usize>(bucket: &mut Bucket<N>, step: &Value) -> Result<Value, LeftOut> {
    let now = instant(&step["at_ns"]);
    let args = &step["args"];
    let tokens = |key: &str| {
        Tokens::try_from(integer(&args[key])).map_err(|error| json!({ "error": error.code() }))
    };
    Ok(match step["op"].as_str().expect("an operation") {
        "try_consume" => match tokens("n") {
            Ok(n) => json!(bucket.try_consume(n, now)),
            Err(error) => error,
        },
        "try_consume_and_return_remaining" => match tokens("n") {
            Ok(n) => {
                let probe = bucket.try_consume_with_probe(n, now);
                json!({
                    "consumed": probe.consumed,
                    "remaining": probe.remaining.to_string(),
                    "wait_refill_ns": wait(probe.wait),
                    "wait_reset_ns": wait(probe.reset),
                })
            }
            Err(error) => error,
        },
        "estimate_ability_to_consume" => match tokens("n") {
            Ok(n) => {
                let estimate = bucket.estimate(n, now);
                json!({
                    "can_be_consumed": estimate.can_consume,
                    "remaining": estimate.remaining.to_string(),
                    "wait_refill_ns": wait(estimate.wait),
                })
            }
            Err(error) => error,
        },
        "try_consume_as_much_as_possible" => {
            let most = match args.get("limit") {
                None => Ok(Tokens::MAX),
                Some(_) => tokens("limit"),
            };
            match most {
                Ok(most) => json!(bucket.consume_up_to(most, now).to_string()),
                Err(error) => error,
            }
        }
        "consume_ignoring_rate_limits" => match tokens("n") {
            Ok(n) => match bucket.consume_ignoring_limits(n, now) {
                Ok(wait) => json!(wait.to_string()),
                Err(error) => json!({ "error": error.code() }),
            },
            Err(error) => error,
        },
        op @ ("add_tokens" | "force_add_tokens") => {
            let n = integer(&args["n"]);
            let Ok(n) = u64::try_from(n) else {
                return Err(LeftOut::RuledOutByType);
            };
            match Tokens::to_add(n) {
                Ok(n) if op == "add_tokens" => bucket.add(n, now),
                Ok(n) => bucket.force_add(n, now),
                Err(error) => return Ok(json!({ "error": error.code() })),
            }
            Value::Null
        }
        "reset" => {
            bucket.reset(now);
            Value::Null
        }
        "get_available_tokens" => json!(bucket.available(now).to_string()),
        "verbose_available_tokens" => verbose(
            json!(bucket.available(now).to_string()),
            bucket.available_of_each(now),
            bucket.time_to_full(now),
        ),
        "verbose_try_consume" => match tokens("n") {
            Ok(n) => {
                let consumed = bucket.try_consume(n, now);
                verbose(
                    json!(consumed),
                    bucket.available_of_each(now),
                    bucket.time_to_full(now),
                )
            }
            Err(error) => error,
        },
        "blocking_try_consume" => match (tokens("n"), args_wait(args)?) {
            (Ok(n), max_wait) => match bucket.reserve(n, max_wait, now) {
                Ok(reservation) => acquired(&reservation),
                Err(ReserveError::NotInTime { .. }) => json!({ "acquired": false, "park_ns": "0" }),
                Err(error) => json!({ "error": error.code() }),
            },
            (Err(error), _) => error,
        },
        "blocking_try_consume_interrupted" => {
            // The interruption is the caller's affair: the tokens stay taken.
            let n = tokens("n").expect("an amount");
            let taken = bucket.reserve(n, args_wait(args)?, now);
            assert!(taken.is_ok_and(|reservation| reservation.wait() > 0));
            json!({ "error": "interrupted" })
        }
        "blocking_consume" => match tokens("n") {
            Ok(n) => match bucket.consume_ignoring_limits(n, now) {
                Ok(wait) => json!({ "acquired": true, "park_ns": wait.to_string() }),
                Err(error) => json!({ "error": error.code() }),
            },
            Err(error) => error,
        },
        "scheduler_try_consume" => match args_wait(args)? {
            // The reference checks the wait before the amount; the answer names the first of both.
            0 => json!({ "error": ReserveError::NonPositiveWait.code() }),
            max_wait => match tokens("n") {
                Ok(n) => match bucket.reserve(n, max_wait, now) {
                    Ok(reservation) => future(reservation.wait()),
                    Err(ReserveError::NotInTime { .. }) => {
                        json!({ "future": "rejected", "delay_ns": "0" })
                    }
                    Err(error) => json!({ "error": error.code() }),
                },
                Err(error) => error,
            },
        },
        "scheduler_consume" => match tokens("n") {
            Ok(n) => match bucket.consume_ignoring_limits(n, now) {
                Ok(wait) => future(wait),
                Err(error) => json!({ "error": error.code() }),
            },
            Err(error) => error,
        },
        "replace_configuration" => match config(&args["bandwidths"])? {
            Ok(config) => {
                bucket.replace(config, inheritance(args), now);
                Value::Null
            }
            Err(code) => json!({ "error": code }),
        },
        "ttl_millis" => time_to_live(bucket.time_to_full(now), args),
        "remote_state_hex" => return Err(LeftOut::ForeignBytes),
        "remote_call" => return Err(LeftOut::Remote),
        other => panic!("operation {other}"),
    })
}

fn args_wait(args: &Value) -> Result<u64, LeftOut> {
    u64::try_from(integer(&args["max_wait_ns"])).map_err(|_| LeftOut::RuledOutByType)
}

fn acquired(reservation: &Reservation) -> Value {
    json!({ "acquired": true, "park_ns": reservation.wait().to_string() })
}
