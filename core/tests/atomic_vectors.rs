//! The recorded scenarios that a limiter in one atomic word can express, through the public API.
//!
//! A scenario is run up to the first step it cannot express. After that, all steps it can express
//! are run beside a `Bucket<1>` or a `CycleLimiter`. Both are done twice: with the instants as
//! the other tests shift them, and with the earliest one at 0.

mod common;

use std::collections::BTreeMap;

use common::{expected, integer, name, optional, scenarios, vectors};
use serde_json::{Value, json};
use tokenweir::{
    AtomicBucket, AtomicCycleLimiter, Bandwidth, Bucket, CycleConfig, CycleLimiter, Permits,
    Tokens, Wait,
};

/// What was run: compared with the known numbers, which a file that is skipped changes.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ran {
    /// Scenarios run to their end, and up to a step that cannot be expressed.
    whole: usize,
    cut: usize,
    /// Steps of those, and of the runs beside the other limiter.
    steps: usize,
    beside: usize,
    /// Runs beside it that ended where a late reading is answered differently.
    late: usize,
    /// Runs that ended at a pause beyond the horizon.
    idle: usize,
    left_out: BTreeMap<&'static str, usize>,
}

impl Ran {
    fn leave_out(&mut self, why: &'static str) {
        *self.left_out.entry(why).or_default() += 1;
    }
}

fn steps(scenario: &Value) -> &[Value] {
    scenario["steps"].as_array().map_or(&[], Vec::as_slice)
}

/// Recorded instants as ticks: shifted as in the other tests, and with the earliest one at 0.
fn offsets(instants: impl Iterator<Item = i128>) -> [i128; 2] {
    [common::SHIFT, -instants.min().expect("a start")]
}

fn ticks(instant: i128, offset: i128) -> u64 {
    u64::try_from(instant + offset).expect("an instant")
}

#[test]
fn buckets_answer_every_scenario_they_can_express() {
    let file = vectors("bucket4j.json");
    for which in 0..2 {
        let mut ran = Ran::default();
        for scenario in scenarios(&file) {
            match greedy(scenario) {
                Ok(limit) => run_bucket(scenario, limit, which, &mut ran),
                Err(why) => ran.leave_out(why),
            }
        }
        println!("{ran:?}");
        assert_eq!(scenarios(&file).len(), 866);
        let left_out = [
            ("atomic_capacity_too_large", 52),
            ("atomic_initial_tokens_too_many", 7),
            ("invalid", 14),
            ("not greedy", 233),
            ("not one bandwidth", 349),
        ];
        let expected = Ran {
            whole: 39,
            cut: 172,
            steps: 689,
            beside: 2_000,
            late: 13,
            idle: 0,
            left_out: BTreeMap::from(left_out),
        };
        assert_eq!(ran, expected);
    }
}

/// The one greedy bandwidth of a scenario.
fn greedy(scenario: &Value) -> Result<Bandwidth, &'static str> {
    let bandwidths = scenario["config"]["bandwidths"].as_array();
    let [bandwidth] = bandwidths.map_or(&[][..], Vec::as_slice) else {
        return Err("not one bandwidth");
    };
    let refill = &bandwidth["refill"];
    if refill["style"] != "greedy" {
        return Err("not greedy");
    }
    let unsigned = |value: &Value| u64::try_from(integer(value)).map_err(|_| "invalid");
    let period = match optional(&refill["period_s"]) {
        Some(seconds) => u64::try_from(seconds * 1_000_000_000).map_err(|_| "invalid")?,
        None => unsigned(&refill["period_ns"])?,
    };
    let (capacity, tokens) = (
        unsigned(&bandwidth["capacity"])?,
        unsigned(&refill["tokens"])?,
    );
    let limit = Bandwidth::greedy(capacity, tokens, period).map_err(|_| "invalid")?;
    match &bandwidth["initial_tokens"] {
        Value::Null => Ok(limit),
        tokens => limit
            .with_initial_tokens(unsigned(tokens)?)
            .map_err(|_| "invalid"),
    }
}

