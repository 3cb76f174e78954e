//! Every recorded scenario through stored bytes: after each command they are all that is left.

mod common;

use common::subject::Subject;
use common::{expected, instant, integer, name, optional, scenarios};
use serde_json::{Value, json};
use tokenweir::stored::{Command, Desired, Outcome, step};
use tokenweir::{
    Bandwidth, Decision, Limit, LimitStatus, LimiterReservation, Limits, ReserveError, Tokens,
    TokensInheritance,
};

/// A key of a store that has one.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    stored: Option<Vec<u8>>,
    limits: Limits,
    /// Grows with each replacement, as a deployment's would.
    version: i64,
}

impl Key {
    fn run(&mut self, command: &Command<'_>, now: u64) -> Outcome {
        self.run_with(command, TokensInheritance::AsIs, now)
    }

    fn run_with(
        &mut self,
        command: &Command<'_>,
        inheritance: TokensInheritance,
        now: u64,
    ) -> Outcome {
        let desired = Desired::versioned(&self.limits, self.version, inheritance);
        let step = step(self.stored.as_deref(), &desired, now, command).expect("its own bytes");
        assert_eq!(*step.limits, self.limits);
        let write = step.write;
        if let Some(write) = write {
            self.stored = Some(write.bytes);
        }
        step.outcome
    }
}

impl Subject for Key {
    fn make(limits: Limits, now: u64) -> Self {
        let mut key = Self {
            stored: None,
            limits,
            version: 0,
        };
        // The scenarios make their limiter first. A new entry that is full is not stored by itself,
        // and giving it something back leaves it full.
        key.run(&Command::Statuses, now);
        if key.stored.is_none() {
            key.run(&Command::Refund(Tokens::ONE), now);
        }
        key
    }

    fn check(&mut self, cost: Tokens, now: u64) -> Decision {
        decision(self.run(&Command::Check(cost), now))
    }

    fn peek(&self, cost: Tokens, now: u64) -> Decision {
        decision(self.clone().run(&Command::Peek(cost), now))
    }

    fn acquire_up_to(&mut self, most: Tokens, now: u64) -> u64 {
        match self.run(&Command::AcquireUpTo(most), now) {
            Outcome::Taken(taken) => taken,
            other => panic!("{other:?}"),
        }
    }

    fn acquire_ignoring_limits(&mut self, cost: Tokens, now: u64) -> Result<u64, ReserveError> {
        match self.run(&Command::AcquireIgnoringLimits(cost), now) {
            Outcome::Owed(owed) => owed,
            other => panic!("{other:?}"),
        }
    }

    fn reserve(
        &mut self,
        cost: Tokens,
        max_wait: u64,
        now: u64,
    ) -> Result<LimiterReservation, ReserveError> {
        match self.run(&Command::Reserve { cost, max_wait }, now) {
            Outcome::Reserved(reserved) => reserved,
            other => panic!("{other:?}"),
        }
    }

    fn refund(&mut self, tokens: Tokens, now: u64) {
        self.run(&Command::Refund(tokens), now);
    }

    fn force_add(&mut self, tokens: Tokens, now: u64) {
        self.run(&Command::ForceAdd(tokens), now);
    }

    fn reset(&mut self, now: u64) {
        self.run(&Command::Reset, now);
    }

    fn update(&mut self, limits: Limits, inheritance: TokensInheritance, now: u64) {
        self.limits = limits;
        self.version += 1;
        self.run_with(&Command::Statuses, inheritance, now);
    }

    fn statuses(&self, now: u64) -> Vec<LimitStatus> {
        match self.clone().run(&Command::Statuses, now) {
            Outcome::Statuses(statuses) => statuses,
            other => panic!("{other:?}"),
        }
    }
}

fn decision(outcome: Outcome) -> Decision {
    match outcome {
        Outcome::Decision(decision) => decision,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_recorded_bucket_scenario_passes() {
    common::host_buckets::run_all::<Key>();
}

#[test]
fn every_recorded_cycle_scenario_passes() {
    common::host_cycles::run_all::<Key>();
}

#[test]
fn every_recorded_rule_of_stored_configurations_holds() {
    let file = common::vectors("bucket4j.json");
    let remote = |scenario: &&Value| scenario.get("config").is_none();
    let mut steps = 0;
    for scenario in scenarios(&file).iter().filter(remote) {
        let mut stored = None;
        for step in scenario["steps"].as_array().expect("steps") {
            let answer = remote_call(&mut stored, &step["args"], instant(&step["at_ns"]));
            assert_eq!(&answer, expected(step), "{}: {step}", name(scenario));
            steps += 1;
        }
    }
    assert_eq!(steps, 19);
}

fn remote_call(stored: &mut Option<Vec<u8>>, args: &Value, now: u64) -> Value {
    let limits = args["bandwidths"]
        .as_array()
        .expect("bandwidths")
        .iter()
        .map(|bandwidth| {
            let refill = &bandwidth["refill"];
            let number = |value| u64::try_from(integer(value)).expect("positive");
            let capacity = number(&bandwidth["capacity"]);
            let (tokens, period) = (number(&refill["tokens"]), number(&refill["period_ns"]));
            Limit::bandwidth(Bandwidth::greedy(capacity, tokens, period).expect("in range"))
        });
    let limits = Limits::new(limits).expect("limits");
    let inheritance = match args["strategy"].as_str() {
        None | Some("AS_IS") => TokensInheritance::AsIs,
        Some("PROPORTIONALLY") => TokensInheritance::Proportional,
        Some("ADDITIVE") => TokensInheritance::Additive,
        Some("RESET") => TokensInheritance::Reset,
        Some(other) => panic!("strategy {other}"),
    };
    let desired = match optional(&args["desired_version"]) {
        None => Desired::new(&limits),
        Some(version) => Desired::versioned(&limits, version as i64, inheritance),
    };
    let cost = || Tokens::try_from(integer(&args["n"])).expect("positive");
    let op = args["op"].as_str().expect("an operation");
    let command = match op {
        "try_consume" | "try_consume_and_return_remaining" => Command::Check(cost()),
        "consume_ignoring_rate_limits" => Command::AcquireIgnoringLimits(cost()),
        "get_available_tokens" => Command::Statuses,
        other => panic!("operation {other}"),
    };
    let step = step(stored.as_deref(), &desired, now, &command).expect("its own bytes");
    let version = step.version.map(|version| version.to_string());
    let capacity = step.limits.iter().map(Limit::quota).min().expect("a limit");
    let value = match step.outcome {
        Outcome::Decision(decision) if op == "try_consume" => json!(decision.allowed),
        Outcome::Decision(decision) => json!({
            "consumed": decision.allowed,
            "remaining": decision.remaining.to_string(),
            "wait_refill_ns": decision.retry_after.ticks().expect("not never").to_string(),
            "wait_reset_ns": decision.reset_after.ticks().expect("not never").to_string(),
        }),
        Outcome::Owed(owed) => json!(owed.expect("in range").to_string()),
        Outcome::Statuses(statuses) => {
            let least = statuses.iter().map(|status| status.available).min();
            json!(least.expect("a limit").to_string())
        }
        other => panic!("{other:?}"),
    };
    if let Some(write) = step.write {
        *stored = Some(write.bytes);
    }
    json!({
        "value": value,
        "stored_version": version,
        "stored_capacity": capacity.to_string(),
        "stored_consumed_total": step.consumed.to_string(),
    })
}
