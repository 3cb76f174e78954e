//! What is left of a policy.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tokenweir::Wait;
use tokenweir::http::{Policy, Quota};

use super::policy::PyPolicy;
use crate::convert::Integer;
use crate::error::show;
use crate::outcome::{seconds, ticks};
use crate::told::{Nanoseconds, Seconds, Told, count, required_wait, wait};

/// The state of one policy at a reply.
///
/// `remaining` units are left, and all of them are back after `reset_after`. `retry_after` is the wait
/// until this policy would grant the request; 0, as it is unless given, if it does not refuse it.
/// `effective_window` is for how long no more than what is left can be used, if that is known: the wait
/// for one unit more than is left. Waits are seconds, rounded up, a `timedelta`, or None for never; each
/// can be given in nanoseconds instead.
#[pyclass(frozen, eq, hash, name = "Quota", module = "tokenweir.http")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyQuota {
    policy: Arc<Policy>,
    remaining: u64,
    reset: Wait,
    retry_after: Wait,
    window: Option<Wait>,
}

impl PyQuota {
    pub(crate) fn of(quota: &Quota<'_>) -> Self {
        Self {
            policy: Arc::new(quota.policy().clone()),
            remaining: quota.remaining(),
            reset: quota.reset(),
            retry_after: quota.retry_after(),
            window: quota.effective_window(),
        }
    }

    pub(crate) fn quota(&self) -> Quota<'_> {
        let quota =
            Quota::new(&self.policy, self.remaining, self.reset).with_retry_after(self.retry_after);
        match self.window {
            Some(window) => quota.with_effective_window(window),
            None => quota,
        }
    }
}

#[pymethods]
impl PyQuota {
    #[new]
    #[pyo3(signature = (
        policy, remaining, reset_after = Told::Nothing, *,
        retry_after = Told::Nothing, effective_window = Told::Nothing,
        reset_after_ns = Told::Nothing, retry_after_ns = Told::Nothing,
        effective_window_ns = Told::Nothing,
    ))]
    #[expect(clippy::too_many_arguments, reason = "named arguments in Python")]
    fn new(
        py: Python<'_>,
        policy: &Bound<'_, PyPolicy>,
        remaining: Integer,
        reset_after: Seconds,
        retry_after: Seconds,
        effective_window: Seconds,
        reset_after_ns: Nanoseconds,
        retry_after_ns: Nanoseconds,
        effective_window_ns: Nanoseconds,
    ) -> PyResult<Self> {
        Ok(Self {
            policy: Arc::clone(&policy.get().0),
            remaining: count(py, "remaining", remaining)?,
            reset: required_wait(py, "reset_after", reset_after, reset_after_ns)?,
            retry_after: wait(py, "retry_after", retry_after, retry_after_ns)?
                .unwrap_or(Wait::NONE),
            window: wait(
                py,
                "effective_window",
                effective_window,
                effective_window_ns,
            )?,
        })
    }

    /// The policy.
    #[getter]
    fn policy(&self) -> PyPolicy {
        PyPolicy(Arc::clone(&self.policy))
    }

    /// How many units are left.
    #[getter]
    fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Seconds until all units are back; None for never.
    #[getter]
    fn reset_after(&self) -> Option<f64> {
        seconds(self.reset)
    }

    /// As `reset_after`, in nanoseconds.
    #[getter]
    fn reset_after_ns(&self) -> Option<u64> {
        ticks(self.reset)
    }

    /// Seconds until this policy would grant the request: 0.0 if it does not refuse it, None for never.
    #[getter]
    fn retry_after(&self) -> Option<f64> {
        seconds(self.retry_after)
    }

    /// As `retry_after`, in nanoseconds.
    #[getter]
    fn retry_after_ns(&self) -> Option<u64> {
        ticks(self.retry_after)
    }

    /// Whether this policy refuses the request.
    #[getter]
    fn refuses(&self) -> bool {
        self.quota().refuses()
    }

    /// The `t` of the draft's `RateLimit`, in whole seconds, rounded up: the effective window if it is
    /// known, else the wait of a refusal, else the time until all units are back; None for never. Of a
    /// policy that refuses it is at most the wait, so that `Retry-After` is never earlier.
    #[getter]
    fn effective_window_seconds(&self) -> Option<u64> {
        self.quota().effective_window_seconds()
    }

    /// The reset of the older styles, in whole seconds, rounded up: until all units are back, at most
    /// 999,999,999 (also for never), since larger numbers are read as Unix times.
    #[getter]
    fn reset_seconds(&self) -> u64 {
        self.quota().reset_seconds()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name = self.policy.name().into_pyobject(py)?.repr()?;
        Ok(format!(
            "<Quota of {name}: {} of {} left, retry after {}, full in {}>",
            self.remaining,
            self.policy.quota(),
            show(self.retry_after),
            show(self.reset),
        ))
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((PyPolicy, u64), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        named.set_item("reset_after_ns", ticks(self.reset))?;
        named.set_item("retry_after_ns", ticks(self.retry_after))?;
        if let Some(window) = self.window {
            named.set_item("effective_window_ns", ticks(window))?;
        }
        Ok(((self.policy(), self.remaining), named))
    }
}
