//! The state of a fixed-cycle limiter and its transitions.

use core::num::NonZeroU64;

use super::config::CycleConfig;
use crate::{CycleRefusal, Permits, Reservation, Wait, arith};

/// The cycle a limiter is in and the permits left in it: 32 bytes.
///
/// Kept apart from the [`CycleConfig`], so that many callers can share one; a
/// [`CycleLimiter`](crate::CycleLimiter) is a state together with its configuration, and there each
/// operation is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CycleState {
    /// An edge between cycles. Cycles are counted from it by `index`: the one that begins at it is
    /// 1, the one that ends at it is 0. Counting from an edge that is not negative, instead of
    /// keeping where the current cycle began, needs no instant before tick 0 and decides "still the
    /// same cycle" by a multiplication.
    pub(super) origin: u64,
    pub(super) index: u64,
    /// The index that is called cycle number 0; wraps.
    pub(super) first: u64,
    pub(super) balance: i64,
}

impl CycleState {
    /// The state of a new limiter at `now`: in cycle 0, with the whole limit.
    #[must_use]
    pub const fn new(config: &CycleConfig, now: u64) -> Self {
        let (origin, index) = match config.edge {
            None => (now, 1),
            Some(edge) => grid_at(edge, config.period, now),
        };
        Self {
            origin,
            index,
            first: index,
            balance: config.limit.get().cast_signed(),
        }
    }

    /// As [`CycleLimiter::try_acquire`](crate::CycleLimiter::try_acquire).
    #[must_use]
    #[inline]
    pub const fn try_acquire(&mut self, config: &CycleConfig, n: Permits, now: u64) -> bool {
        let n = n.get().cast_signed();
        *self = self.refreshed(config, now);
        let enough = self.balance >= n;
        if enough {
            // From a balance of at least n.
            self.balance = self.balance.wrapping_sub(n);
        }
        enough
    }

    /// As [`CycleLimiter::reserve`](crate::CycleLimiter::reserve).
    ///
    /// # Errors
    ///
    /// A [`CycleRefusal`]; no permits are taken.
    pub const fn reserve(
        &mut self,
        config: &CycleConfig,
        n: Permits,
        now: u64,
    ) -> Result<Reservation<Permits>, CycleRefusal> {
        *self = self.refreshed(config, now);
        let wait = self.wait_for(config, n, now);
        let refusal = CycleRefusal {
            wait: if config.can_pass(n) {
                wait
            } else {
                Wait::Never
            },
            limit: config.limit.get(),
            remaining: if self.balance > 0 {
                self.balance as u64
            } else {
                0
            },
        };
        let Wait::Ticks(ticks) = wait else {
            return Err(refusal);
        };
        if ticks > config.timeout {
            return Err(refusal);
        }
        let Some(owing) = self.owe(n) else {
            return Err(CycleRefusal {
                wait: Wait::Never,
                ..refusal
            });
        };
        *self = owing;
        Ok(Reservation::new(n, ticks, now))
    }

    /// As [`CycleLimiter::cancel`](crate::CycleLimiter::cancel).
    pub const fn cancel(
        &mut self,
        config: &CycleConfig,
        reservation: Reservation<Permits>,
        now: u64,
    ) -> bool {
        *self = self.refreshed(config, now);
        let pending =
            reservation.is_pending(now) && !self.has_reached(config, reservation.ready_at());
        if pending {
            *self = self.give_back(config, reservation.amount());
        }
        pending
    }

    /// As [`CycleLimiter::drain`](crate::CycleLimiter::drain).
    pub const fn drain(&mut self, config: &CycleConfig, now: u64) -> u64 {
        *self = self.refreshed(config, now);
        if self.balance > 0 {
            let drained = self.balance.cast_unsigned();
            self.balance = 0;
            drained
        } else {
            0
        }
    }

    /// As [`CycleLimiter::available`](crate::CycleLimiter::available).
    #[must_use]
    pub const fn available(&self, config: &CycleConfig, now: u64) -> i64 {
        self.refreshed(config, now).balance
    }

    /// As [`CycleLimiter::wait`](crate::CycleLimiter::wait).
    #[must_use]
    pub const fn wait(&self, config: &CycleConfig, n: Permits, now: u64) -> Wait {
        self.refreshed(config, now).wait_for(config, n, now)
    }

    /// As [`CycleLimiter::cycle`](crate::CycleLimiter::cycle).
    #[must_use]
    pub const fn cycle(&self, config: &CycleConfig, now: u64) -> u64 {
        self.refreshed(config, now).number()
    }

    /// As [`CycleLimiter::time_to_full`](crate::CycleLimiter::time_to_full).
    #[must_use]
    pub const fn time_to_full(&self, config: &CycleConfig, now: u64) -> Wait {
        self.refreshed(config, now)
            .wait_for(config, Permits::of_limit(config.limit), now)
    }

    /// The state that takes over from this one when `old` is replaced by `new`, see
    /// [`CycleLimiter::replace`](crate::CycleLimiter::replace).
    #[must_use]
    pub fn replaced(&self, old: &CycleConfig, new: &CycleConfig, now: u64) -> Self {
        let settled = self.refreshed(old, now);
        if old.same_cycles(new) {
            return settled;
        }
        // With a clock that went back, cycles still never begin before the one that is known.
        let now = settled.began(old).map_or(now, |began| began.max(now));
        let fresh = Self::new(new, now);
        Self {
            first: fresh.index.wrapping_sub(settled.number()),
            balance: settled.balance,
            ..fresh
        }
    }

