//! The state of a fixed-cycle limiter and its transitions.

use super::config::CycleConfig;
use crate::{CycleRefusal, Permits, Reservation, Wait, arith};

/// The cycle a limiter is in and the permits left in it: 32 bytes.
///
/// Kept apart from the [`CycleConfig`], so that many callers can share one; a
/// [`CycleLimiter`](crate::CycleLimiter) is a state together with its configuration, and there each
/// operation is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CycleState {
    /// An edge between cycles, after tick 0. Cycles are counted from it by `index`: the one that
    /// begins at it is 1, the one that ends at it is 0. Counting from such an edge, instead of keeping
    /// where the current cycle began, needs no instant before tick 0, leaves room for every index,
    /// and decides "still the same cycle" by a multiplication.
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
        let (origin, index) = grid_at(config, now);
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
        let (true, Wait::Ticks(ticks), Some(owing)) =
            (wait.within(config.timeout), wait, self.owe(n))
        else {
            return Err(CycleRefusal {
                wait: self.retry_after(config, n, now),
                limit: config.limit.get(),
                remaining: if self.balance > 0 {
                    self.balance as u64
                } else {
                    0
                },
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
        // Beyond i64::MAX is beyond the limit.
        let raised = self.balance.saturating_add(n.get().cast_signed());
        let balance = if raised < limit {
            raised
        } else if self.balance < limit {
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

    /// The balance at `now` and for how many ticks the current cycle has lasted.
    pub(crate) fn progress(&self, config: &CycleConfig, now: u64) -> (i64, u64) {
        let settled = self.refreshed(config, now);
        // Still in the cycle before if the clock has gone back: as if this one had just begun.
        let left = settled
            .end(config, settled.index as u128)
            .saturating_sub(now as u128);
        let period = config.period.get();
        let since = period.saturating_sub(u64::try_from(left).unwrap_or(period));
        (settled.balance, since)
    }

    /// The state at `now` after so many edges, `since` ticks after the last of them unless the
    /// configuration says where they are.
    pub(crate) fn resumed(
        config: &CycleConfig,
        balance: i64,
        edges: u128,
        since: u64,
        now: u64,
    ) -> Self {
        let next = now.saturating_add(config.period.get().saturating_sub(since));
        let (origin, index) = grid_at(&config.aligned_to(config.edge.unwrap_or(next)), now);
        let state = Self {
            origin,
            index,
            first: index,
            balance,
        };
        let edges = u64::try_from(edges).unwrap_or(u64::MAX);
        state.repaid(config, edges)
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
        let (cycles, _) = arith::div_rem_to_decide(since as u128, config.period);
        // `origin` is at least 1, so the number of cycles is below u64::MAX.
        let index = (cycles as u64).saturating_add(1);
        let passed = index.saturating_sub(self.index);
        Self { index, ..*self }.repaid(config, passed)
    }

    /// This state with the permits of so many new cycles.
    const fn repaid(self, config: &CycleConfig, cycles: u64) -> Self {
        if cycles == 0 {
            // A balance above a limit that was lowered stays until the cycle ends.
            return self;
        }
        // Below 2^64 × 2^63, and the balance is at least -2^63: no overflow in 128 bits.
        let balance =
            arith::mul_signed(cycles, config.limit.get()).saturating_add(self.balance as i128);
        let limit = config.limit.get().cast_signed();
        Self {
            balance: if balance > limit as i128 {
                limit
            } else {
                balance as i64
            },
            ..self
        }
    }

    /// The wait of a refreshed state; a wait beyond `i64::MAX` is never.
    pub(super) const fn wait_for(&self, config: &CycleConfig, n: Permits, now: u64) -> Wait {
        let missing = (n.get() as i128).wrapping_sub(self.balance as i128);
        if missing <= 0 {
            return Wait::NONE;
        }
        let last = self.last_of(config, missing);
        Wait::from_wide(self.end(config, last).saturating_sub(now as u128))
    }

    /// How long after `now` a reservation that is refused is granted if nobody takes any permits:
    /// from when it would wait no longer than the timeout. For a refreshed state.
    const fn retry_after(&self, config: &CycleConfig, n: Permits, now: u64) -> Wait {
        let (limit, timeout) = (config.limit.get(), config.timeout as u128);
        let missing = (n.get() as i128).wrapping_sub(self.balance as i128);
        // Until the whole limit is there again, its permits stay at the edge they are at now.
        let due = self.end(config, self.last_of(config, missing));
        let mut granted = latest(now as u128, due.saturating_sub(timeout));
        // And until then, the debt it would make may be too deep.
        let excess = missing.wrapping_add(i64::MIN as i128);
        if excess > 0 {
            granted = latest(granted, self.end(config, self.last_of(config, excess)));
        }
        let short = (limit as i128).wrapping_sub(self.balance as i128);
        let before_full = self.last_of(config, if short > 0 { short } else { 1 });
        let full = self.end(config, before_full);
        if granted >= full {
            // From then on they are as far from the beginning of each cycle: if it is not granted in
            // one, it never is.
            let above = n.get().saturating_sub(limit) as u128;
            let cycles = arith::div_ceil(above, config.limit);
            let due = self.end(config, before_full.saturating_add(cycles));
            granted = latest(full, due.saturating_sub(timeout));
            if granted >= self.end(config, before_full.saturating_add(1)) {
                return Wait::Never;
            }
        }
        Wait::from_wide(granted.saturating_sub(now as u128))
    }

    /// The index of the cycle at whose end `missing` permits, at least 1, have come.
    const fn last_of(&self, config: &CycleConfig, missing: i128) -> u128 {
        // Both are below 2^65, and `missing` is at least 1.
        let cycles = arith::div_ceil(missing.cast_unsigned(), config.limit);
        (self.index as u128)
            .saturating_add(cycles)
            .saturating_sub(1)
    }

    /// The instant at which the cycle with this index ends.
    #[inline(always)]
    pub(super) const fn end(&self, config: &CycleConfig, index: u128) -> u128 {
        // index < 2^65 and period < 2^63 leave room for the origin.
        index
            .saturating_mul(config.period.get() as u128)
            .saturating_add(self.origin as u128)
    }

    /// The instant at which the current cycle began, if it is after tick 0.
    fn began(&self, config: &CycleConfig) -> Option<u64> {
        let before = self.index.checked_sub(1)?;
        u64::try_from(self.end(config, before as u128)).ok()
    }

    pub(super) const fn number(&self) -> u64 {
        self.index.wrapping_sub(self.first)
    }
}

const fn latest(a: u128, b: u128) -> u128 {
    if a > b { a } else { b }
}

/// An edge of the cycles, and the index of the cycle that `now` is in, counted from that edge.
const fn grid_at(config: &CycleConfig, now: u64) -> (u64, u64) {
    let into = config.since_edge(now);
    if now > into {
        (now.wrapping_sub(into), 1)
    } else {
        // The cycle did not begin after tick 0: count from its end, which is an edge of the clock.
        let to_end = config.period.get().wrapping_sub(into);
        (now.saturating_add(to_end), 0)
    }
}
