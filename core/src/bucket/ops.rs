//! The operations of a bucket on its parts: bandwidths, their levels, and `now`.
//!
//! Slices serve every number of bandwidths with one piece of code, in a `Bucket<N>` as well as in
//! the host layer. All or nothing: each operation looks at every level first and changes them only
//! when all agree. Looking and changing both refill, instead of keeping what the first pass found,
//! because there is no allocation to keep it in; the hot case of one bandwidth does it once.

use super::inherit::{self, TokensInheritance};
use super::level::Level;
use super::narrow::Narrow;
use super::outcome::{Estimate, Probe, Reservation};
use crate::{Bandwidth, ReserveError, Tokens, Wait};

/// Takes `n` tokens from each level, if every one has them.
pub(crate) fn try_consume(limits: &[Bandwidth], levels: &mut [Level], n: Tokens, now: u64) -> bool {
    let all = has(limits, levels, n, now);
    if all {
        for (limit, level) in limits.iter().zip(levels) {
            // Seen to be there.
            let _ = level.try_take(limit, n, now);
        }
    }
    all
}

/// As [`try_consume`] for at most `N` levels: where the short cut serves all of them, what is left of
/// each is kept between looking and taking, which halves the time (benchmark `decide`).
#[inline]
pub(crate) fn try_consume_several<const N: usize>(
    limits: &[Bandwidth],
    levels: &mut [Level; N],
    n: Tokens,
    now: u64,
) -> bool {
    let mut left = [0; N];
    for ((limit, level), left) in limits.iter().zip(&*levels).zip(&mut left) {
        match level.narrow(limit, n, now) {
            Narrow::Refused => return false,
            Narrow::Left(units) => *left = units,
            Narrow::Unknown => return try_consume(limits, levels, n, now),
        }
    }
    for ((_, level), left) in limits.iter().zip(levels).zip(left) {
        level.leave(left, now);
    }
    true
}

/// As [`try_consume`], with what is left and the waits.
pub(crate) fn probe(limits: &[Bandwidth], levels: &mut [Level], n: Tokens, now: u64) -> Probe {
    let wait = wait_within_capacity(limits, levels, n, now);
    let consumed = try_consume(limits, levels, n, now);
    Probe {
        consumed,
        remaining: remaining(limits, levels, now),
        wait: if consumed { Wait::NONE } else { wait },
        reset: time_to_full(limits, levels, now),
    }
}

/// What [`probe`] would say, without taking anything.
pub(crate) fn estimate(limits: &[Bandwidth], levels: &[Level], n: Tokens, now: u64) -> Estimate {
    let can_consume = has(limits, levels, n, now);
    Estimate {
        can_consume,
        remaining: remaining(limits, levels, now),
        wait: if can_consume {
            Wait::NONE
        } else {
            wait_within_capacity(limits, levels, n, now)
        },
    }
}

/// Takes what there is, at most `limit`; returns how many tokens that were.
pub(crate) fn consume_up_to(
    limits: &[Bandwidth],
    levels: &mut [Level],
    most: Tokens,
    now: u64,
) -> u64 {
    let taken = remaining(limits, levels, now).min(most.get());
    match Tokens::new(taken) {
        Ok(n) if try_consume(limits, levels, n, now) => taken,
        _ => 0,
    }
}

/// Takes `n` tokens whether they are there or not; returns how long the debt lasts.
pub(crate) fn consume_ignoring_limits(
    limits: &[Bandwidth],
    levels: &mut [Level],
    n: Tokens,
    now: u64,
) -> Result<u64, ReserveError> {
    let Wait::Ticks(wait) = wait_for(limits, levels, n, now) else {
        return Err(ReserveError::ReservationOverflow);
    };
    if !can_owe(limits, levels, n, now) {
        return Err(ReserveError::ReservationOverflow);
    }
    for (limit, level) in limits.iter().zip(levels) {
        if let Some(owed) = level.refilled(limit, now).owe(limit, n) {
            *level = owed;
        }
    }
    Ok(wait)
}

/// Whether a debt of `n` tokens more can be kept.
pub(crate) fn can_owe(limits: &[Bandwidth], levels: &[Level], n: Tokens, now: u64) -> bool {
    let mut parts = limits.iter().zip(levels);
    parts.all(|(limit, level)| level.refilled(limit, now).owe(limit, n).is_some())
}

/// Takes `n` tokens ahead of time, unless the wait for them exceeds `max_wait`.
pub(crate) fn reserve(
    limits: &[Bandwidth],
    levels: &mut [Level],
    n: Tokens,
    max_wait: u64,
    now: u64,
) -> Result<Reservation, ReserveError> {
    if max_wait == 0 {
        return Err(ReserveError::NonPositiveWait);
    }
    let wait = wait_for(limits, levels, n, now);
    if !wait.within(max_wait) {
        return Err(ReserveError::NotInTime { wait });
    }
    consume_ignoring_limits(limits, levels, n, now).map(|wait| Reservation::new(n, wait, now))
}

