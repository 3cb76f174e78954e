//! Every recorded scenario, replayed through the public API: the same on this machine and on the boards.
//!
//! The build script turns the JSON files of `tests/vectors` into bytes that fit a microcontroller
//! (`src/format.rs` describes them); [`bucket::run`] and [`cycle::run`] replay them without allocating, and
//! panic at the first answer that differs.
//!
//! A scenario is named by its index in the JSON file, a step by its place among those that are replayed:
//! the tests of the core say which are left out, and why.

#![no_std]

pub mod bucket;
pub mod cycle;
mod format;
mod reader;

use core::fmt;

/// The scenarios of a bucket, in two parts, as not all boards have the memory for both.
pub const BUCKET: [&[u8]; 2] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/bucket_1.bin")),
    include_bytes!(concat!(env!("OUT_DIR"), "/bucket_2.bin")),
];

/// The scenarios of a cycle limiter.
pub const CYCLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cycle.bin"));

/// How much was replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub scenarios: usize,
    pub steps: usize,
}

impl Tally {
    fn add(&mut self, steps: usize) {
        self.scenarios += 1;
        self.steps += steps;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} scenarios, {} steps passed",
            self.scenarios, self.steps
        )
    }
}
