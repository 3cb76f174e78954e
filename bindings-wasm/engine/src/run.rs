//! One operation on one entry, by number.

use std::sync::Arc;

use tokenweir::http;
use tokenweir::{
    Decision, LevelSnapshot, LimiterState, Limits, ReserveError, Rule, Tokens, TokensInheritance,
    Wait,
};

use crate::convert::{
    instant, instant_at, max_wait_at, permits_at, tokens, tokens_at, tokens_to_add_at,
};
use crate::fault::Fault;
use crate::group::{Group, with};
use crate::words::{
    COST, MAX_WAIT, NOW, NUMBER, RECORDS, RESULT, integer, set_amount, set_integer, set_nanos,
    set_wait, word,
};
use crate::{limits, reservation};

/// What can be done; JavaScript has the same numbers in `engine.ts`.
mod op {
    pub(super) const TRY: u32 = 0;
    pub(super) const CHECK: u32 = 1;
    pub(super) const PEEK: u32 = 2;
    pub(super) const UP_TO: u32 = 3;
    pub(super) const ANYWAY: u32 = 4;
    pub(super) const RESERVE: u32 = 5;
    pub(super) const CANCEL: u32 = 6;
    pub(super) const REFUND: u32 = 7;
    pub(super) const FORCE_ADD: u32 = 8;
    pub(super) const RESET: u32 = 9;
    pub(super) const LOOK: u32 = 10;
    pub(super) const LEVELS: u32 = 11;
    pub(super) const RESTORE: u32 = 12;
    pub(super) const PERMITS: u32 = 13;
    pub(super) const UPDATE: u32 = 14;
    pub(super) const STANDING: u32 = 15;
}

/// Words of a record of how a limit stands, and of a level.
pub(crate) const RECORD: usize = 6;
/// Beside a decision: how often the limits it refers to have been replaced.
const GENERATION: usize = RESULT + 10;
/// A reservation that would have to wait too long; the wait is left as a result.
const NOT_IN_TIME: i32 = -2;

/// Performs an operation on an entry, with the arguments in the words.
///
/// Returns 1 and 0 for yes and no where that is the answer, a reservation's number where one is made,
/// and 0 otherwise; numbers are left as results.
#[must_use]
pub fn run(group: u32, entry: u32, op: u32) -> i32 {
    with(group, |group| {
        if op == op::PERMITS {
            // Checked for the code of its error.
            return permits_at(COST).map(|_| 0);
        }
        if op == op::UPDATE {
            return update(group);
        }
        set_amount(GENERATION, group.generation);
        let Group { limits, states, .. } = group;
        let (limits, state) = (&*limits, states.get(entry)?);
        if op == op::RESTORE {
            *state = restored(limits)?;
            return Ok(0);
        }
        let amount = match op {
            op::TRY..=op::RESERVE | op::STANDING => Some(tokens_at(COST)?),
            op::REFUND | op::FORCE_ADD => Some(tokens_to_add_at(COST)?),
            _ => None,
        };
        let now = instant_at(NOW)?;
        match amount {
            Some(amount) => with_amount(limits, state, op, amount, now),
            None => without_amount(limits, state, op, now),
        }
    })
}

/// As [`run`] of a check or a peek, with the arguments as numbers.
#[must_use]
pub fn check(group: u32, entry: u32, cost: i32, now: f64) -> i32 {
    with(group, |group| {
        let state = group.states.get(entry)?;
        let decided = state.check(&group.limits, tokens(cost)?, instant(now)?);
        set_amount(GENERATION, group.generation);
        Ok(decision(decided))
    })
}

fn with_amount(
    limits: &Limits,
    state: &mut LimiterState,
    op: u32,
    amount: Tokens,
    now: u64,
) -> Result<i32, Fault> {
    Ok(match op {
        op::TRY => state.try_acquire(limits, amount, now).into(),
        op::CHECK => decision(state.check(limits, amount, now)),
        op::PEEK => decision(state.peek(limits, amount, now)),
        op::UP_TO => {
            set_amount(
                RESULT,
                state.acquire_up_to(limits, amount, now).cast_signed(),
            );
            0
        }
        op::ANYWAY => {
            set_nanos(RESULT, state.acquire_ignoring_limits(limits, amount, now)?);
            0
        }
        op::RESERVE => match state.reserve(limits, amount, max_wait_at(MAX_WAIT)?, now) {
            Ok(held) => reservation::keep(held),
            Err(ReserveError::NotInTime { wait }) => {
                set_wait(RESULT, wait);
                NOT_IN_TIME
            }
            Err(error) => return Err(error.into()),
        },
        op::STANDING => {
            standing(limits, state, amount, now);
            0
        }
        op::REFUND => {
            state.refund(limits, amount, now);
            0
        }
        _ => {
            state.force_add(limits, amount, now);
            0
        }
    })
}

