//! Recorded bucket scenarios, in an `AtomicBucket` and beside a `Bucket<1>`.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokenweir::{AtomicBucket, Bandwidth, Bucket, Probe, Tokens, Wait};

use crate::common::bucket_answers::{verbose, wait};
use crate::common::{expected, integer, name, optional, scenarios, vectors};
use crate::{Ran, offsets, steps, ticks};

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
        let Some(found) = answer(&mut &bucket, step, now) else {
            whole = false;
            break;
        };
        assert_eq!(
            &found,
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
        let Some(found) = answer(&mut &bucket, step, now) else {
            continue;
        };
        let beside = answer(&mut twin, step, now);
        let place = || format!("{} step {index}: {step}", name(scenario));
        if late && Some(&found) != beside.as_ref() {
            // A late reading: what was refilled since is not there yet.
            assert!(
                bucket.available(now) <= u64::try_from(twin.available(now)).unwrap(),
                "{}",
                place()
            );
            ran.late += 1;
            break;
        }
        assert_eq!(Some(found), beside, "{}", place());
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

/// What both buckets can do.
trait Subject {
    fn try_consume(&mut self, n: Tokens, now: u64) -> bool;
    fn probe(&mut self, n: Tokens, now: u64) -> Probe;
    fn consume_up_to(&mut self, most: Tokens, now: u64) -> u64;
    fn add(&mut self, n: Tokens, now: u64);
    fn reset(&mut self, now: u64);
    fn available(&self, now: u64) -> i64;
    fn wait(&self, n: Tokens, now: u64) -> Wait;
    fn time_to_full(&self, now: u64) -> Wait;
}

impl Subject for &AtomicBucket {
    fn try_consume(&mut self, n: Tokens, now: u64) -> bool {
        AtomicBucket::try_consume(self, n, now)
    }
    fn probe(&mut self, n: Tokens, now: u64) -> Probe {
        self.try_consume_with_probe(n, now)
    }
    fn consume_up_to(&mut self, most: Tokens, now: u64) -> u64 {
        AtomicBucket::consume_up_to(self, most, now)
    }
    fn add(&mut self, n: Tokens, now: u64) {
        AtomicBucket::add(self, n, now);
    }
    fn reset(&mut self, now: u64) {
        AtomicBucket::reset(self, now);
    }
    fn available(&self, now: u64) -> i64 {
        AtomicBucket::available(self, now).try_into().unwrap()
    }
    fn wait(&self, n: Tokens, now: u64) -> Wait {
        AtomicBucket::wait(self, n, now)
    }
    fn time_to_full(&self, now: u64) -> Wait {
        AtomicBucket::time_to_full(self, now)
    }
}

impl Subject for Bucket<1> {
    fn try_consume(&mut self, n: Tokens, now: u64) -> bool {
        Bucket::try_consume(self, n, now)
    }
    fn probe(&mut self, n: Tokens, now: u64) -> Probe {
        self.try_consume_with_probe(n, now)
    }
    fn consume_up_to(&mut self, most: Tokens, now: u64) -> u64 {
        Bucket::consume_up_to(self, most, now)
    }
    fn add(&mut self, n: Tokens, now: u64) {
        Bucket::add(self, n, now);
    }
    fn reset(&mut self, now: u64) {
        Bucket::reset(self, now);
    }
    fn available(&self, now: u64) -> i64 {
        Bucket::available(self, now)
    }
    fn wait(&self, n: Tokens, now: u64) -> Wait {
        self.estimate(n, now).wait
    }
    fn time_to_full(&self, now: u64) -> Wait {
        Bucket::time_to_full(self, now)
    }
}

/// The names of those in the file.
const OPERATIONS: [&str; 9] = [
    "try_consume",
    "verbose_try_consume",
    "try_consume_and_return_remaining",
    "estimate_ability_to_consume",
    "try_consume_as_much_as_possible",
    "add_tokens",
    "reset",
    "get_available_tokens",
    "verbose_available_tokens",
];

/// Performs a step and gives the answer in the form of the file; `None` if there is no such
/// operation.
fn answer(bucket: &mut impl Subject, step: &Value, now: u64) -> Option<Value> {
    let args = &step["args"];
    let op = step["op"].as_str().expect("an operation");
    if !OPERATIONS.contains(&op) {
        return None;
    }
    let amount = match (op, args.get("n").or(args.get("limit"))) {
        ("add_tokens", Some(n)) => match u64::try_from(integer(n)) {
            Ok(n) => Tokens::to_add(n),
            Err(_) => return None,
        },
        (_, Some(n)) => Tokens::try_from(integer(n)),
        (_, None) => Ok(Tokens::MAX),
    };
    let n = match amount {
        Ok(n) => n,
        Err(error) => return Some(json!({ "error": error.code() })),
    };
    Some(match op {
        "try_consume" => json!(bucket.try_consume(n, now)),
        "verbose_try_consume" => {
            let consumed = bucket.try_consume(n, now);
            verbose(
                json!(consumed),
                tokens(bucket, now),
                bucket.time_to_full(now),
            )
        }
        "try_consume_and_return_remaining" => {
            let probe = bucket.probe(n, now);
            json!({
                "consumed": probe.consumed,
                "remaining": probe.remaining.to_string(),
                "wait_refill_ns": wait(probe.wait),
                "wait_reset_ns": wait(probe.reset),
            })
        }
        "estimate_ability_to_consume" => json!({
            "can_be_consumed": bucket.wait(n, now).is_none(),
            "remaining": bucket.available(now).to_string(),
            "wait_refill_ns": wait(bucket.wait(n, now)),
        }),
        "try_consume_as_much_as_possible" => json!(bucket.consume_up_to(n, now).to_string()),
        "add_tokens" => {
            bucket.add(n, now);
            Value::Null
        }
        "reset" => {
            bucket.reset(now);
            Value::Null
        }
        "get_available_tokens" => json!(bucket.available(now).to_string()),
        "verbose_available_tokens" => {
            let available = json!(bucket.available(now).to_string());
            verbose(available, tokens(bucket, now), bucket.time_to_full(now))
        }
        other => panic!("operation {other}"),
    })
}

/// The tokens of the one bandwidth.
fn tokens(bucket: &impl Subject, now: u64) -> impl Iterator<Item = i64> {
    std::iter::once(bucket.available(now))
}
