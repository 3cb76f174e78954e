//! Replacing limits: what the new ones take over from the old.

use super::limit::{Limit, Rule};
use super::limits::Limits;
use super::slots::Slots;
use super::state::LimiterState;
use crate::bucket::level::Level;
use crate::bucket::ops;
use crate::{CycleConfig, CycleState, TokensInheritance};

/// The state of `new`, given what `old` holds.
pub(crate) fn replaced(
    (old, slots): (&Limits, Slots<'_>),
    new: &Limits,
    inheritance: TokensInheritance,
    now: u64,
) -> LimiterState {
    let bandwidths = new.bandwidths_at(now);
    let mut levels = alloc::vec![Level::UNUSED; bandwidths.len()];
    ops::inherit(
        (old.bandwidths(), slots.levels),
        (&bandwidths, &mut levels),
        inheritance,
        now,
    );
    let unnamed_match = unnamed(old) <= 1 && unnamed(new) <= 1;
    let cycles = cycles(new).map(|(limit, config)| {
        let found = cycles(old).zip(slots.cycles).find(|((candidate, _), _)| {
            candidate.name() == limit.name() && (limit.name().is_some() || unnamed_match)
        });
        match found {
            Some(((_, old), state)) => state.inherited(old, config, inheritance, now),
            None => CycleState::new(config, now),
        }
    });
    LimiterState::of(
        levels.into_iter(),
        cycles.collect::<alloc::vec::Vec<_>>().into_iter(),
    )
}

fn cycles(limits: &Limits) -> impl Iterator<Item = (&Limit, &CycleConfig)> {
    limits.iter().filter_map(|limit| match limit.rule() {
        Rule::Cycle(config) => Some((limit, config)),
        Rule::Bandwidth(_) => None,
    })
}

fn unnamed(limits: &Limits) -> usize {
    cycles(limits)
        .filter(|(limit, _)| limit.name().is_none())
        .count()
}