fn run_bucket(scenario: &Value, limit: Bandwidth, which: usize, ran: &mut Ran) {
    let start = integer(&scenario["start_ns"]);
    let at = |step: &Value| integer(&step["at_ns"]);
    let offset = offsets(steps(scenario).iter().map(at).chain([start]))[which];
    let (start, at) = (ticks(start, offset), |step| ticks(at(step), offset));

    let bucket = match AtomicBucket::new(limit, start) {
        Ok(bucket) => bucket,
        Err(error) => return ran.leave_out(error.code()),
    };
    let (mut latest, mut whole) = (start, true);
    for (index, step) in steps(scenario).iter().enumerate() {
        let now = at(step);
        if now < latest {
            whole = false;
            break;
        }
        keep_up(&bucket, &mut latest, now);
        let Some(answer) = bucket_answer(&bucket, step, now) else {
            whole = false;
            break;
        };
        assert_eq!(
            &answer,
            expected(step),
            "{} step {index}: {step}",
            name(scenario)
        );
        ran.steps += 1;
    }
    *(if whole { &mut ran.whole } else { &mut ran.cut }) += 1;

    let bucket = AtomicBucket::new(limit, start).expect("as before");
    let mut twin = Bucket::<1>::new(limit.into(), start);
    let mut latest = start;
    for (index, step) in steps(scenario).iter().enumerate() {
        let now = at(step);
        let late = now < latest;
        keep_up(&bucket, &mut latest, now);
        let Some(answer) = bucket_answer(&bucket, step, now) else {
            continue;
        };
        let beside = twin_answer(&mut twin, step, now);
        let place = || format!("{} step {index}: {step}", name(scenario));
        if late && answer != beside {
            // A late reading: what was refilled since is not there yet.
            assert!(
                bucket.available(now) <= u64::try_from(twin.available(now)).unwrap(),
                "{}",
                place()
            );
            ran.late += 1;
            break;
        }
        assert_eq!(answer, beside, "{}", place());
        let n = Tokens::new(bucket.capacity() / 2 + 1).unwrap();
        assert_eq!(
            bucket.wait(n, latest),
            twin.estimate(n, latest).wait,
            "{}",
            place()
        );
        ran.beside += 1;
    }
}

/// Touches a bucket often enough until `now`, as its documentation asks for: some scenarios pause
/// for years.
fn keep_up(bucket: &AtomicBucket, latest: &mut u64, now: u64) {
    while now.saturating_sub(*latest) > bucket.max_idle() {
        *latest += bucket.max_idle();
        bucket.touch(*latest);
    }
    *latest = now.max(*latest);
}

/// Performs a step and gives the answer in the form of the file; `None` if there is no such
/// operation.
fn bucket_answer(bucket: &AtomicBucket, step: &Value, now: u64) -> Option<Value> {
    let args = &step["args"];
    let verbose = |value: Value| {
        json!({
            "value": value,
            "per_bandwidth": [bucket.available(now).to_string()],
            "full_refill_ns": wait(bucket.time_to_full(now)),
        })
    };
    let tokens = |key: &str| Tokens::try_from(integer(&args[key]));
    let op = step["op"].as_str().expect("an operation");
    Some(match op {
        "try_consume" | "verbose_try_consume" => match tokens("n") {
            Ok(n) if op == "try_consume" => json!(bucket.try_consume(n, now)),
            Ok(n) => {
                let consumed = bucket.try_consume(n, now);
                verbose(json!(consumed))
            }
            Err(error) => json!({ "error": error.code() }),
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
            Err(error) => json!({ "error": error.code() }),
        },
        "estimate_ability_to_consume" => match tokens("n") {
            Ok(n) => json!({
                "can_be_consumed": bucket.wait(n, now).is_none(),
                "remaining": bucket.available(now).to_string(),
                "wait_refill_ns": wait(bucket.wait(n, now)),
            }),
            Err(error) => json!({ "error": error.code() }),
        },
        "try_consume_as_much_as_possible" => {
            let most = match args.get("limit") {
                None => Ok(Tokens::MAX),
                Some(_) => tokens("limit"),
            };
            match most {
                Ok(most) => json!(bucket.consume_up_to(most, now).to_string()),
                Err(error) => json!({ "error": error.code() }),
            }
        }
        "add_tokens" => match u64::try_from(integer(&args["n"])).map(Tokens::to_add) {
            Ok(Ok(n)) => {
                bucket.add(n, now);
                Value::Null
            }
            Ok(Err(error)) => json!({ "error": error.code() }),
            Err(_) => return None,
        },
        "reset" => {
            bucket.reset(now);
            Value::Null
        }
        "get_available_tokens" => json!(bucket.available(now).to_string()),
        "verbose_available_tokens" => verbose(json!(bucket.available(now).to_string())),
        _ => return None,
    })
}

