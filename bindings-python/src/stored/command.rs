//! What can be asked of stored limits.

use pyo3::prelude::*;
use tokenweir::Tokens;
use tokenweir::stored::Command;

use super::reservation::PyStoredReservation;
use crate::convert::{self, AtMost, Cost, Given, Integer, Most};

/// What to do with the limits of a key; each is the operation of `Limiter` of the same name.
#[pyclass(frozen, name = "Command", module = "tokenweir.stored")]
pub(crate) struct PyCommand(Owned);

/// A command that holds what it refers to.
enum Owned {
    Check(Tokens),
    Peek(Tokens),
    AcquireUpTo(Tokens),
    AcquireIgnoringLimits(Tokens),
    Reserve { cost: Tokens, max_wait: u64 },
    Cancel(Py<PyStoredReservation>),
    Refund(Tokens),
    ForceAdd(Tokens),
    Reset,
    Statuses,
}

impl PyCommand {
    pub(crate) fn command(&self) -> Command<'_> {
        match &self.0 {
            Owned::Check(cost) => Command::Check(*cost),
            Owned::Peek(cost) => Command::Peek(*cost),
            Owned::AcquireUpTo(most) => Command::AcquireUpTo(*most),
            Owned::AcquireIgnoringLimits(cost) => Command::AcquireIgnoringLimits(*cost),
            Owned::Reserve { cost, max_wait } => Command::Reserve {
                cost: *cost,
                max_wait: *max_wait,
            },
            Owned::Cancel(reservation) => Command::Cancel(&reservation.get().0),
            Owned::Refund(tokens) => Command::Refund(*tokens),
            Owned::ForceAdd(tokens) => Command::ForceAdd(*tokens),
            Owned::Reset => Command::Reset,
            Owned::Statuses => Command::Statuses,
        }
    }
}

#[pymethods]
impl PyCommand {
    /// Take `cost` from every limit, if all have it: the outcome is a Decision.
    #[staticmethod]
    #[pyo3(signature = (cost = Cost::ONE), text_signature = "(cost=1)")]
    fn check(cost: Cost) -> Self {
        Self(Owned::Check(cost.0))
    }

    /// What `check` would answer: the outcome is a Decision.
    #[staticmethod]
    #[pyo3(signature = (cost = Cost::ONE), text_signature = "(cost=1)")]
    fn peek(cost: Cost) -> Self {
        Self(Owned::Peek(cost.0))
    }

    /// Take what every limit has, at most `most`: the outcome is how much was taken.
    #[staticmethod]
    #[pyo3(signature = (most = Most::ALL))]
    fn acquire_up_to(most: Most) -> Self {
        Self(Owned::AcquireUpTo(most.0))
    }

    /// Take `cost`, whether it is there or not: the outcome is how long the debt lasts, in nanoseconds
    /// rounded up, or a ReservationError.
    #[staticmethod]
    fn acquire_ignoring_limits(cost: Cost) -> Self {
        Self(Owned::AcquireIgnoringLimits(cost.0))
    }

    /// Take `cost` ahead of time, to be used after a wait of at most `max_wait` seconds: the outcome is
    /// a StoredReservation, a RateLimited or a ReservationError.
    #[staticmethod]
    #[pyo3(
        signature = (cost = Cost::ONE, *, max_wait = None, max_wait_ns = None),
        text_signature = "(cost=1, *, max_wait=None, max_wait_ns=None)"
    )]
    fn reserve(
        py: Python<'_>,
        cost: Cost,
        max_wait: Option<AtMost>,
        max_wait_ns: Option<Integer>,
    ) -> PyResult<Self> {
        let max_wait = convert::max_wait(py, max_wait, max_wait_ns)?;
        Ok(Self(Owned::Reserve {
            cost: cost.0,
            max_wait,
        }))
    }

    /// Give a reservation back: the outcome is whether it was, which it is only once and before its time
    /// has come.
    #[staticmethod]
    fn cancel(reservation: Py<PyStoredReservation>) -> Self {
        Self(Owned::Cancel(reservation))
    }

    /// Give `tokens` back to every limit, up to its quota.
    #[staticmethod]
    #[pyo3(signature = (tokens = Given::ONE), text_signature = "(tokens=1)")]
    fn refund(tokens: Given) -> Self {
        Self(Owned::Refund(tokens.0))
    }

    /// Add `tokens` to every limit, beyond its quota if need be.
    #[staticmethod]
    fn force_add(tokens: Given) -> Self {
        Self(Owned::ForceAdd(tokens.0))
    }

    /// Fill every limit.
    #[staticmethod]
    fn reset() -> Self {
        Self(Owned::Reset)
    }

    /// How each limit stands: the outcome is a tuple of LimitStatus, in the order of the limits in force.
    #[staticmethod]
    fn statuses() -> Self {
        Self(Owned::Statuses)
    }

    fn __repr__(&self) -> String {
        let (name, argument) = match &self.0 {
            Owned::Check(cost) => ("check", cost.to_string()),
            Owned::Peek(cost) => ("peek", cost.to_string()),
            Owned::AcquireUpTo(most) => ("acquire_up_to", most.to_string()),
            Owned::AcquireIgnoringLimits(cost) => ("acquire_ignoring_limits", cost.to_string()),
            Owned::Reserve { cost, max_wait } => {
                ("reserve", format!("{cost}, max_wait_ns={max_wait}"))
            }
            Owned::Cancel(reservation) => ("cancel", reservation.get().__repr__()),
            Owned::Refund(tokens) => ("refund", tokens.to_string()),
            Owned::ForceAdd(tokens) => ("force_add", tokens.to_string()),
            Owned::Reset => ("reset", String::new()),
            Owned::Statuses => ("statuses", String::new()),
        };
        format!("Command.{name}({argument})")
    }
}
