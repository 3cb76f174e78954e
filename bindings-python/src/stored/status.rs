//! How one of several limits stands.

use pyo3::prelude::*;
use tokenweir::LimitStatus;

use crate::outcome::{seconds, ticks};

/// How one of several stored limits stands.
#[pyclass(frozen, eq, hash, name = "LimitStatus", module = "tokenweir.stored")]
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
