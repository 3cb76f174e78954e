//! How one of several limits stands.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::LimitStatus;

use crate::error::OrRaise;
use crate::key::with_view;
use crate::keyed::PyKeyedLimiter;
use crate::limiter::PyLimiter;
use crate::outcome::{seconds, ticks};

/// How one of several limits stands.
#[pyclass(frozen, eq, hash, name = "LimitStatus", module = "tokenweir")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyLimitStatus(pub(crate) LimitStatus);

#[pymethods]
impl PyLimitStatus {
    /// The most that can be there at once.
    #[getter]
    fn limit(&self) -> u64 {
        self.0.limit
    }

    /// What is there, rounded down: negative while reservations are owed, above the limit where it was
    /// added by force.
    #[getter]
    fn available(&self) -> i64 {
        self.0.available
    }

    /// Seconds until the limit is full, rounded up; None for never.
    #[getter]
    fn reset_after(&self) -> Option<f64> {
        seconds(self.0.reset_after)
    }

    /// As `reset_after`, in nanoseconds.
    #[getter]
    fn reset_after_ns(&self) -> Option<u64> {
        ticks(self.0.reset_after)
    }

    fn __repr__(&self) -> String {
        format!("<LimitStatus {} of {}>", self.0.available, self.0.limit)
    }
}

#[pymethods]
impl PyLimiter {
    /// How each limit stands now, in their order.
    #[getter]
    fn statuses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let held = self.held();
        let statuses: Vec<_> = held.limiter.statuses(self.now()).collect();
        drop(held);
        PyTuple::new(py, statuses.into_iter().map(PyLimitStatus))
    }
}

#[pymethods]
impl PyKeyedLimiter {
    /// How each limit of the key stands now, in their order. Raises TooManyKeys for a new key without
    /// room, unless it shares a limiter with others.
    fn statuses<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        let py = key.py();
        let now = self.now();
        let statuses = with_view(key, |view| {
            self.table().with(view, now, |limits, state| {
                state.statuses(limits, now).collect::<Vec<_>>()
            })
        })?;
        PyTuple::new(py, statuses.or_raise(py)?.into_iter().map(PyLimitStatus))
    }
}
