//! The recorded scenarios that a limiter in one atomic word can express, through the public API.
//!
//! A scenario is run up to the first step it cannot express. After that, all steps it can express
//! are run beside a `Bucket<1>` or a `CycleLimiter`. Both are done twice: with the instants as
//! the other tests shift them, and with the earliest one at 0.

mod bucket;
#[path = "../common/mod.rs"]
mod common;
mod cycle;

use std::collections::BTreeMap;

use serde_json::Value;

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
