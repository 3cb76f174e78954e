//! What becomes of callers that wait.

use core::fmt;

use crate::Wait;

/// A caller's place in a [`WaitQueue`](crate::WaitQueue); later callers have greater ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub(super) u64);

impl Ticket {
    /// The number of the place.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The place with this number.
    #[must_use]
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }
}

/// What asking a [`WaitQueue`](crate::WaitQueue) gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub enum Joined {
    /// The cost was taken and may be used.
    Granted,
    /// The caller waits.
    Waiting(Ticket),
}

/// How the wait of a caller ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Served {
    /// The cost was taken and may be used.
    Granted,
    /// The limits have changed, and now the cost comes later than the caller would wait. Nothing is
    /// taken.
    NotInTime,
    /// The limits have changed, and now they never have the cost. Nothing is taken.
    Never,
}

/// Why a caller cannot wait; nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JoinError {
    /// The cost is above what one of the limits can ever have.
    Never,
    /// The cost comes later than the caller would wait, those before it counted.
    NotInTime {
        /// The wait that would have been needed, in nanoseconds.
        wait: Wait,
    },
    /// As many callers wait as may.
    QueueFull {
        /// How many that is.
        most: usize,
    },
    /// All those who wait owe more than can be counted.
    ReservationOverflow,
}

impl JoinError {
    /// The stable code of this error: the same in every language and release.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::NotInTime { .. } => "not_in_time",
            Self::QueueFull { .. } => "queue_full",
            Self::ReservationOverflow => "reservation_overflow",
        }
    }
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => f.write_str("the cost is above what a limit can ever have"),
            Self::NotInTime { wait } => write!(f, "the caller would have to wait for: {wait}"),
            Self::QueueFull { most } => write!(f, "{most} callers wait already, no more may"),
            Self::ReservationOverflow => f.write_str("the waiting callers owe too much to count"),
        }
    }
}

impl core::error::Error for JoinError {}
