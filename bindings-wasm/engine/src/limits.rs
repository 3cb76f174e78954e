//! Limits by number: read from text, or built one by one.

use std::cell::RefCell;
use std::sync::Arc;

use tokenweir::http;
use tokenweir::signed::{self, SignedBandwidth, SignedCycle, SignedRefill};
use tokenweir::{Limit, Limits, Wait};

use crate::fault::{Fault, outcome};
use crate::slab::Slab;
use crate::words::{NUMBER, RECORDS, integer, set_amount, set_nanos, set_wait, word};

// A record of a limit: five integers, then the flags.
const AMOUNT: usize = RECORDS;
const PERIOD: usize = RECORDS + 2;
/// The capacity of a bandwidth.
const CAPACITY: usize = RECORDS + 4;
/// The first refill, or an edge of the cycles.
const EDGE: usize = RECORDS + 6;
const INITIAL: usize = RECORDS + 8;
const FLAGS: usize = RECORDS + 10;

/// In the lowest three bits of the flags: greedy, interval, aligned, adaptive, cycle.
const KIND: u64 = 0b111;
const HAS_INITIAL: u64 = 0b1000;
/// The cycles are aligned.
const HAS_EDGE: u64 = 0b1_0000;

thread_local! {
    static LIMITS: RefCell<Slab<Arc<Limits>>> = const { RefCell::new(Slab::new()) };
    /// Those built so far.
    static BUILT: RefCell<Vec<Limit>> = const { RefCell::new(Vec::new()) };
}

/// Limits written as text. The value of a mistake is its column, the detail what was expected there and, in
/// a line of its own, what was found; no line means the end of the text.
#[must_use]
pub fn limits_parse(text: &str) -> i32 {
    outcome(Limits::parse(text).map_err(Fault::from).map(new))
}

/// Adds the limit of the record to those that [`limits_build`] puts together; an empty name is none.
#[must_use]
pub fn limits_add(name: &str) -> i32 {
    outcome(read().map(|limit| {
        let limit = if name.is_empty() {
            limit
        } else {
            limit.named(name)
        };
        BUILT.with_borrow_mut(|built| built.push(limit));
        0
    }))
}

/// The limits that were added.
#[must_use]
pub fn limits_build() -> i32 {
    outcome(Limits::new(BUILT.take()).map_err(Fault::from).map(new))
}

/// Gives limits up; limiters that have them keep them.
pub fn limits_drop(slot: u32) {
    LIMITS.with_borrow_mut(|slab| slab.remove(slot));
}

/// The text, and after it a line for each limit with what it is called.
#[must_use]
pub fn limits_text(slot: u32) -> String {
    LIMITS.with_borrow_mut(|slab| {
        slab.get(slot).map_or_else(
            |_| String::new(),
            |limits| {
                let mut text = limits.text();
                for index in 0..limits.len() {
                    text.push('\n');
                    text.push_str(limits.name(index));
                }
                text
            },
        )
    })
}

/// Leaves the quota, the amount and the period of the limit that the number word names at the record;
/// returns 1 if a limit needs a wall clock.
#[must_use]
pub fn limits_look(slot: u32) -> i32 {
    outcome(find(slot, |limits| {
        if let Some(limit) = limits.get(word(NUMBER) as usize) {
            set_amount(CAPACITY, limit.quota().cast_signed());
            set_amount(AMOUNT, limit.amount().cast_signed());
            set_nanos(PERIOD, limit.period());
            set_wait(EDGE, window(limit));
        }
        limits.is_aligned().into()
    }))
}

/// The time in which the whole quota comes back; never if that is more than a century, which no field needs
/// to say and no float can say exactly.
fn window(limit: &Limit) -> Wait {
    match http::window(limit) {
        nanos if nanos < 1 << 62 => Wait::Ticks(nanos),
        _ => Wait::Never,
    }
}

pub(crate) fn find<R>(slot: u32, f: impl FnOnce(&Arc<Limits>) -> R) -> Result<R, Fault> {
    LIMITS.with_borrow_mut(|slab| slab.get(slot).map(|limits| f(limits)))
}

fn new(limits: Limits) -> i32 {
    keep(Arc::new(limits))
}

/// Keeps limits by number.
pub(crate) fn keep(limits: Arc<Limits>) -> i32 {
    LIMITS.with_borrow_mut(|slab| slab.insert(limits))
}

/// The limit of the record.
fn read() -> Result<Limit, Fault> {
    let flags = word(FLAGS);
    let first_refill = integer(EDGE);
    let refill = match flags & KIND {
        0 => SignedRefill::Greedy,
        1 => SignedRefill::Interval,
        2 => SignedRefill::Aligned { first_refill },
        3 => SignedRefill::Adaptive { first_refill },
        _ => return cycle(flags),
    };
    let numbers = SignedBandwidth {
        capacity: integer(CAPACITY),
        tokens: integer(AMOUNT),
        period: integer(PERIOD),
        refill,
        initial_tokens: (flags & HAS_INITIAL != 0).then(|| integer(INITIAL)),
    };
    Ok(Limit::bandwidth(numbers.build()?))
}

fn cycle(flags: u64) -> Result<Limit, Fault> {
    let numbers = SignedCycle {
        limit: integer(AMOUNT),
        period: integer(PERIOD),
        timeout: integer(INITIAL),
    };
    let config = numbers.build()?;
    Ok(Limit::cycle(if flags & HAS_EDGE != 0 {
        config.aligned_to(signed::instant(integer(EDGE))?)
    } else {
        config
    }))
}
