//! Groups by number: limits and the states of the subjects they hold for.

use std::cell::RefCell;

use tokenweir::{LimiterState, Limits};

use crate::convert::{instant, instant_at, tokens};
use crate::fault::{Fault, outcome};
use crate::limits;
use crate::slab::Slab;
use crate::words::{NOW, NUMBER, word};

/// Limits and the states of their subjects.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) limits: Limits,
    pub(crate) states: Slab<LimiterState>,
}

thread_local! {
    static GROUPS: RefCell<Slab<Group>> = const { RefCell::new(Slab::new()) };
}

/// A new group of these limits, without entries; the number word is 1 for a wall clock.
#[must_use]
pub fn group_new(limits: u32) -> i32 {
    let group = limits::find(limits, |limits| {
        limits.check_clock(word(NUMBER) == 1).map(|()| Group {
            limits: limits.clone(),
            states: Slab::new(),
        })
    });
    let kept = group.and_then(|group| {
        let group = group.map_err(|error| Fault::new("clock", error.code(), error))?;
        Ok(GROUPS.with_borrow_mut(|slab| slab.insert(group)))
    });
    outcome(kept)
}

/// Gives a group up.
pub fn group_drop(group: u32) {
    GROUPS.with_borrow_mut(|slab| slab.remove(group));
}

/// A new entry at the instant in the words.
#[must_use]
pub fn entry_new(group: u32) -> i32 {
    with(group, |group| {
        let state = LimiterState::new(&group.limits, instant_at(NOW)?);
        Ok(group.states.insert(state))
    })
}

/// Gives an entry up.
pub fn entry_drop(group: u32, entry: u32) {
    let _ = with(group, |group| {
        group.states.remove(entry);
        Ok(0)
    });
}

/// Takes `cost` if every limit has it, at `now` in milliseconds: 1 if it was taken.
#[must_use]
pub fn decide(group: u32, entry: u32, cost: f64, now: f64) -> i32 {
    with(group, |group| {
        let state = group.states.get(entry)?;
        Ok(state
            .try_acquire(&group.limits, tokens(cost)?, instant(now)?)
            .into())
    })
}

#[inline(always)]
pub(crate) fn with(group: u32, f: impl FnOnce(&mut Group) -> Result<i32, Fault>) -> i32 {
    GROUPS.with_borrow_mut(|slab| outcome(slab.get(group).and_then(f)))
}