    /// The state after `n` permits are owed, or `None` if the debt would exceed `i64::MIN` permits.
    pub(crate) const fn owe(&self, n: Permits) -> Option<Self> {
        match self.balance.checked_sub_unsigned(n.get()) {
            Some(balance) => Some(Self { balance, ..*self }),
            None => None,
        }
    }

    /// The state with `n` permits more, up to the limit; a fuller one is left as it is.
    pub(crate) const fn give_back(&self, config: &CycleConfig, n: Permits) -> Self {
        let limit = config.limit.get().cast_signed();
        let room = limit.saturating_sub(self.balance);
        let returned = n.get().cast_signed();
        let balance = if returned < room {
            self.balance.saturating_add(returned)
        } else if room > 0 {
            limit
        } else {
            self.balance
        };
        Self { balance, ..*self }
    }

    /// Whether this instant has been seen, by which it has come, whatever the clock says now.
    pub(crate) const fn has_reached(&self, config: &CycleConfig, instant: u64) -> bool {
        match self.index.checked_sub(1) {
            Some(before) => self.end(config, before as u128) >= instant as u128,
            None => false,
        }
    }

    /// This state as it is at `now`: an earlier reading changes nothing.
    #[inline(always)]
    pub(super) const fn refreshed(&self, config: &CycleConfig, now: u64) -> Self {
        if (now as u128) < self.end(config, self.index as u128) {
            *self
        } else {
            self.advanced(config, now)
        }
    }

    /// As [`CycleState::refreshed`], for a reading in a later cycle.
    const fn advanced(&self, config: &CycleConfig, now: u64) -> Self {
        // `now` is at or after `origin`, since it is after the end of a cycle counted from it.
        let since = now.saturating_sub(self.origin);
        let (cycles, _) = arith::div_rem(since as u128, config.period);
        let index = (cycles as u64).saturating_add(1);
        let passed = index.saturating_sub(self.index);
        // Below 2^64 × 2^63, and the balance is at least -2^63: no overflow in 128 bits.
        let balance =
            arith::mul_signed(passed, config.limit.get()).saturating_add(self.balance as i128);
        let limit = config.limit.get().cast_signed();
        Self {
            index,
            balance: if balance > limit as i128 {
                limit
            } else {
                balance as i64
            },
            ..*self
        }
    }

    /// The wait of a refreshed state; a wait beyond `i64::MAX` is never.
    pub(super) const fn wait_for(&self, config: &CycleConfig, n: Permits, now: u64) -> Wait {
        let missing = (n.get() as i128).wrapping_sub(self.balance as i128);
        if missing <= 0 {
            return Wait::NONE;
        }
        let cycles = arith::div_ceil(missing.cast_unsigned(), config.limit);
        // `index` and `cycles` are below 2^65 and `cycles` is at least 1.
        let last = (self.index as u128)
            .saturating_add(cycles)
            .saturating_sub(1);
        Wait::from_wide(self.end(config, last).saturating_sub(now as u128))
    }

    /// The instant at which the cycle with this index ends.
    #[inline(always)]
    pub(super) const fn end(&self, config: &CycleConfig, index: u128) -> u128 {
        // index < 2^65 and period < 2^63 leave room for the origin.
        index
            .saturating_mul(config.period.get() as u128)
            .saturating_add(self.origin as u128)
    }

    /// The instant at which the current cycle began, if it is not before tick 0.
    fn began(&self, config: &CycleConfig) -> Option<u64> {
        let before = self.index.checked_sub(1)?;
        u64::try_from(self.end(config, before as u128)).ok()
    }

    pub(super) const fn number(&self) -> u64 {
        self.index.wrapping_sub(self.first)
    }
}

impl CycleConfig {
    /// Whether `n` permits can pass within the timeout at all: at best a cycle is fresh and its
    /// end one tick away.
    const fn can_pass(&self, n: Permits) -> bool {
        let missing = n.get().saturating_sub(self.limit.get());
        let cycles = arith::div_ceil(missing as u128, self.limit);
        let shortest = match cycles.checked_sub(1) {
            None => 0,
            Some(whole) => whole
                .saturating_mul(self.period.get() as u128)
                .saturating_add(1),
        };
        shortest <= self.timeout as u128
    }
}

/// An edge of the grid through `edge`, and the index of the cycle that `now` is in, counted from
/// that edge.
const fn grid_at(edge: u64, period: NonZeroU64, now: u64) -> (u64, u64) {
    let (_, into) = if now >= edge {
        arith::div_rem(now.wrapping_sub(edge) as u128, period)
    } else {
        let (whole, to_next) = arith::div_rem(edge.wrapping_sub(now) as u128, period);
        // The distance back to the edge before: `period - to_next`, or none on an edge.
        (
            whole,
            if to_next == 0 {
                0
            } else {
                period.get().wrapping_sub(to_next)
            },
        )
    };
    match now.checked_sub(into) {
        Some(began) => (began, 1),
        // The cycle began before tick 0: count from its end, which is at most `edge`.
        None => (now.saturating_add(period.get().wrapping_sub(into)), 0),
    }
}
