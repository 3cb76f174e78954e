//! Taking ahead of time, from every limit.

use alloc::boxed::Box;

use super::acquire;
use super::limits::Limits;
use super::slots::{Slots, SlotsMut};
use crate::bucket::ops;
use crate::{Reservation, ReserveError, Tokens, Wait};

/// A cost taken ahead of time from several limits: it may be used once the wait is over.
///
/// Dropping it keeps the cost taken; `cancel` of the limiter it came from gives it back as long as
/// its time has not come.
#[derive(Debug, PartialEq, Eq, Hash)]
#[must_use = "the cost is taken, but must not be used before the wait is over"]
pub struct LimiterReservation {
    whole: Reservation,
    /// For each cycle, until when its permits can be given back: the cycle they count for is over
    /// then.
    due_until: Box<[u64]>,
}

impl LimiterReservation {
    /// The same once more: a store that has to try again cancels it again, but only once counts.
    pub(crate) fn duplicate(&self) -> Self {
        Self {
            whole: self.whole.duplicate(),
            due_until: self.due_until.clone(),
        }
    }

    /// What was taken.
    pub const fn cost(&self) -> Tokens {
        self.whole.amount()
    }

    /// How long to wait from the call that reserved it, in nanoseconds; 0 means it may be used.
    pub const fn wait(&self) -> u64 {
        self.whole.wait()
    }

    /// The instant from which it may be used, in nanoseconds.
    pub const fn ready_at(&self) -> u64 {
        self.whole.ready_at()
    }
}

/// The longest wait for `cost` of any limit, whatever the quotas: a debt may be waited for.
pub(crate) fn wait_owing(limits: &Limits, slots: Slots<'_>, cost: Tokens, now: u64) -> Wait {
    limits
        .parts(slots)
        .map(|part| part.wait_owing(cost, now))
        .max()
        .unwrap_or(Wait::NONE)
}

/// Whether a debt of `cost` more can be kept by every limit.
pub(crate) fn can_owe(limits: &Limits, slots: Slots<'_>, cost: Tokens, now: u64) -> bool {
    let mut cycles = limits.cycles().iter().zip(slots.cycles);
    cycles.all(|(config, state)| state.owing(config, cost.into(), now).is_some())
        && ops::can_owe(limits.bandwidths(), slots.levels, cost, now)
}

/// Takes `cost` from every limit whether it is there or not; returns how long the debt lasts.
pub(crate) fn acquire_ignoring_limits(
    limits: &Limits,
    slots: SlotsMut<'_>,
    cost: Tokens,
    now: u64,
) -> Result<u64, ReserveError> {
    let Wait::Ticks(wait) = wait_owing(limits, slots.view(), cost, now) else {
        return Err(ReserveError::ReservationOverflow);
    };
    if !can_owe(limits, slots.view(), cost, now) {
        return Err(ReserveError::ReservationOverflow);
    }
    ops::consume_ignoring_limits(limits.bandwidths(), slots.levels, cost, now)?;
    for (config, state) in limits.cycles().iter().zip(slots.cycles) {
        if let Some(owing) = state.owing(config, cost.into(), now) {
            *state = owing;
        }
    }
    Ok(wait)
}

/// Takes `cost` ahead of time, unless the wait for it exceeds `max_wait`.
pub(crate) fn reserve(
    limits: &Limits,
    mut slots: SlotsMut<'_>,
    cost: Tokens,
    max_wait: u64,
    now: u64,
) -> Result<LimiterReservation, ReserveError> {
    if max_wait == 0 {
        return Err(ReserveError::NonPositiveWait);
    }
    acquire::see(limits, slots.reborrow(), now);
    let wait = wait_owing(limits, slots.view(), cost, now);
    match wait {
        Wait::Ticks(wait) if wait <= max_wait => reserve_for(limits, slots, cost, wait, now),
        _ => Err(ReserveError::NotInTime { wait }),
    }
}

/// Takes `cost`, to be used after `wait`, which is at least as long as every limit needs.
pub(crate) fn reserve_for(
    limits: &Limits,
    slots: SlotsMut<'_>,
    cost: Tokens,
    wait: u64,
    now: u64,
) -> Result<LimiterReservation, ReserveError> {
    let cycles = limits.cycles().iter().zip(&*slots.cycles);
    let due_until = cycles.map(|(config, state)| state.due_until(config, cost.into(), now));
    let due_until = due_until.collect();
    acquire_ignoring_limits(limits, slots, cost, now)?;
    Ok(LimiterReservation {
        whole: Reservation::new(cost, wait, now),
        due_until,
    })
}

/// Gives a reservation back if its time has not come.
///
/// A cycle gets its permits back only while the one they count for lasts: afterwards they are
/// spent, used or not.
pub(crate) fn cancel(
    limits: &Limits,
    mut slots: SlotsMut<'_>,
    reservation: LimiterReservation,
    now: u64,
) -> bool {
    acquire::see(limits, slots.reborrow(), now);
    let LimiterReservation { whole, due_until } = reservation;
    let (cost, ready_at) = (whole.amount(), whole.ready_at());
    let mut cycles = limits.cycles().iter().zip(&*slots.cycles);
    let reached = cycles.any(|(config, state)| state.has_reached(config, ready_at));
    if reached || !ops::cancel(limits.bandwidths(), slots.levels, whole, now) {
        return false;
    }
    let cycles = limits.cycles().iter().zip(slots.cycles);
    for ((config, state), due_until) in cycles.zip(due_until) {
        if now < due_until && !state.has_reached(config, due_until) {
            state.refund(config, cost.into(), now);
        }
    }
    true
}
