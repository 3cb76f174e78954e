//! What several limits answer together.

use crate::Wait;

/// Whether a cost was granted, and the numbers of the limit that decided.
///
/// That is the limit with the longest wait if the cost was refused, and otherwise the one that has
/// the least left, of several such the one that takes longest to be full again. A caller who obeys
/// `retry_after` is granted then if nobody else took anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
#[non_exhaustive]
pub struct Decision {
    /// Whether the cost was taken from every limit; otherwise from none.
    pub allowed: bool,
    /// Which limit decided: its place in the [`Limits`](crate::Limits), which know its name.
    pub scope: usize,
    /// The most that this limit can have at once: the capacity of a bandwidth, the limit of a cycle.
    pub limit: u64,
    /// What is left of it, rounded down; 0 while reservations are owed.
    pub remaining: u64,
    /// How long until the same cost would be granted by every limit, in nanoseconds rounded up;
    /// [`Wait::NONE`] if it was, [`Wait::Never`] if it is above what one of them can ever have.
    pub retry_after: Wait,
    /// How long until this limit is full, in nanoseconds rounded up.
    pub reset_after: Wait,
}

impl Decision {
    /// Whether asking again for the same cost is of no use.
    #[must_use]
    pub const fn never(&self) -> bool {
        matches!(self.retry_after, Wait::Never)
    }
}

/// How one of several limits stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LimitStatus {
    /// The most that can be there at once.
    pub limit: u64,
    /// What is there, rounded down: negative while reservations are owed, above the limit where it
    /// was added by force.
    pub available: i64,
    /// How long until the limit is full, in nanoseconds rounded up.
    pub reset_after: Wait,
}

impl LimitStatus {
    /// What is left, as a [`Decision`] says it: 0 while reservations are owed.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        u64::try_from(self.available).unwrap_or(0)
    }
}
