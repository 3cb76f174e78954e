//! What a bucket answers beyond yes and no.

use pyo3::prelude::*;
use tokenweir::{Estimate, FloatUnit, Probe, Wait};

use crate::error::show;

/// A wait in seconds, rounded up to what a float can say; `None` for never.
pub(crate) fn seconds(wait: Wait) -> Option<f64> {
    wait.ticks()
        .map(|ticks| FloatUnit::SECONDS.of_nanos_ceil(ticks))
}

/// A wait in nanoseconds, rounded up; `None` for never.
pub(crate) fn ticks(wait: Wait) -> Option<u64> {
    wait.ticks()
}

/// What asking a `TokenBucket` for tokens gave. True if they were taken.
#[pyclass(frozen, eq, hash, name = "Probe", module = "tokenweir")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyProbe(Probe);

impl From<Probe> for PyProbe {
    fn from(probe: Probe) -> Self {
        Self(probe)
    }
}

#[pymethods]
impl PyProbe {
    /// Whether the tokens were taken.
    #[getter]
    fn allowed(&self) -> bool {
        self.0.consumed
    }

    /// Tokens left after the call, rounded down; 0 while reservations are owed.
    #[getter]
    fn remaining(&self) -> u64 {
        self.0.remaining
    }

    /// Seconds until the same call would be granted, rounded up: 0.0 if it was, None if it never
    /// will be because more was asked for than fits.
    #[getter]
    fn retry_after(&self) -> Option<f64> {
        seconds(self.0.wait)
    }

    /// As `retry_after`, in nanoseconds: granted at that nanosecond, refused one before, if nobody
    /// else takes tokens.
    #[getter]
    fn retry_after_ns(&self) -> Option<u64> {
        ticks(self.0.wait)
    }

    /// Whether no wait is long enough.
    #[getter]
    fn never(&self) -> bool {
        self.0.wait == Wait::Never
    }

    /// Seconds until every bandwidth is at capacity, rounded up; None for never.
    #[getter]
    fn reset_after(&self) -> Option<f64> {
        seconds(self.0.reset)
    }

    /// As `reset_after`, in nanoseconds.
    #[getter]
    fn reset_after_ns(&self) -> Option<u64> {
        ticks(self.0.reset)
    }

    fn __bool__(&self) -> bool {
        self.0.consumed
    }

    fn __repr__(&self) -> String {
        let Probe {
            consumed,
            remaining,
            wait,
            reset,
            ..
        } = self.0;
        format!(
            "<Probe {}, {remaining} left, retry after {}, full in {}>",
            if consumed { "allowed" } else { "refused" },
            show(wait),
            show(reset),
        )
    }
}

/// What asking a `TokenBucket` for tokens would give. True if they are there.
#[pyclass(frozen, eq, hash, name = "Estimate", module = "tokenweir")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyEstimate(Estimate);

impl From<Estimate> for PyEstimate {
    fn from(estimate: Estimate) -> Self {
        Self(estimate)
    }
}

#[pymethods]
impl PyEstimate {
    /// Whether the tokens are there.
    #[getter]
    fn allowed(&self) -> bool {
        self.0.can_consume
    }

    /// Tokens there are now, rounded down; 0 while reservations are owed.
    #[getter]
    fn remaining(&self) -> u64 {
        self.0.remaining
    }

    /// Seconds until the tokens are there, rounded up: 0.0 if they are, None if they never will be.
    #[getter]
    fn retry_after(&self) -> Option<f64> {
        seconds(self.0.wait)
    }

    /// As `retry_after`, in nanoseconds.
    #[getter]
    fn retry_after_ns(&self) -> Option<u64> {
        ticks(self.0.wait)
    }

    /// Whether no wait is long enough.
    #[getter]
    fn never(&self) -> bool {
        self.0.wait == Wait::Never
    }

    fn __bool__(&self) -> bool {
        self.0.can_consume
    }

    fn __repr__(&self) -> String {
        let Estimate {
            can_consume,
            remaining,
            wait,
            ..
        } = self.0;
        format!(
            "<Estimate {}, {remaining} there, retry after {}>",
            if can_consume { "allowed" } else { "refused" },
            show(wait),
        )
    }
}
