//! The state of several limits, wherever it is kept.

use super::limit::Rule;
use super::limits::Limits;
use crate::bucket::level::Level;
use crate::bucket::ops;
use crate::{Bandwidth, CycleConfig, CycleState, Tokens, Wait};

/// One level for each bandwidth and one state for each cycle of [`Limits`], in their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots<'a> {
    pub(crate) levels: &'a [Level],
    pub(crate) cycles: &'a [CycleState],
}

/// As [`Slots`], to be changed.
#[derive(Debug)]
pub(crate) struct SlotsMut<'a> {
    pub(crate) levels: &'a mut [Level],
    pub(crate) cycles: &'a mut [CycleState],
}

impl SlotsMut<'_> {
    /// The same to look at.
    pub(crate) const fn view(&self) -> Slots<'_> {
        Slots {
            levels: self.levels,
            cycles: self.cycles,
        }
    }

    /// The same for a shorter time.
    pub(crate) const fn reborrow(&mut self) -> SlotsMut<'_> {
        SlotsMut {
            levels: self.levels,
            cycles: self.cycles,
        }
    }
}

/// One limit with its state.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    Bucket(&'a Bandwidth, &'a Level),
    Cycle(&'a CycleConfig, &'a CycleState),
}

impl Limits {
    /// Each limit with its state, in the order of the limits.
    pub(crate) fn parts<'a>(&'a self, slots: Slots<'a>) -> impl Iterator<Item = Part<'a>> {
        let mut buckets = self.bandwidths().iter().zip(slots.levels);
        let mut cycles = self.cycles().iter().zip(slots.cycles);
        self.iter().filter_map(move |limit| match limit.rule() {
            Rule::Bandwidth(_) => buckets
                .next()
                .map(|(limit, level)| Part::Bucket(limit, level)),
            Rule::Cycle(_) => cycles
                .next()
                .map(|(config, state)| Part::Cycle(config, state)),
        })
    }
}

impl Part<'_> {
    /// The most that can be there.
    pub(crate) const fn quota(&self) -> u64 {
        match self {
            Self::Bucket(limit, _) => limit.capacity(),
            Self::Cycle(config, _) => config.limit(),
        }
    }

    /// How long until a cost of `n` is granted; never where it is above the quota.
    pub(crate) fn wait(&self, n: Tokens, now: u64) -> Wait {
        match self {
            Self::Bucket(limit, level) => ops::wait_within_capacity(
                core::slice::from_ref(limit),
                core::slice::from_ref(level),
                n,
                now,
            ),
            Self::Cycle(config, state) => state.wait_within_limit(config, n.into(), now),
        }
    }

    /// How long until a debt of `n` more is paid, whatever the quota.
    pub(crate) fn wait_owing(&self, n: Tokens, now: u64) -> Wait {
        match self {
            Self::Bucket(limit, level) => level.refilled(limit, now).wait_for(limit, n.get(), now),
            Self::Cycle(config, state) => state.wait(config, n.into(), now),
        }
    }

    /// What is there; negative while reservations are owed.
    pub(crate) const fn available(&self, now: u64) -> i64 {
        match self {
            Self::Bucket(limit, level) => level.refilled(limit, now).tokens(limit).0,
            Self::Cycle(config, state) => state.available(config, now),
        }
    }

    /// Whether exactly the quota is there.
    pub(crate) const fn is_full(&self, now: u64) -> bool {
        match self {
            Self::Bucket(limit, level) => level.is_full(limit, now),
            Self::Cycle(config, state) => {
                state.available(config, now) == config.limit().cast_signed()
            }
        }
    }

    /// How long until the whole quota is there.
    pub(crate) const fn time_to_full(&self, now: u64) -> Wait {
        match self {
            Self::Bucket(limit, level) => level.refilled(limit, now).time_to_full(limit, now),
            Self::Cycle(config, state) => state.time_to_full(config, now),
        }
    }
}
