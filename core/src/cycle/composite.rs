//! Transitions of a cycle that stands beside other limits.

use super::config::CycleConfig;
use super::state::CycleState;
use crate::{Permits, TokensInheritance, Wait, arith};

impl CycleState {
    /// Settles the cycles that have ended by `now`; takes nothing.
    #[inline]
    pub(crate) const fn see(&mut self, config: &CycleConfig, now: u64) {
        *self = self.refreshed(config, now);
    }

    /// The wait for `n` permits, which is never where they are not there and above the limit.
    pub(crate) const fn wait_within_limit(
        &self,
        config: &CycleConfig,
        n: Permits,
        now: u64,
    ) -> Wait {
        match self.wait(config, n, now) {
            Wait::NONE => Wait::NONE,
            _ if n.get() > config.limit() => Wait::Never,
            wait => wait,
        }
    }

    /// The state at `now` after `n` permits are owed, see [`CycleState::owe`].
    pub(crate) const fn owing(&self, config: &CycleConfig, n: Permits, now: u64) -> Option<Self> {
        self.refreshed(config, now).owe(n)
    }

    /// The end of the cycle in which `n` permits that are reserved now fall due: until then they can
    /// be given back.
    pub(crate) fn due_until(&self, config: &CycleConfig, n: Permits, now: u64) -> u64 {
        let state = self.refreshed(config, now);
        match state.wait_for(config, n, now) {
            Wait::NONE => u64::try_from(state.end(config, state.index.into())).unwrap_or(u64::MAX),
            Wait::Ticks(wait) => now.saturating_add(wait).saturating_add(config.period()),
            Wait::Never => u64::MAX,
        }
    }

    /// Gives `n` permits back to the current cycle, up to the limit.
    pub(crate) const fn refund(&mut self, config: &CycleConfig, n: Permits, now: u64) {
        *self = self.refreshed(config, now).give_back(config, n);
    }

    /// Adds `n` permits to the current cycle, beyond the limit if need be.
    pub(crate) const fn force_add(&mut self, config: &CycleConfig, n: Permits, now: u64) {
        *self = self.refreshed(config, now);
        self.balance = self.balance.saturating_add_unsigned(n.get());
    }

    /// Fills the current cycle: exactly the limit is left in it.
    pub(crate) const fn fill(&mut self, config: &CycleConfig, now: u64) {
        *self = self.refreshed(config, now);
        self.balance = config.limit().cast_signed();
    }

    /// Origin, index, cycle number and balance, to be kept elsewhere.
    pub(crate) const fn to_parts(self) -> (u64, u64, u64, i64) {
        (self.origin, self.index, self.number(), self.balance)
    }

    /// The state with these parts, if its cycle ends at an instant that a `u64` nearly holds.
    pub(crate) fn from_parts(
        config: &CycleConfig,
        origin: u64,
        index: u64,
        number: u64,
        balance: i64,
    ) -> Option<Self> {
        let state = Self {
            origin,
            index,
            first: index.wrapping_sub(number),
            balance,
        };
        // The cycle of any instant has begun by then.
        let began = state.end(config, u128::from(index.saturating_sub(1)));
        (began <= u64::MAX.into()).then_some(state)
    }

    /// The state that takes over when `old` is replaced by `new`, with what `inheritance` says of
    /// the permits. As they are, they stay until their cycle ends, as in
    /// [`CycleState::replaced`].
    pub(crate) fn inherited(
        &self,
        old: &CycleConfig,
        new: &CycleConfig,
        inheritance: TokensInheritance,
        now: u64,
    ) -> Self {
        let mut state = self.replaced(old, new, now);
        let (before, after) = (old.limit(), new.limit());
        let full = state.balance >= before.cast_signed();
        state.balance = match inheritance {
            TokensInheritance::Reset => return Self::new(new, now),
            TokensInheritance::AsIs => state.balance,
            TokensInheritance::Proportional if full => after.cast_signed(),
            TokensInheritance::Proportional => {
                let scaled =
                    arith::mul_div_floor(state.balance.into(), after.into(), before.into());
                i64::try_from(scaled).unwrap_or(i64::MIN)
            }
            // More than both limits can only be there by force, and then nothing is added.
            TokensInheritance::Additive if full => state.balance.max(after.cast_signed()),
            TokensInheritance::Additive => state
                .balance
                .saturating_add_unsigned(after.saturating_sub(before)),
        };
        state
    }
}
