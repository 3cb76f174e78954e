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
    /// Where there is no limit, nothing is refused.
    pub(crate) const NOTHING: Self = Self {
        allowed: true,
        scope: 0,
        limit: 0,
        remaining: 0,
        retry_after: Wait::NONE,
        reset_after: Wait::NONE,
    };

    /// The decision of one limit.
    pub(crate) fn of(scope: usize, status: &LimitStatus, allowed: bool, wait: Wait) -> Self {
        Self {
            allowed,
            scope,
            limit: status.limit,
            remaining: status.remaining(),
            retry_after: wait,
            reset_after: status.reset_after,
        }
    }

    /// Whether of two limits that answered alike this one decides, and not `other`, which is the
    /// earlier one.
    pub(crate) fn decides_before(&self, other: &Self) -> bool {
        if self.allowed {
            let least = self.remaining.cmp(&other.remaining);
            least.then(other.reset_after.cmp(&self.reset_after)).is_lt()
        } else {
            self.retry_after > other.retry_after
        }
    }

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