/// Gives a reservation back if its time has not come.
pub(crate) fn cancel(
    limits: &[Bandwidth],
    levels: &mut [Level],
    reservation: Reservation,
    now: u64,
) -> bool {
    let pending =
        reservation.is_pending(now) && !has_reached(limits, levels, reservation.ready_at());
    if pending {
        add(limits, levels, reservation.amount(), now);
    }
    pending
}

/// Whether a level has seen this instant, which then has come, whatever the clock says now.
pub(crate) fn has_reached(limits: &[Bandwidth], levels: &[Level], instant: u64) -> bool {
    let mut parts = limits.iter().zip(levels);
    parts.any(|(limit, level)| level.last(limit) >= instant as i128)
}

/// Adds tokens up to the capacities.
pub(crate) fn add(limits: &[Bandwidth], levels: &mut [Level], n: Tokens, now: u64) {
    update(limits, levels, now, |limit, level| level.add(limit, n));
}

/// Adds tokens beyond the capacities if need be.
pub(crate) fn force_add(limits: &[Bandwidth], levels: &mut [Level], n: Tokens, now: u64) {
    update(limits, levels, now, |limit, level| {
        level.force_add(limit, n)
    });
}

/// Fills every level to its capacity.
pub(crate) fn reset(limits: &[Bandwidth], levels: &mut [Level], now: u64) {
    update(limits, levels, now, |limit, level| level.full(limit));
}

/// Writes what the `new` bandwidths take over from the old ones.
pub(crate) fn inherit(
    (old, levels): (&[Bandwidth], &[Level]),
    (new, places): (&[Bandwidth], &mut [Level]),
    inheritance: TokensInheritance,
    now: u64,
) {
    for (limit, place) in new.iter().zip(places) {
        *place = inherit::inherited(old, levels, new, limit, inheritance, now);
    }
}

/// Replaces each level by what `change` makes of it.
fn update(
    limits: &[Bandwidth],
    levels: &mut [Level],
    now: u64,
    change: impl Fn(&Bandwidth, &Level) -> Level,
) {
    for (limit, level) in limits.iter().zip(levels) {
        *level = change(limit, &level.refilled(limit, now));
    }
}

/// The tokens of the emptiest bandwidth; negative while reservations are owed.
pub(crate) fn available(limits: &[Bandwidth], levels: &[Level], now: u64) -> i64 {
    available_of_each(limits, levels, now).min().unwrap_or(0)
}

/// The tokens of each bandwidth.
pub(crate) fn available_of_each(
    limits: &[Bandwidth],
    levels: &[Level],
    now: u64,
) -> impl ExactSizeIterator<Item = i64> {
    limits
        .iter()
        .zip(levels)
        .map(move |(limit, level)| level.refilled(limit, now).tokens(limit).0)
}

/// The longest time any bandwidth needs to be at capacity.
pub(crate) fn time_to_full(limits: &[Bandwidth], levels: &[Level], now: u64) -> Wait {
    longest(limits, levels, |limit, level| {
        level.refilled(limit, now).time_to_full(limit, now)
    })
}

/// The wait for `n` tokens, whatever the capacities: a debt may be waited for.
pub(crate) fn wait_for(limits: &[Bandwidth], levels: &[Level], n: Tokens, now: u64) -> Wait {
    longest(limits, levels, |limit, level| {
        level.refilled(limit, now).wait_for(limit, n.get(), now)
    })
}

/// The wait for `n` tokens, which is never where they are not there and do not fit.
pub(crate) fn wait_within_capacity(
    limits: &[Bandwidth],
    levels: &[Level],
    n: Tokens,
    now: u64,
) -> Wait {
    longest(limits, levels, |limit, level| {
        match level.refilled(limit, now).wait_for(limit, n.get(), now) {
            Wait::NONE => Wait::NONE,
            _ if n.get() > limit.capacity() => Wait::Never,
            wait => wait,
        }
    })
}

fn remaining(limits: &[Bandwidth], levels: &[Level], now: u64) -> u64 {
    u64::try_from(available(limits, levels, now)).unwrap_or(0)
}

#[inline]
pub(crate) fn has(limits: &[Bandwidth], levels: &[Level], n: Tokens, now: u64) -> bool {
    limits
        .iter()
        .zip(levels)
        .all(|(limit, level)| level.can_take(limit, n, now))
}

fn longest(
    limits: &[Bandwidth],
    levels: &[Level],
    wait: impl Fn(&Bandwidth, &Level) -> Wait,
) -> Wait {
    limits
        .iter()
        .zip(levels)
        .map(|(limit, level)| wait(limit, level))
        .max()
        .unwrap_or(Wait::NONE)
}
