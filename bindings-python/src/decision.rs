//! What several limits answer together.

use std::sync::Arc;

use pyo3::prelude::*;
use tokenweir::{Decision, Limits, Wait};

use crate::error::show;
use crate::outcome::{seconds, ticks};

/// Whether a cost was granted, and the numbers of the limit that decided. True if it was.
///
/// That is the limit with the longest wait if the cost was refused, and otherwise the one that has the
/// least left.
#[pyclass(frozen, eq, hash, name = "Decision", module = "tokenweir")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyDecision {
    pub(crate) decision: Decision,
    pub(crate) limits: Arc<Limits>,
    degraded: bool,
}

impl PyDecision {
    pub(crate) fn new(decision: Decision, limits: Arc<Limits>) -> Self {
        Self {
            decision,
            limits,
            degraded: false,
        }
    }

    /// A decision made without the store that knows how the limits stand.
    pub(crate) fn degraded(decision: Decision, limits: Arc<Limits>) -> Self {
        Self {
            decision,
            limits,
            degraded: true,
        }
    }
}

#[pymethods]
impl PyDecision {
    /// Whether the cost was taken from every limit; otherwise it was taken from none.
    #[getter]
    fn allowed(&self) -> bool {
        self.decision.allowed
    }

    /// The most that the deciding limit can have at once.
    #[getter]
    fn limit(&self) -> u64 {
        self.decision.limit
    }

    /// What is left of it, rounded down; 0 while reservations are owed.
    #[getter]
    fn remaining(&self) -> u64 {
        self.decision.remaining
    }

    /// Seconds until the same cost would be granted, rounded up: 0.0 if it was, None if it never will
    /// be because it is above what a limit can ever have.
    #[getter]
    fn retry_after(&self) -> Option<f64> {
        seconds(self.decision.retry_after)
    }

    /// As `retry_after`, in nanoseconds: granted at that nanosecond, refused one before, if nobody else
    /// takes anything.
    #[getter]
    fn retry_after_ns(&self) -> Option<u64> {
        ticks(self.decision.retry_after)
    }

    /// Seconds until the deciding limit is full, rounded up; None for never.
    #[getter]
    fn reset_after(&self) -> Option<f64> {
        seconds(self.decision.reset_after)
    }

    /// As `reset_after`, in nanoseconds.
    #[getter]
    fn reset_after_ns(&self) -> Option<u64> {
        ticks(self.decision.reset_after)
    }

    /// The name of the deciding limit, or its text if it has none.
    #[getter]
    fn scope(&self) -> &str {
        self.limits.name(self.decision.scope)
    }

    /// Whether asking again for the same cost is of no use.
    #[getter]
    fn never(&self) -> bool {
        self.decision.retry_after == Wait::Never
    }

    /// Whether it was made without the store that knows how the limits stand, because of an outage: the
    /// numbers promise nothing then. Always False without a store.
    #[getter(degraded)]
    pub(crate) fn is_degraded(&self) -> bool {
        self.degraded
    }

    fn __bool__(&self) -> bool {
        self.decision.allowed
    }

    fn __repr__(&self) -> String {
        let Decision {
            allowed,
            limit,
            remaining,
            retry_after,
            ..
        } = self.decision;
        format!(
            "<Decision {}{} by {:?}: {remaining} of {limit} left, retry after {}>",
            if allowed { "allowed" } else { "refused" },
            if self.degraded {
                " without the store"
            } else {
                ""
            },
            self.scope(),
            show(retry_after),
        )
    }
}