/// The same operation of the other bucket, for one of those above.
fn twin_answer(bucket: &mut Bucket<1>, step: &Value, now: u64) -> Value {
    let args = &step["args"];
    let tokens = |key: &str| {
        Tokens::try_from(integer(&args[key])).map_err(|error| json!({ "error": error.code() }))
    };
    let answer = match step["op"].as_str().expect("an operation") {
        "try_consume" => tokens("n").map(|n| json!(bucket.try_consume(n, now))),
        "verbose_try_consume" => tokens("n").map(|n| {
            let consumed = bucket.try_consume(n, now);
            twin_verbose(bucket, json!(consumed), now)
        }),
        "try_consume_and_return_remaining" => tokens("n").map(|n| {
            let probe = bucket.try_consume_with_probe(n, now);
            json!({
                "consumed": probe.consumed,
                "remaining": probe.remaining.to_string(),
                "wait_refill_ns": wait(probe.wait),
                "wait_reset_ns": wait(probe.reset),
            })
        }),
        "estimate_ability_to_consume" => tokens("n").map(|n| {
            let estimate = bucket.estimate(n, now);
            json!({
                "can_be_consumed": estimate.can_consume,
                "remaining": estimate.remaining.to_string(),
                "wait_refill_ns": wait(estimate.wait),
            })
        }),
        "try_consume_as_much_as_possible" => match args.get("limit") {
            None => Ok(Tokens::MAX),
            Some(_) => tokens("limit"),
        }
        .map(|most| json!(bucket.consume_up_to(most, now).to_string())),
        "add_tokens" => {
            let n = u64::try_from(integer(&args["n"])).expect("checked");
            Tokens::to_add(n)
                .map(|n| {
                    bucket.add(n, now);
                    Value::Null
                })
                .map_err(|error| json!({ "error": error.code() }))
        }
        "reset" => {
            bucket.reset(now);
            Ok(Value::Null)
        }
        "get_available_tokens" => Ok(json!(bucket.available(now).to_string())),
        "verbose_available_tokens" => Ok(twin_verbose(
            bucket,
            json!(bucket.available(now).to_string()),
            now,
        )),
        other => panic!("operation {other}"),
    };
    answer.unwrap_or_else(|error| error)
}

fn twin_verbose(bucket: &Bucket<1>, value: Value, now: u64) -> Value {
    json!({
        "value": value,
        "per_bandwidth": [bucket.available(now).to_string()],
        "full_refill_ns": wait(bucket.time_to_full(now)),
    })
}

/// The file writes "never" as i64::MAX.
fn wait(wait: Wait) -> Value {
    json!(wait.ticks().unwrap_or(i64::MAX as u64).to_string())
}

#[test]
fn cycles_answer_every_scenario_they_can_express() {
    let file = vectors("resilience4j.json");
    for which in 0..2 {
        let mut ran = Ran::default();
        for scenario in scenarios(&file) {
            match cycles(&scenario["config"]) {
                Ok(config) => run_cycles(scenario, config, which, &mut ran),
                Err(why) => ran.leave_out(why),
            }
        }
        println!("{ran:?}");
        assert_eq!(scenarios(&file).len(), 506);
        let expected = Ran {
            whole: 52,
            cut: 443,
            steps: 1_692,
            beside: 6_453,
            late: 0,
            idle: 17,
            left_out: BTreeMap::from([("invalid", 11)]),
        };
        assert_eq!(ran, expected);
    }
}

fn cycles(config: &Value) -> Result<CycleConfig, &'static str> {
    let unsigned = |key: &str| u64::try_from(integer(&config[key])).map_err(|_| "invalid");
    CycleConfig::new(
        unsigned("limit_for_period")?,
        unsigned("limit_refresh_period_ns")?,
    )
    .and_then(|cycles| cycles.with_timeout(unsigned("timeout_ns").unwrap_or(u64::MAX)))
    .map_err(|_| "invalid")
}

