//! Counting what was refused.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use tokenweir::{Permits, Suppressed, Tokens, TryTake};

use crate::convert::{Cost, PermitCost};
use crate::fixed_cycle::FixedCycle;
use crate::limiter::PyLimiter;
use crate::token_bucket::TokenBucket;

/// A limiter that counts its refusals and hands the count out with the next grant.
///
/// For log lines and alarms: when one gets through again, it can say how many did not.
///
/// >>> lines = Suppressed(Limiter("1/s"))
/// >>> if (left_out := lines.try_take()) is not None:
/// ...     print(f"the disk is full ({left_out} more)")
///
/// What is done to the limiter itself, a `Limiter`, `TokenBucket` or `FixedCycle`, is not counted.
#[pyclass(frozen, name = "Suppressed", module = "tokenweir")]
pub(crate) struct PySuppressed(Mutex<Suppressed<Any>>);

/// A limiter, which reads its own clock.
enum Any {
    Limiter(Py<PyLimiter>),
    Bucket(Py<TokenBucket>),
    Cycle(Py<FixedCycle>),
}

impl TryTake for Any {
    type Amount = Tokens;
    type Instant = ();

    fn try_take(&mut self, n: Tokens, (): ()) -> bool {
        match self {
            Self::Limiter(limiter) => limiter.get().try_acquire(Cost(n)),
            Self::Bucket(bucket) => bucket.get().try_acquire(Cost(n)),
            Self::Cycle(cycle) => {
                Permits::new(n.get()).is_ok_and(|n| cycle.get().try_acquire(PermitCost(n)))
            }
        }
    }
}

impl PySuppressed {
    fn held(&self) -> MutexGuard<'_, Suppressed<Any>> {
        // Nothing panics while it is locked, and Python is never entered.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PySuppressed {
    #[new]
    fn new(limiter: &Bound<'_, PyAny>) -> PyResult<Self> {
        let any = if let Ok(limiter) = limiter.cast::<PyLimiter>() {
            Any::Limiter(limiter.clone().unbind())
        } else if let Ok(bucket) = limiter.cast::<TokenBucket>() {
            Any::Bucket(bucket.clone().unbind())
        } else if let Ok(cycle) = limiter.cast::<FixedCycle>() {
            Any::Cycle(cycle.clone().unbind())
        } else {
            return Err(PyTypeError::new_err(format!(
                "limiter: a Limiter, TokenBucket or FixedCycle is needed, not {}",
                limiter.repr()?
            )));
        };
        Ok(Self(Mutex::new(Suppressed::new(any))))
    }

    /// Takes `cost` and returns how many calls were refused since the last grant, or None if this one is
    /// refused as well. It counts calls, whatever they asked for, up to 2**32 - 1.
    #[pyo3(signature = (cost = Cost::ONE), text_signature = "($self, cost=1)")]
    fn try_take(&self, cost: Cost) -> Option<u32> {
        self.held().try_take(cost.0, ())
    }

    /// How many calls were refused since the last grant.
    #[getter]
    fn suppressed(&self) -> u32 {
        self.held().suppressed()
    }

    /// Hands the count out without a grant, and counts from 0 again: for a last word when a flood ends and
    /// no further line comes.
    fn take_suppressed(&self) -> u32 {
        self.held().take_suppressed()
    }

    /// The limiter, for its queries.
    #[getter]
    fn limiter<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match self.held().limiter() {
            Any::Limiter(limiter) => limiter.bind(py).clone().into_any(),
            Any::Bucket(bucket) => bucket.bind(py).clone().into_any(),
            Any::Cycle(cycle) => cycle.bind(py).clone().into_any(),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let limiter = self.limiter(py).repr()?;
        Ok(format!("<Suppressed {}: {limiter}>", self.suppressed()))
    }
}
