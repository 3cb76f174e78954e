//! The recorded cycle scenarios.

#![no_std]
#![no_main]

use conformance::{CYCLE, cycle};

board::report_panics!();

#[board::entry]
fn main() -> ! {
    board::println!("CycleLimiter: {}", cycle::run(CYCLE));
    board::println!("AtomicCycleLimiter: {}", cycle::run_atomic(CYCLE));
    board::exit(0)
}