fn run_cycles(scenario: &Value, config: CycleConfig, which: usize, ran: &mut Ran) {
    let start = integer(&scenario["config"]["clock_start_ns"]);
    let at = |step: &Value| start + integer(&step["at_ns"]);
    // One recorded clock wraps as an i64; only distances count.
    let offset = offsets(steps(scenario).iter().map(at).chain([start]))[which]
        - if which == 0
            && steps(scenario)
                .iter()
                .any(|step| i64::try_from(at(step)).is_err())
        {
            start
        } else {
            0
        };
    let (start, at) = (ticks(start, offset), |step| ticks(at(step), offset));

    let limiter = match AtomicCycleLimiter::new(config, start) {
        Ok(limiter) => limiter,
        Err(error) => return ran.leave_out(error.code()),
    };
    let (mut timeout, mut whole, mut touched) = (config.timeout(), true, start);
    for (index, step) in steps(scenario).iter().enumerate() {
        let (now, place) = (at(step), || {
            format!("{} step {index}: {step}", name(scenario))
        });
        let pause = now.saturating_sub(touched);
        let answer = cycle_answer(&limiter, step, now, &mut timeout);
        let Some((answer, drained)) = answer.filter(|_| pause <= limiter.max_idle()) else {
            whole = false;
            break;
        };
        if touches(step) {
            touched = touched.max(now);
        }
        // The record names the reference's exception beside the code.
        let mut result = field(step, "result").clone();
        if let Some(error) = result.as_object_mut() {
            error.remove("java");
        }
        assert_eq!(answer, result, "{}", place());
        if !field(step, "available").is_null() {
            assert_eq!(
                &json!(limiter.available(now)),
                field(step, "available"),
                "{}",
                place()
            );
        }
        if let Some(events) = field(step, "events").as_array() {
            let event = events.iter().find(|event| event["type"] == "drained");
            assert_eq!(
                drained.map(|n| json!(n)).as_ref(),
                event.map(|event| &event["n"]),
                "{}",
                place()
            );
        }
        ran.steps += 1;
    }
    *(if whole { &mut ran.whole } else { &mut ran.cut }) += 1;

    let limiter = AtomicCycleLimiter::new(config, start).expect("as before");
    let mut twin = CycleLimiter::new(config, start);
    let (mut timeout, mut touched) = (config.timeout(), start);
    for (index, step) in steps(scenario).iter().enumerate() {
        let (now, place) = (at(step), || {
            format!("{} step {index}: {step}", name(scenario))
        });
        if now.saturating_sub(touched) > limiter.max_idle() {
            ran.idle += 1;
            break;
        }
        let Some((answer, drained)) = cycle_answer(&limiter, step, now, &mut timeout) else {
            continue;
        };
        if touches(step) {
            touched = touched.max(now);
        }
        if let Ok(n) = Permits::try_from(optional(&step["args"]["n"]).unwrap_or(0)) {
            let granted = answer != json!(false) && answer != json!("-1") && answer != "rejected";
            assert_eq!(granted, twin.try_acquire(n, now), "{}", place());
        }
        if let Some(drained) = drained {
            assert_eq!(drained, twin.drain(now), "{}", place());
        }
        let n = Permits::new(limiter.limit()).unwrap();
        assert_eq!(
            (
                i64::try_from(limiter.available(now)).unwrap(),
                limiter.cycle(now),
                limiter.wait(Permits::ONE, now),
                limiter.wait(n, now),
                limiter.time_to_full(now),
            ),
            (
                twin.available(now),
                twin.cycle(now),
                twin.wait(Permits::ONE, now),
                twin.wait(n, now),
                twin.time_to_full(now),
            ),
            "{}",
            place()
        );
        ran.beside += 1;
    }
}

/// Whether a step starts the horizon anew: queries do not.
fn touches(step: &Value) -> bool {
    matches!(step["op"].as_str(), Some("acquire" | "reserve" | "drain"))
}

/// A field of what the step must answer: `expect` holds only those that differ from the record.
fn field<'a>(step: &'a Value, key: &str) -> &'a Value {
    step["expect"].get(key).unwrap_or(&step[key])
}

/// Performs a step and gives the answer in the form of the file, and what it drained; `None` if there
/// is no such operation.
fn cycle_answer(
    limiter: &AtomicCycleLimiter,
    step: &Value,
    now: u64,
    timeout: &mut u64,
) -> Option<(Value, Option<u64>)> {
    let args = &step["args"];
    let permits =
        || Permits::try_from(integer(&args["n"])).map_err(|error| json!({ "error": error.code() }));
    let answer = match step["op"].as_str().expect("an operation") {
        "acquire" => permits().map(|n| json!(limiter.try_acquire(n, now))),
        // Without a timeout, a reservation is a permit or a refusal.
        "reserve" if *timeout == 0 => permits().map(|n| match limiter.try_acquire(n, now) {
            true => json!("0"),
            false => json!("-1"),
        }),
        "call" => match permits() {
            Ok(n) if limiter.try_acquire(n, now) => {
                let outcome = args["outcome"].as_str().expect("an outcome");
                if let Some(outcome) = outcome.strip_prefix("drain_") {
                    return Some((json!(outcome), Some(limiter.drain(now))));
                }
                Ok(json!(outcome))
            }
            Ok(_) => Ok(json!("rejected")),
            Err(error) => Err(error),
        },
        "on_error" if args["drain"] != true => Ok(Value::Null),
        "on_error" | "drain" => return Some((Value::Null, Some(limiter.drain(now)))),
        // The timeout is the caller's affair.
        "change_timeout" => match u64::try_from(integer(&args["timeout_ns"])) {
            Ok(new) if new <= i64::MAX as u64 => {
                *timeout = new;
                Ok(Value::Null)
            }
            _ => return None,
        },
        "available" => Ok(json!(limiter.available(now))),
        "nanos_to_wait" => {
            let wait = limiter.wait(Permits::ONE, now);
            // The file writes "never" as i64::MAX + 1.
            Ok(json!(wait.ticks().unwrap_or(1 << 63).to_string()))
        }
        "cycle" => Ok(json!(limiter.cycle(now).to_string())),
        _ => return None,
    };
    Some((answer.unwrap_or_else(|error| error), None))
}
