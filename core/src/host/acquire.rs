//! Deciding over several limits: all grant or none pays.

use super::decision::{Decision, LimitStatus};
use super::limits::Limits;
use super::slots::{Part, Slots, SlotsMut};
use crate::bucket::level::Level;
use crate::bucket::ops;
use crate::{Tokens, Wait};

/// Takes `cost` from every limit, if all have it.
pub(crate) fn try_acquire(
    limits: &Limits,
    mut slots: SlotsMut<'_>,
    cost: Tokens,
    now: u64,
) -> bool {
    see(limits, slots.reborrow(), now);
    let mut cycles = limits.cycles().iter().zip(&*slots.cycles);
    let enough = cycles.all(|(config, state)| has(state.available(config, now), cost));
    let granted = enough && take_tokens(limits, slots.levels, cost, now);
    if granted {
        for (config, state) in limits.cycles().iter().zip(slots.cycles) {
            // Seen to be there.
            let _ = state.try_acquire(config, cost.into(), now);
        }
    }
    granted
}

/// Lets each cycle know that `now` has come, which it remembers whatever is decided and whatever the
/// clock says later.
pub(crate) fn see(limits: &Limits, slots: SlotsMut<'_>, now: u64) {
    for (config, state) in limits.cycles().iter().zip(slots.cycles) {
        state.see(config, now);
    }
}

/// Whether [`try_acquire`] would grant.
pub(crate) fn can_acquire(limits: &Limits, slots: Slots<'_>, cost: Tokens, now: u64) -> bool {
    let mut cycles = limits.cycles().iter().zip(slots.cycles);
    cycles.all(|(config, state)| has(state.available(config, now), cost))
        && ops::has(limits.bandwidths(), slots.levels, cost, now)
}

/// As [`try_acquire`], with the numbers of the limit that decided.
pub(crate) fn check(limits: &Limits, mut slots: SlotsMut<'_>, cost: Tokens, now: u64) -> Decision {
    if try_acquire(limits, slots.reborrow(), cost, now) {
        granted(limits, slots.view(), now)
    } else {
        refused(limits, slots.view(), cost, now)
    }
}

/// What [`check`] would decide, with the numbers as they are.
pub(crate) fn peek(limits: &Limits, slots: Slots<'_>, cost: Tokens, now: u64) -> Decision {
    if can_acquire(limits, slots, cost, now) {
        granted(limits, slots, now)
    } else {
        refused(limits, slots, cost, now)
    }
}

/// Takes what every limit has, at most `most`; returns how much that was.
pub(crate) fn acquire_up_to(
    limits: &Limits,
    mut slots: SlotsMut<'_>,
    most: Tokens,
    now: u64,
) -> u64 {
    see(limits, slots.reborrow(), now);
    let there = u64::try_from(available(limits, slots.view(), now)).unwrap_or(0);
    let taken = there.min(most.get());
    match Tokens::new(taken) {
        Ok(cost) if try_acquire(limits, slots, cost, now) => taken,
        _ => 0,
    }
}

/// What the limit with the least has; negative while reservations are owed.
pub(crate) fn available(limits: &Limits, slots: Slots<'_>, now: u64) -> i64 {
    limits
        .parts(slots)
        .map(|part| part.available(now))
        .min()
        .unwrap_or(0)
}

/// How long until every limit is full.
pub(crate) fn time_to_full(limits: &Limits, slots: Slots<'_>, now: u64) -> Wait {
    limits
        .parts(slots)
        .map(|part| part.time_to_full(now))
        .max()
        .unwrap_or(Wait::NONE)
}

/// How a limit stands.
pub(crate) const fn status(part: &Part<'_>, now: u64) -> LimitStatus {
    LimitStatus {
        limit: part.quota(),
        available: part.available(now),
        reset_after: part.time_to_full(now),
    }
}

/// The decision of the limit that has the least left.
pub(crate) fn granted(limits: &Limits, slots: Slots<'_>, now: u64) -> Decision {
    let decisions = limits
        .parts(slots)
        .enumerate()
        .map(|(scope, part)| Decision::of(scope, &status(&part, now), true, Wait::NONE));
    decisions
        .reduce(|first, next| {
            if next.decides_before(&first) {
                next
            } else {
                first
            }
        })
        .unwrap_or(Decision::NOTHING)
}

/// The decision of the limit with the longest wait; of the one with the least left if none of these
/// has to wait, since another subject refused.
pub(crate) fn refused(limits: &Limits, slots: Slots<'_>, cost: Tokens, now: u64) -> Decision {
    let (mut longest, mut scope) = (Wait::NONE, None);
    for (index, part) in limits.parts(slots).enumerate() {
        let wait = part.wait(cost, now);
        if wait > longest {
            (longest, scope) = (wait, Some((index, part)));
        }
    }
    match scope {
        Some((scope, part)) => Decision::of(scope, &status(&part, now), false, longest),
        None => Decision {
            allowed: false,
            ..granted(limits, slots, now)
        },
    }
}

#[inline]
fn take_tokens(limits: &Limits, levels: &mut [Level], cost: Tokens, now: u64) -> bool {
    let bandwidths = limits.bandwidths();
    // Two limits are the usual several: one pass serves them.
    match <&mut [Level; 2]>::try_from(&mut *levels) {
        Ok(pair) => ops::try_consume_several(bandwidths, pair, cost, now),
        Err(_) => ops::try_consume(bandwidths, levels, cost, now),
    }
}

fn has(available: i64, cost: Tokens) -> bool {
    available >= cost.get().cast_signed()
}
