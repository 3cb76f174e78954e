//! What a bucket answers beyond yes and no.

use crate::{Tokens, Wait};

/// The outcome of asking for tokens, with what is left and how long things take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
#[non_exhaustive]
pub struct Probe {
    /// Whether the tokens were taken.
    pub consumed: bool,
    /// Tokens left after the call, rounded down; 0 while reservations are owed.
    pub remaining: u64,
    /// How long until the same call would be granted, rounded up to the tick, if nobody else takes
    /// tokens: granted at that tick, refused one tick before. [`Wait::NONE`] if it was granted,
    /// [`Wait::Never`] if more was asked for than the capacity.
    pub wait: Wait,
    /// How long until every bandwidth is at capacity, rounded up to the tick.
    pub reset: Wait,
}

/// What asking for tokens would give; nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
#[non_exhaustive]
pub struct Estimate {
    /// Whether the tokens are there.
    pub can_consume: bool,
    /// Tokens there are now, rounded down; 0 while reservations are owed.
    pub remaining: u64,
    /// As [`Probe::wait`].
    pub wait: Wait,
}

/// Tokens or permits taken ahead of time: they may be used once the wait is over.
///
/// Dropping it keeps them taken; `cancel` of the limiter it came from gives them back as long as
/// their time has not come.
#[derive(Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "the tokens are taken, but must not be used before the wait is over"]
pub struct Reservation<A = Tokens> {
    pub(crate) amount: A,
    pub(crate) wait: u64,
    pub(crate) ready_at: u64,
}

impl<A: Copy> Reservation<A> {
    pub(crate) const fn new(amount: A, wait: u64, now: u64) -> Self {
        Self {
            amount,
            wait,
            ready_at: now.saturating_add(wait),
        }
    }

    /// The same once more.
    #[cfg(feature = "alloc")]
    pub(crate) const fn duplicate(&self) -> Self {
        Self { ..*self }
    }

    /// How many tokens or permits were taken.
    pub const fn amount(&self) -> A {
        self.amount
    }

    /// How long to wait from the call that reserved them, in ticks; 0 means they may be used.
    pub const fn wait(&self) -> u64 {
        self.wait
    }

    /// The instant from which they may be used, in ticks.
    pub const fn ready_at(&self) -> u64 {
        self.ready_at
    }

    /// Whether at `now` the amount can still be given back: only before its time has come.
    pub(crate) const fn is_pending(&self, now: u64) -> bool {
        self.wait > 0 && now < self.ready_at
    }
}
