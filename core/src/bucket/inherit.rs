//! Replacing a configuration: what the new bandwidths take over from the old ones.

use super::level::{self, Level};
use crate::{Bandwidth, arith};

/// What becomes of the tokens when the configuration of a bucket is replaced.
///
/// Bandwidths are matched by id; one without an id matches another without if each configuration
/// has at most one such. A bandwidth that matches none starts fresh. All ratios are exact and
/// rounded down to the new unit (1/period of a token where the refill is greedy).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum TokensInheritance {
    /// Keep the tokens, at most the new capacity.
    AsIs,
    /// Keep the ratio of tokens to capacity: 6 of 10 become 12 of 20. A debt scales as well.
    Proportional,
    /// Add the growth of the capacity: 40 of 100 become 140 of 200. As [`TokensInheritance::AsIs`]
    /// where the capacity does not grow.
    Additive,
    /// Start fresh.
    Reset,
}

/// The level of `new`, given what `old` bandwidths and their `levels` (not yet refilled) hold.
pub(crate) fn inherited(
    old: &[Bandwidth],
    levels: &[Level],
    new: &[Bandwidth],
    limit: &Bandwidth,
    inheritance: TokensInheritance,
    now: u64,
) -> Level {
    if inheritance == TokensInheritance::Reset {
        return Level::new(limit, now);
    }
    let unnamed_match = unnamed(old) <= 1 && unnamed(new) <= 1;
    let found = old.iter().zip(levels).find(|(candidate, _)| {
        candidate.id() == limit.id() && (limit.id().is_some() || unnamed_match)
    });
    match found {
        Some((old, level)) => {
            let level = level.refilled(old, now);
            let units = carried_over(old, &level, limit, inheritance);
            let last = last_refill(old, &level, limit, now);
            if limit.is_greedy() && last < 0 {
                // A greedy level has no room for an instant before tick 0, and needs none: its
                // refill is the same in one step or two, so the first one is made here.
                Level::from_parts(limit, units, 0).credited(limit, last.unsigned_abs(), now)
            } else {
                Level::from_parts(limit, units, last)
            }
        }
        None => Level::new(limit, now),
    }
}

fn unnamed(limits: &[Bandwidth]) -> usize {
    limits.iter().filter(|limit| limit.id().is_none()).count()
}

/// The old level in units of the new bandwidth.
fn carried_over(
    old: &Bandwidth,
    level: &Level,
    new: &Bandwidth,
    inheritance: TokensInheritance,
) -> i128 {
    let (old_unit, new_unit) = (old.unit().get(), new.unit().get());
    let old_full = arith::mul_signed(old.capacity(), old_unit);
    let new_full = arith::mul_signed(new.capacity(), new_unit);
    let units = level.units(old);
    let grows = new.capacity() > old.capacity();
    let scaled = match inheritance {
        TokensInheritance::Proportional if units >= old_full => new_full,
        TokensInheritance::Proportional => {
            arith::mul_div_floor(units, new_full.cast_unsigned(), old_full.cast_unsigned())
        }
        TokensInheritance::Additive if grows && units >= old_full => new_full,
        TokensInheritance::Additive if grows => {
            let growth = new.capacity().wrapping_sub(old.capacity());
            // The level is below the old capacity: the sum is below the new one.
            let units = units.wrapping_add(arith::mul_signed(growth, old_unit));
            arith::mul_div_floor(units, new_unit as u128, old_unit as u128)
        }
        _ => arith::mul_div_floor(units, new_unit as u128, old_unit as u128),
    };
    // Not `clamp`: it panics if its bounds are swapped, which the optimiser cannot rule out.
    scaled.max(level::lowest(new)).min(new_full)
}

/// From when the new bandwidth refills: an aligned one on its own grid, any other from where the
/// old one was.
fn last_refill(old: &Bandwidth, level: &Level, new: &Bandwidth, now: u64) -> i128 {
    let last = level.last(old);
    if new.is_aligned() {
        edge_before(new, now as i128)
    } else {
        last
    }
}

/// The last edge of an aligned bandwidth up to this instant; before the first one, that one's
/// predecessor.
pub(crate) fn edge_before(limit: &Bandwidth, instant: i128) -> i128 {
    let first = level::first_edge_before(limit, 0);
    let since = instant.wrapping_sub(first);
    if since < 0 {
        first
    } else {
        let (_, into_period) = arith::div_rem(since.cast_unsigned(), limit.period);
        instant.wrapping_sub(into_period as i128)
    }
}
