//! What the operations answer.

use num_bigint::BigInt;

/// The answer to a probe. Waits are in ticks, rounded up; `None` is "never".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Whether the tokens were taken.
    pub consumed: bool,
    /// Tokens left after the call, 0 while in debt.
    pub remaining: BigInt,
    /// Until the same request is granted; 0 when it was.
    pub wait: Option<BigInt>,
    /// Until every bandwidth is full.
    pub reset: Option<BigInt>,
}

/// The answer to an estimate, which takes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Whether the request would be granted now.
    pub possible: bool,
    /// Tokens there are now, 0 while in debt. The request is not subtracted.
    pub remaining: BigInt,
    /// Until the request is granted; `None` is "never".
    pub wait: Option<BigInt>,
}

/// Tokens taken from a bucket in advance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// How many.
    pub tokens: BigInt,
    /// Ticks from the reading at which they were reserved until they are there; 0 if they were.
    pub wait: BigInt,
    /// The instant from which they may be used, and the reservation no longer be cancelled.
    pub due: BigInt,
}

impl Reservation {
    /// The same on a clock whose last instant is `last`: what would be due later is due then.
    #[must_use]
    pub fn due_by(mut self, last: impl Into<BigInt>) -> Self {
        self.due = last.into().min(self.due);
        self
    }
}

/// Permits taken from the current cycle or from a later one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permit {
    /// How many.
    pub permits: BigInt,
    /// The number of the cycle from whose beginning they may be used.
    pub cycle: BigInt,
    /// Ticks until then, counted from the reading at which they were reserved; 0 if they may be used at once.
    pub wait: BigInt,
    /// The instant from which they may be used.
    pub due: BigInt,
}

impl Permit {
    /// The same on a clock whose last instant is `last`: what would be due later is due then.
    #[must_use]
    pub fn due_by(mut self, last: impl Into<BigInt>) -> Self {
        self.due = last.into().min(self.due);
        self
    }
}
