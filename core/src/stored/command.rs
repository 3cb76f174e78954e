//! What can be asked of stored limits, and the answers.

use alloc::vec::Vec;

use crate::{Decision, LimitStatus, LimiterReservation, ReserveError, Tokens};

/// What to do with the limits of a key; each is the operation of [`Limiter`](crate::Limiter) of the
/// same name.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Command<'a> {
    /// Take the cost from every limit, if all have it.
    Check(Tokens),
    /// What [`Command::Check`] would answer.
    Peek(Tokens),
    /// Take what every limit has, at most this.
    AcquireUpTo(Tokens),
    /// Take the cost, whether it is there or not.
    AcquireIgnoringLimits(Tokens),
    /// Take the cost ahead of time.
    Reserve {
        /// What to take.
        cost: Tokens,
        /// The longest wait for it, in nanoseconds.
        max_wait: u64,
    },
    /// Give a reservation back.
    ///
    /// Refers to it, because a store may have to try again.
    Cancel(&'a LimiterReservation),
    /// Give tokens back, up to the quotas.
    Refund(Tokens),
    /// Add tokens, beyond the quotas if need be.
    ForceAdd(Tokens),
    /// Fill every limit.
    Reset,
    /// How each limit stands.
    Statuses,
}

/// The answer to a [`Command`].
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// To [`Command::Check`] and [`Command::Peek`].
    Decision(Decision),
    /// To [`Command::AcquireUpTo`]: how much was taken.
    Taken(u64),
    /// To [`Command::AcquireIgnoringLimits`]: how long the debt lasts, in nanoseconds.
    Owed(Result<u64, ReserveError>),
    /// To [`Command::Reserve`].
    Reserved(Result<LimiterReservation, ReserveError>),
    /// To [`Command::Cancel`]: whether it was given back.
    Cancelled(bool),
    /// To [`Command::Refund`], [`Command::ForceAdd`] and [`Command::Reset`].
    Done,
    /// To [`Command::Statuses`], in the order of the limits in force.
    Statuses(Vec<LimitStatus>),
}
