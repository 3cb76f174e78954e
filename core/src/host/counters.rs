//! Counting what a limiter decides.

use core::iter::Sum;
use core::ops::AddAssign;

use super::listener::{Decided, Listener};
use crate::Tokens;

/// Counts decisions: a [`Listener`] whose numbers only grow, as Prometheus and OpenTelemetry want
/// counters to.
///
/// Limiters of one kind are counted together by adding theirs, as are the shards of one.
///
/// ```
/// use tokenweir::{Counters, Limiter, Limits, Tokens};
///
/// let mut limiter = Limiter::new(Limits::parse("10/s")?, 0).with_listener(Counters::default());
/// assert!(limiter.try_acquire(Tokens::new(8)?, 0));
/// assert!(!limiter.try_acquire(Tokens::new(3)?, 0));
/// let text: Vec<_> = limiter
///     .listener()
///     .named()
///     .map(|(name, value)| format!("ratelimit_{name}_total {value}"))
///     .into();
/// assert_eq!(text[..2], ["ratelimit_allowed_total 1", "ratelimit_refused_total 1"]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Counters {
    /// Decisions that granted.
    pub allowed: u64,
    /// Decisions that refused.
    pub refused: u64,
    /// Tokens taken.
    pub tokens: u64,
    /// Tokens given back, by refunds and cancelled reservations.
    pub refunded_tokens: u64,
}

impl Counters {
    /// Each counter with its name.
    #[must_use]
    pub const fn named(&self) -> [(&'static str, u64); 4] {
        [
            ("allowed", self.allowed),
            ("refused", self.refused),
            ("tokens", self.tokens),
            ("refunded_tokens", self.refunded_tokens),
        ]
    }

    const fn with(self, other: Self) -> Self {
        Self {
            allowed: self.allowed.saturating_add(other.allowed),
            refused: self.refused.saturating_add(other.refused),
            tokens: self.tokens.saturating_add(other.tokens),
            refunded_tokens: self.refunded_tokens.saturating_add(other.refunded_tokens),
        }
    }
}

impl Listener for Counters {
    fn allowed(&mut self, event: &Decided<'_>) {
        self.allowed = self.allowed.saturating_add(1);
        self.tokens = self.tokens.saturating_add(event.cost().get());
    }

    fn refused(&mut self, _: &Decided<'_>) {
        self.refused = self.refused.saturating_add(1);
    }

    fn refunded(&mut self, tokens: Tokens, _: u64) {
        self.refunded_tokens = self.refunded_tokens.saturating_add(tokens.get());
    }
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        *self = self.with(other);
    }
}

impl Sum for Counters {
    fn sum<I: Iterator<Item = Self>>(counters: I) -> Self {
        counters.fold(Self::default(), Self::with)
    }
}
