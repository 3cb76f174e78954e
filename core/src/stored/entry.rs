//! What is kept under one key.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::command::{Command, Outcome};
use super::error::StateError;
use super::layout;
use super::step::{Desired, Step, Write};
use crate::host::limits::Limits;
use crate::host::state::LimiterState;
use crate::{TickRate, Tokens};

/// A key's limits and their state, as they were stored or made.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) limits: Cow<'a, Limits>,
    pub(super) state: LimiterState,
    pub(super) version: Option<i64>,
    /// Changes whenever there is more than a caller who was refused has been told.
    pub(super) epoch: u8,
    /// All that was ever taken.
    pub(super) consumed: u64,
    /// Whether it has to be written.
    pub(super) changed: bool,
}

impl<'a> Entry<'a> {
    /// What is stored under a key at `now`, brought to the desired version, or a new entry.
    pub(super) fn load(
        stored: Option<&[u8]>,
        desired: &Desired<'a>,
        now: u64,
    ) -> Result<Self, StateError> {
        let Some(stored) = stored else {
            return Ok(Self::new(desired, now));
        };
        let mut entry = layout::decode(stored, desired.limits)?;
        let is_newer = desired.version > entry.version;
        if desired.version.is_some() && is_newer {
            entry.state =
                entry
                    .state
                    .replaced(&entry.limits, desired.limits, desired.inheritance, now);
            entry.limits = Cow::Borrowed(desired.limits);
            entry.version = desired.version;
            entry.epoch = entry.epoch.wrapping_add(1);
            entry.changed = true;
        }
        Ok(entry)
    }

    fn new(desired: &Desired<'a>, now: u64) -> Self {
        let limits = desired.limits;
        let state = LimiterState::new(limits, now);
        // A new state that is full needs no writing: it would be made again just so.
        let changed = !state.is_as_new(limits, now);
        Self {
            limits: Cow::Borrowed(limits),
            state,
            version: desired.version,
            epoch: 0,
            consumed: 0,
            changed,
        }
    }

    /// Runs a command.
    pub(super) fn run(&mut self, command: &Command<'_>, now: u64) -> Outcome {
        let before = self.state.clone();
        let limits = &*self.limits;
        let (outcome, taken, given) = match *command {
            Command::Check(cost) => {
                let decision = self.state.check(limits, cost, now);
                let taken = if decision.allowed { cost.get() } else { 0 };
                (Outcome::Decision(decision), taken, false)
            }
            Command::Peek(cost) => {
                let decision = self.state.peek(limits, cost, now);
                (Outcome::Decision(decision), 0, false)
            }
            Command::AcquireUpTo(most) => {
                let taken = self.state.acquire_up_to(limits, most, now);
                (Outcome::Taken(taken), taken, false)
            }
            Command::AcquireIgnoringLimits(cost) => {
                let owed = self.state.acquire_ignoring_limits(limits, cost, now);
                let taken = taken_if(owed.is_ok(), cost);
                (Outcome::Owed(owed), taken, false)
            }
            Command::Reserve { cost, max_wait } => {
                let reserved = self.state.reserve(limits, cost, max_wait, now);
                let taken = taken_if(reserved.is_ok(), cost);
                (Outcome::Reserved(reserved), taken, false)
            }
            Command::Cancel(reservation) => {
                let given = self.state.cancel(limits, reservation.duplicate(), now);
                (Outcome::Cancelled(given), 0, given)
            }
            Command::Refund(tokens) => {
                self.state.refund(limits, tokens, now);
                (Outcome::Done, 0, true)
            }
            Command::ForceAdd(tokens) => {
                self.state.force_add(limits, tokens, now);
                (Outcome::Done, 0, true)
            }
            Command::Reset => {
                self.state.reset(limits, now);
                (Outcome::Done, 0, true)
            }
            Command::Statuses => {
                let statuses: Vec<_> = self.state.statuses(limits, now).collect();
                (Outcome::Statuses(statuses), 0, false)
            }
        };
        self.consumed = self.consumed.saturating_add(taken);
        self.epoch = self.epoch.wrapping_add(u8::from(given));
        // A refusal changes one thing: a cycle that has come is remembered, once.
        self.changed |= taken > 0 || given || self.state != before;
        outcome
    }

    /// The result with these outcomes, and what has to be written, if anything.
    pub(super) fn finish<O>(self, outcome: O, now: u64) -> Step<'a, O> {
        let write = self.changed.then(|| Write {
            bytes: layout::encode(&self, now),
            time_to_live_ms: self.time_to_live_ms(now),
        });
        Step {
            outcome,
            write,
            limits: self.limits,
            version: self.version,
            epoch: self.epoch,
            consumed: self.consumed,
        }
    }

    /// How long until a new entry would be the same, in milliseconds.
    fn time_to_live_ms(&self, now: u64) -> Option<u64> {
        let over_full = self
            .state
            .statuses(&self.limits, now)
            .any(|status| status.remaining() > status.limit);
        if over_full || !self.limits.start_full() {
            return None;
        }
        let full = self.state.time_to_full(&self.limits, now).ticks()?;
        let full = TickRate::NANOS.duration_ceil(full);
        let millis = TickRate::MILLIS.ticks_ceil(full).ok()?;
        Some(millis.max(1))
    }
}

fn taken_if(granted: bool, cost: Tokens) -> u64 {
    if granted { cost.get() } else { 0 }
}
