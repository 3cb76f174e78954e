//! The quick start of the README, between the two lines of dashes; around it, a timer and a busy main
//! program.

#![no_std]
#![no_main]

use board::println;
use portable_atomic::{AtomicU64, Ordering::Relaxed};

board::report_panics!();
board::on_tick!(tick);

/// Milliseconds since the start, if the timer interrupts that often.
static MILLIS: AtomicU64 = AtomicU64::new(0);

fn tick() {
    MILLIS.fetch_add(1, Relaxed);
}

fn millis() -> u64 {
    MILLIS.load(Relaxed)
}

// --------------------------------------------------------------------------------------------------------
use tokenweir::{AtomicBucket, Bandwidth, Tokens, checked};

// At most 5 lines at once and 10 a second, in milliseconds. A mistake in these numbers does not compile.
const LIMIT: Bandwidth = checked!(Bandwidth::greedy(5, 10, 1_000));
static LINES: AtomicBucket = checked!(AtomicBucket::new(LIMIT, 0));

// For the main program and for interrupt handlers alike.
fn log(line: &str) {
    if LINES.try_consume(Tokens::ONE, millis()) {
        println!("{line}");
    }
}
// --------------------------------------------------------------------------------------------------------

#[board::entry]
fn main() -> ! {
    board::start_ticks(20_000);
    // 5 lines at once, then one each 100 ms.
    while millis() < 550 {
        log("something happens all the time");
    }
    board::exit(0)
}
