//! Tokens taken ahead of time from a store.

use pyo3::prelude::*;
use tokenweir::{LimiterReservation, Wait};

use crate::outcome::seconds;

/// Tokens taken ahead of time from stored limits: they may be used once the wait is over.
///
/// Forgetting it keeps them taken; `Command.cancel` gives them back.
#[pyclass(frozen, name = "StoredReservation", module = "tokenweir.stored")]
pub(crate) struct PyStoredReservation(pub(crate) LimiterReservation);

#[pymethods]
impl PyStoredReservation {
    /// How many tokens were taken.
    #[getter]
    fn cost(&self) -> u64 {
        self.0.cost().get()
    }

    /// Seconds to wait from the call that reserved them, rounded up; 0.0 means they may be used.
    #[getter]
    fn wait(&self) -> f64 {
        seconds(Wait::Ticks(self.0.wait())).unwrap_or_default()
    }

    /// As `wait`, in nanoseconds.
    #[getter]
    fn wait_ns(&self) -> u64 {
        self.0.wait()
    }

    /// The reading of the store's clock from which they may be used, in nanoseconds.
    #[getter]
    fn ready_at_ns(&self) -> u64 {
        self.0.ready_at()
    }

    pub(crate) fn __repr__(&self) -> String {
        format!(
            "<StoredReservation of {}, usable in {} s>",
            self.cost(),
            self.wait()
        )
    }
}
