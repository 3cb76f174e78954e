//! The deciding core of tokenweir as a WebAssembly module of a few kilobytes.
//!
//! One bandwidth for any number of entries, in numbers: amounts are whole, times milliseconds. What is
//! out of range is answered by NaN, without a reason.

use std::cell::RefCell;

use tokenweir::{Bandwidth, BucketConfig, BucketState, FloatUnit, Tokens, Wait};

// SAFETY: a module without threads is used by one.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: lol_alloc::AssumeSingleThreaded<lol_alloc::FreeListAllocator> =
    unsafe { lol_alloc::AssumeSingleThreaded::new(lol_alloc::FreeListAllocator::new()) };

/// A bandwidth and the states of its entries.
struct Group {
    config: BucketConfig<1>,
    states: Vec<BucketState<1>>,
}

thread_local! {
    static GROUPS: RefCell<Vec<Group>> = const { RefCell::new(Vec::new()) };
}

/// A new group: `tokens` each `period`, at most `capacity`; all at once at the end of a period if
/// `interval` is 1. Returns its number.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
pub extern "C" fn group(capacity: f64, tokens: f64, period: f64, interval: f64) -> f64 {
    let new = || {
        let (capacity, tokens) = (amount(capacity)?.get(), amount(tokens)?.get());
        let period = FloatUnit::MILLIS.exact(period).ok()?;
        let bandwidth = if interval == 1.0 {
            Bandwidth::interval(capacity, tokens, period)
        } else {
            Bandwidth::greedy(capacity, tokens, period)
        };
        let config = BucketConfig::single(bandwidth.ok()?);
        GROUPS.with_borrow_mut(|groups| {
            groups.push(Group {
                config,
                states: Vec::new(),
            });
            Some((groups.len() - 1) as f64)
        })
    };
    answer(new())
}

/// A new entry, full at `now`. Returns its number.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
pub extern "C" fn entry(group: f64, now: f64) -> f64 {
    with(group, |group| {
        let state = BucketState::new(&group.config, FloatUnit::MILLIS.nearest(now).ok()?);
        group.states.push(state);
        Some((group.states.len() - 1) as f64)
    })
}

/// Takes `cost` if it is there: 1 if it was, 0 if not.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
pub extern "C" fn decide(group: f64, entry: f64, cost: f64, now: f64) -> f64 {
    with(group, |group| {
        let state = group.states.get_mut(entry as usize)?;
        let (cost, now) = (amount(cost)?, FloatUnit::MILLIS.nearest(now).ok()?);
        Some(f64::from(u8::from(state.try_consume(
            &group.config,
            cost,
            now,
        ))))
    })
}

/// Makes an entry as it is when it is new: full.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
pub extern "C" fn renew(group: f64, entry: f64, now: f64) -> f64 {
    with(group, |group| {
        let state = group.states.get_mut(entry as usize)?;
        *state = BucketState::new(&group.config, FloatUnit::MILLIS.nearest(now).ok()?);
        Some(entry)
    })
}

/// How long until `cost` is granted; infinite for never.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
pub extern "C" fn wait(group: f64, entry: f64, cost: f64, now: f64) -> f64 {
    with(group, |group| {
        let state = group.states.get(entry as usize)?;
        let (cost, now) = (amount(cost)?, FloatUnit::MILLIS.nearest(now).ok()?);
        Some(match state.estimate(&group.config, cost, now).wait {
            Wait::Ticks(nanos) => FloatUnit::MILLIS.of_nanos_ceil(nanos),
            Wait::Never => f64::INFINITY,
        })
    })
}

/// How much is there, rounded down.
// SAFETY: no other function has this name.
#[unsafe(no_mangle)]
pub extern "C" fn available(group: f64, entry: f64, now: f64) -> f64 {
    with(group, |group| {
        let state = group.states.get(entry as usize)?;
        Some(state.available(&group.config, FloatUnit::MILLIS.nearest(now).ok()?) as f64)
    })
}

fn with(group: f64, f: impl FnOnce(&mut Group) -> Option<f64>) -> f64 {
    GROUPS.with_borrow_mut(|groups| answer(groups.get_mut(group as usize).and_then(f)))
}

fn answer(number: Option<f64>) -> f64 {
    number.unwrap_or(f64::NAN)
}

fn amount(n: f64) -> Option<Tokens> {
    // A signed word, whose conversions take less.
    let whole = n as i64;
    if whole as f64 != n || !(1.0..9_007_199_254_740_992.0).contains(&n) {
        return None;
    }
    Tokens::new(whole.cast_unsigned()).ok()
}
