//! Giving back, adding and filling.

use super::limits::Limits;
use super::slots::SlotsMut;
use crate::Tokens;
use crate::bucket::ops;

/// Gives `tokens` back to every limit, up to its quota.
pub(crate) fn refund(limits: &Limits, slots: SlotsMut<'_>, tokens: Tokens, now: u64) {
    ops::add(limits.bandwidths(), slots.levels, tokens, now);
    for (config, state) in limits.cycles().iter().zip(slots.cycles) {
        state.refund(config, tokens.into(), now);
    }
}

/// Adds `tokens` to every limit, beyond its quota if need be.
pub(crate) fn force_add(limits: &Limits, slots: SlotsMut<'_>, tokens: Tokens, now: u64) {
    ops::force_add(limits.bandwidths(), slots.levels, tokens, now);
    for (config, state) in limits.cycles().iter().zip(slots.cycles) {
        state.force_add(config, tokens.into(), now);
    }
}

/// Fills every limit.
pub(crate) fn reset(limits: &Limits, slots: SlotsMut<'_>, now: u64) {
    ops::reset(limits.bandwidths(), slots.levels, now);
    for (config, state) in limits.cycles().iter().zip(slots.cycles) {
        state.fill(config, now);
    }
}
