//! An interrupt and the main program add to one 64-bit atomic; not one addition may be lost.

#![no_std]
#![no_main]

use portable_atomic::{AtomicU32, AtomicU64, Ordering};

board::report_panics!();
board::on_tick!(tick);

/// Starts below 2^32 so that the carry into the upper word is contended too.
static SUM: AtomicU64 = AtomicU64::new(START);
static TICKS: AtomicU32 = AtomicU32::new(0);

const START: u64 = (1 << 32) - 2_000;
const ROUNDS: u32 = 20_000;

fn tick() {
    add(1_000_000);
    TICKS.fetch_add(1, Ordering::Relaxed);
}

/// A loop of compare-and-set, as a limiter has it, rather than one `fetch_add`.
fn add(n: u64) {
    let mut seen = SUM.load(Ordering::Relaxed);
    while let Err(now) =
        SUM.compare_exchange_weak(seen, seen + n, Ordering::Relaxed, Ordering::Relaxed)
    {
        seen = now;
    }
}

#[board::entry]
fn main() -> ! {
    // Prime to the length of the loop, so that the interrupt arrives everywhere in it.
    board::start_ticks(4_999);
    for _ in 0..ROUNDS {
        add(1);
    }
    // The interrupt is still running: both are read again until no tick has come in between.
    let (sum, ticks) = loop {
        let ticks = TICKS.load(Ordering::Relaxed);
        let sum = SUM.load(Ordering::Relaxed);
        if TICKS.load(Ordering::Relaxed) == ticks {
            break (sum, ticks);
        }
    };
    assert!(ticks > 100, "only {ticks} interrupts came");
    assert_eq!(
        sum,
        START + u64::from(ROUNDS) + u64::from(ticks) * 1_000_000
    );
    board::println!("nothing lost");
    board::exit(0)
}
