//! An interrupt and the main program share one `AtomicBucket` and one `AtomicCycleLimiter`. Both ask for
//! more than there is, so that the sum granted is known: not one token may be lost, or granted twice.
//!
//! The interrupt is also the clock, and it comes between a reading of the main program and its call.

#![no_std]
#![no_main]

use portable_atomic::{AtomicU32, Ordering::Relaxed};
use tokenweir::{
    AtomicBucket, AtomicCycleLimiter, Bandwidth, CycleConfig, Permits, Tokens, checked,
};

board::report_panics!();
board::on_tick!(tick);

static BUCKET: AtomicBucket = checked!(AtomicBucket::new(
    checked!(Bandwidth::greedy(1_000, 7, 3)),
    0
));
static CYCLE: AtomicCycleLimiter = checked!(AtomicCycleLimiter::new(
    checked!(CycleConfig::new(30, 20)),
    0
));

/// With a lock, an interrupt that finds it taken would wait forever.
const _: () = assert!(AtomicBucket::IS_LOCK_FREE && AtomicCycleLimiter::IS_LOCK_FREE);

/// The clock stops here.
const LAST: u32 = 3_000;
const TOKENS: u32 = 1_000 + LAST * 7 / 3;
/// The cycle that begins at the last tick counts.
const PERMITS: u32 = 30 * (LAST / 20 + 1);

static NOW: AtomicU32 = AtomicU32::new(0);
static BY_INTERRUPT: Count = Count::new();
static BY_MAIN: Count = Count::new();

/// What one side was granted, and how often it was refused.
struct Count {
    tokens: AtomicU32,
    permits: AtomicU32,
    refusals: AtomicU32,
}

impl Count {
    const fn new() -> Self {
        Self {
            tokens: AtomicU32::new(0),
            permits: AtomicU32::new(0),
            refusals: AtomicU32::new(0),
        }
    }

    /// Asks both limiters for one; returns whether either granted it.
    fn ask(&self, now: u32) -> bool {
        let token = BUCKET.try_consume(Tokens::ONE, now.into());
        let permit = CYCLE.try_acquire(Permits::ONE, now.into());
        self.tokens.fetch_add(token.into(), Relaxed);
        self.permits.fetch_add(permit.into(), Relaxed);
        self.refusals.fetch_add((!token).into(), Relaxed);
        token || permit
    }
}

fn tick() {
    let now = NOW.load(Relaxed);
    if now < LAST {
        let now = now + 1;
        NOW.store(now, Relaxed);
        // Sometimes less than is refilled in a tick, sometimes more.
        for _ in 0..=now % 5 {
            BY_INTERRUPT.ask(now);
        }
    }
}

#[board::entry]
fn main() -> ! {
    // Some ten rounds of the loop below. A prime, so that the interrupt arrives everywhere in it.
    board::start_ticks(99_991);
    loop {
        let now = NOW.load(Relaxed);
        if !BY_MAIN.ask(now) && now == LAST {
            break;
        }
    }
    for side in [&BY_INTERRUPT, &BY_MAIN] {
        let counts = [&side.tokens, &side.permits, &side.refusals].map(|count| count.load(Relaxed));
        assert!(
            counts.iter().all(|count| *count > 0),
            "one side has no part in it: {counts:?}"
        );
    }
    let both = |count: fn(&Count) -> &AtomicU32| {
        count(&BY_INTERRUPT).load(Relaxed) + count(&BY_MAIN).load(Relaxed)
    };
    assert_eq!(both(|count| &count.tokens), TOKENS);
    assert_eq!(both(|count| &count.permits), PERMITS);
    board::println!("{TOKENS} tokens and {PERMITS} permits granted, as many as there were");
    board::exit(0)
}
