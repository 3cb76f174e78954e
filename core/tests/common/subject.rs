//! What the recorded scenarios ask of a limiter over several limits, wherever its state is.

use tokenweir::{
    Decision, LimitStatus, Limiter, LimiterReservation, Limits, ReserveError, Tokens,
    TokensInheritance, Wait,
};

/// The operations of a [`Limiter`].
pub(crate) trait Subject: Clone + std::fmt::Debug + PartialEq {
    fn make(limits: Limits, now: u64) -> Self;
    fn check(&mut self, cost: Tokens, now: u64) -> Decision;
    fn peek(&self, cost: Tokens, now: u64) -> Decision;
    fn acquire_up_to(&mut self, most: Tokens, now: u64) -> u64;
    fn acquire_ignoring_limits(&mut self, cost: Tokens, now: u64) -> Result<u64, ReserveError>;
    fn reserve(
        &mut self,
        cost: Tokens,
        max_wait: u64,
        now: u64,
    ) -> Result<LimiterReservation, ReserveError>;
    fn refund(&mut self, tokens: Tokens, now: u64);
    fn force_add(&mut self, tokens: Tokens, now: u64);
    fn reset(&mut self, now: u64);
    fn update(&mut self, limits: Limits, inheritance: TokensInheritance, now: u64);
    fn statuses(&self, now: u64) -> Vec<LimitStatus>;

    fn try_acquire(&mut self, cost: Tokens, now: u64) -> bool {
        self.check(cost, now).allowed
    }

    fn available(&self, now: u64) -> i64 {
        let each = self.statuses(now);
        each.iter()
            .map(|status| status.available)
            .min()
            .unwrap_or(0)
    }

    fn time_to_full(&self, now: u64) -> Wait {
        let each = self.statuses(now);
        let each = each.iter().map(|status| status.reset_after);
        each.max().unwrap_or(Wait::NONE)
    }
}

impl Subject for Limiter {
    fn make(limits: Limits, now: u64) -> Self {
        Self::new(limits, now)
    }

    fn check(&mut self, cost: Tokens, now: u64) -> Decision {
        self.check(cost, now)
    }

    fn peek(&self, cost: Tokens, now: u64) -> Decision {
        self.peek(cost, now)
    }

    fn acquire_up_to(&mut self, most: Tokens, now: u64) -> u64 {
        self.acquire_up_to(most, now)
    }

    fn acquire_ignoring_limits(&mut self, cost: Tokens, now: u64) -> Result<u64, ReserveError> {
        self.acquire_ignoring_limits(cost, now)
    }

    fn reserve(
        &mut self,
        cost: Tokens,
        max_wait: u64,
        now: u64,
    ) -> Result<LimiterReservation, ReserveError> {
        self.reserve(cost, max_wait, now)
    }

    fn refund(&mut self, tokens: Tokens, now: u64) {
        self.refund(tokens, now);
    }

    fn force_add(&mut self, tokens: Tokens, now: u64) {
        self.force_add(tokens, now);
    }

    fn reset(&mut self, now: u64) {
        self.reset(now);
    }

    fn update(&mut self, limits: Limits, inheritance: TokensInheritance, now: u64) {
        self.update(limits, inheritance, now);
    }

    fn statuses(&self, now: u64) -> Vec<LimitStatus> {
        self.statuses(now).collect()
    }

    fn try_acquire(&mut self, cost: Tokens, now: u64) -> bool {
        self.try_acquire(cost, now)
    }

    fn available(&self, now: u64) -> i64 {
        self.available(now)
    }

    fn time_to_full(&self, now: u64) -> Wait {
        self.time_to_full(now)
    }
}
