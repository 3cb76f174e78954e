//! What the boards replay, on this machine.

use conformance::{BUCKET, CYCLE, Tally, bucket, cycle};

/// The numbers of the core's own tests, which read the JSON files.
#[test]
fn every_recorded_bucket_scenario_passes() {
    let all = sum(BUCKET.map(bucket::run));
    assert_eq!(all.to_string(), "852 scenarios, 18911 steps passed");
}

fn sum([first, second]: [Tally; 2]) -> Tally {
    Tally {
        scenarios: first.scenarios + second.scenarios,
        steps: first.steps + second.steps,
    }
}

#[test]
fn every_recorded_cycle_scenario_passes() {
    assert_eq!(
        cycle::run(CYCLE).to_string(),
        "500 scenarios, 13009 steps passed"
    );
}

/// As far as they can express them.
#[test]
fn the_limiters_of_one_word_pass() {
    let atomic = sum(BUCKET.map(bucket::run_atomic));
    assert_eq!(atomic.to_string(), "174 scenarios, 697 steps passed");
    let tiny = sum(BUCKET.map(bucket::run_tiny));
    assert_eq!(tiny.to_string(), "141 scenarios, 369 steps passed");
    let cycle = cycle::run_atomic(CYCLE);
    assert_eq!(cycle.to_string(), "404 scenarios, 2011 steps passed");
}

/// The last byte belongs to the last level, and to the permits left after the last step.
#[test]
#[should_panic(expected = "at the end")]
fn a_level_that_differs_is_reported() {
    bucket::run(&with_another_last_byte(BUCKET[1]));
}

#[test]
#[should_panic(expected = "available after it")]
fn an_answer_that_differs_is_reported() {
    cycle::run(&with_another_last_byte(CYCLE));
}

fn with_another_last_byte(scenarios: &[u8]) -> Vec<u8> {
    let mut changed = scenarios.to_vec();
    *changed.last_mut().expect("scenarios") ^= 1;
    changed
}
