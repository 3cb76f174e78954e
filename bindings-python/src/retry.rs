//! The tries of one call.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use tokenweir::Wait;
use tokenweir::backoff::{Backoff, Retry};

use crate::backoff::PyBackoff;
use crate::convert::{AtLeast, Integer};
use crate::error::OrRaise;
use crate::outcome::seconds;
use crate::told::{Nanoseconds, Seconds, Told, count, duration, wait};

/// Where one call stands: how many retries were planned and how long the next interval is.
///
/// Made for each call: `Retry(backoff)`. It does not sleep and reads no clock.
#[pyclass(frozen, name = "Retry", module = "tokenweir")]
pub(crate) struct PyRetry {
    backoff: Backoff,
    retry: Mutex<Retry>,
}

impl PyRetry {
    fn held(&self) -> MutexGuard<'_, Retry> {
        // Nothing panics while it is locked, and Python is never entered.
        self.retry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyRetry {
    #[new]
    fn new(backoff: &Bound<'_, PyBackoff>) -> Self {
        let backoff = backoff.get().backoff;
        Self {
            backoff,
            retry: Mutex::new(Retry::new(&backoff)),
        }
    }

    /// How long to wait before the next try, in nanoseconds, at least 1: never shorter than the server
    /// asked for, and never longer than needed for it.
    ///
    /// `elapsed` is the time since the first try, rounded up to the nanosecond; `retry_after` the wait the
    /// server asked for, as `Advice.wait` gives it: 0 unless given, None for never. Both are seconds, or
    /// nanoseconds by the other names. `random` are 64 random bits, of the module `random` unless given.
    ///
    /// Raises GiveUp, by these codes in this order: "retries_exhausted", "retry_after_too_long",
    /// "retry_budget_exhausted". Nothing changes then.
    #[pyo3(signature = (
        elapsed = None, *, retry_after = Told::Nothing, random = None, elapsed_ns = None,
        retry_after_ns = Told::Nothing,
    ))]
    fn next_delay_ns(
        &self,
        py: Python<'_>,
        elapsed: Option<AtLeast>,
        retry_after: Seconds,
        random: Option<Integer>,
        elapsed_ns: Option<Integer>,
        retry_after_ns: Nanoseconds,
    ) -> PyResult<u64> {
        let elapsed = duration(py, "elapsed", elapsed, elapsed_ns)?.unwrap_or(0);
        let asked = wait(py, "retry_after", retry_after, retry_after_ns)?.unwrap_or(Wait::NONE);
        let random = match random {
            Some(random) => count(py, "random", random)?,
            None => py
                .import("random")?
                .call_method1("getrandbits", (64,))?
                .extract()?,
        };
        let next = self
            .held()
            .next_delay(&self.backoff, elapsed, random, asked);
        next.or_raise(py)
    }

    /// As `next_delay_ns`, in seconds, rounded up.
    #[pyo3(signature = (
        elapsed = None, *, retry_after = Told::Nothing, random = None, elapsed_ns = None,
        retry_after_ns = Told::Nothing,
    ))]
    fn next_delay(
        &self,
        py: Python<'_>,
        elapsed: Option<AtLeast>,
        retry_after: Seconds,
        random: Option<Integer>,
        elapsed_ns: Option<Integer>,
        retry_after_ns: Nanoseconds,
    ) -> PyResult<f64> {
        let delay =
            self.next_delay_ns(py, elapsed, retry_after, random, elapsed_ns, retry_after_ns)?;
        Ok(seconds(Wait::Ticks(delay)).unwrap_or_default())
    }

    /// How many retries were planned so far.
    #[getter]
    fn retries(&self) -> u32 {
        self.held().retries()
    }

    fn __repr__(&self) -> String {
        format!("<Retry: {} retries so far>", self.retries())
    }
}