fn without_amount(
    limits: &Limits,
    state: &mut LimiterState,
    op: u32,
    now: u64,
) -> Result<i32, Fault> {
    Ok(match op {
        op::CANCEL => {
            let held = reservation::take(word(NUMBER) as u32)?;
            state.cancel(limits, held, now).into()
        }
        op::RESET => {
            state.reset(limits, now);
            0
        }
        op::LEVELS => {
            let mut at = RECORDS;
            for level in state.levels(limits) {
                set_integer(at, level.tokens.into());
                set_integer(at + 2, level.remainder.into());
                set_integer(at + 4, level.last_refill);
                at += RECORD;
            }
            0
        }
        op::LOOK => {
            look(limits, state, now);
            0
        }
        _ => {
            return Err(Fault::new("", "no_such_operation"));
        }
    })
}

/// Leaves what is there, the time to full and the number of the first cycle, then how each limit
/// stands: its quota, what is there, and the time to full.
fn look(limits: &Limits, state: &LimiterState, now: u64) {
    set_amount(RESULT, state.available(limits, now));
    set_wait(RESULT + 2, state.time_to_full(limits, now));
    let cycle = limits.iter().find_map(|limit| match limit.rule() {
        Rule::Cycle(config) => state.cycles().first().map(|state| state.cycle(config, now)),
        Rule::Bandwidth(_) => None,
    });
    set_amount(RESULT + 4, cycle.unwrap_or(0).cast_signed());
    let mut at = RECORDS;
    for status in state.statuses(limits, now) {
        set_amount(at, status.limit.cast_signed());
        set_amount(at + 2, status.available);
        set_wait(at + 4, status.reset_after);
        at += RECORD;
    }
}

/// Leaves how each limit stands after a decision about a cost: what remains, the wait for the cost as a
/// refusal says it, and the wait for more than what remains.
///
/// The number word is the limit that decided, the one after it 1 if the cost was granted, and 2 if the
/// decision was another limiter's; the longest wait is that of the decision, negative for never.
fn standing(limits: &Limits, state: &LimiterState, cost: Tokens, now: u64) {
    let mut decision = state.peek(limits, cost, now);
    decision.scope = word(NUMBER) as usize;
    decision.allowed = word(NUMBER + 1) & 1 == 1;
    decision.retry_after = u64::try_from(integer(MAX_WAIT)).map_or(Wait::Never, Wait::Ticks);
    let decided = word(NUMBER + 1) & 2 == 0;
    let mut at = RECORDS;
    for standing in http::standings((limits, state), cost, &decision, decided, now) {
        set_amount(at, standing.remaining.cast_signed());
        set_wait(at + 2, standing.retry_after);
        set_wait(at + 4, standing.effective_window);
        at += RECORD;
    }
}

/// Leaves the quota, what remains, the two waits, and which limit decided.
pub(crate) fn decision(decision: Decision) -> i32 {
    set_amount(RESULT, decision.limit.cast_signed());
    set_amount(RESULT + 2, decision.remaining.cast_signed());
    set_wait(RESULT + 4, decision.retry_after);
    set_wait(RESULT + 6, decision.reset_after);
    set_amount(RESULT + 8, decision.scope as i64);
    decision.allowed.into()
}

/// The state of the levels in the records.
fn restored(limits: &Limits) -> Result<LimiterState, Fault> {
    let levels = (0..word(NUMBER) as usize).map(|index| {
        let at = RECORDS + index * RECORD;
        let (tokens, remainder) = (integer(at), integer(at + 2));
        match (tokens.try_into(), remainder.try_into()) {
            (Ok(tokens), Ok(remainder)) => Ok(LevelSnapshot {
                tokens,
                remainder,
                last_refill: integer(at + 4),
            }),
            _ => Err(Fault::new("snapshot", "out_of_range")),
        }
    });
    let levels = levels.collect::<Result<Vec<_>, _>>()?;
    Ok(LimiterState::restore(limits, &levels, &[])?)
}

/// Replaces the limits of all entries by those that the number word names; how, says the word after
/// it.
fn update(group: &mut Group) -> Result<i32, Fault> {
    let now = instant_at(NOW)?;
    let new = limits::find(word(NUMBER) as u32, Arc::clone)?;
    let inheritance = inheritance(word(NUMBER + 1));
    for state in group.states.iter_mut() {
        *state = state.replaced(&group.limits, &new, inheritance, now);
    }
    group.set_limits(new)?;
    Ok(0)
}

pub(crate) const fn inheritance(number: u64) -> TokensInheritance {
    match number {
        0 => TokensInheritance::AsIs,
        1 => TokensInheritance::Proportional,
        2 => TokensInheritance::Additive,
        _ => TokensInheritance::Reset,
    }
}
