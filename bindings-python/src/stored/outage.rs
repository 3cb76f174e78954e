//! What is answered while a store does not answer.

use std::num::NonZeroU32;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tokenweir::{Wait, stored};

use crate::decision::PyDecision;
use crate::limits::PyLimits;

/// The decision that an outage is answered by without any state.
#[pyfunction(name = "_without_store")]
pub(crate) fn without_store(
    limits: &Bound<'_, PyLimits>,
    allowed: bool,
    retry_after_ns: u64,
) -> PyDecision {
    let limits = Arc::clone(&limits.get().0);
    let decision = stored::without_store(&limits, allowed, Wait::Ticks(retry_after_ns));
    PyDecision::degraded(decision, limits)
}

/// A decision by a share of limits as one of those limits, made without the store.
#[pyfunction(name = "_degraded")]
pub(crate) fn degraded(
    decision: &Bound<'_, PyDecision>,
    limits: &Bound<'_, PyLimits>,
) -> PyDecision {
    PyDecision::degraded(decision.get().decision, Arc::clone(&limits.get().0))
}

/// The part of limits that one of several instances may use by itself.
#[pyfunction(name = "_share_of")]
pub(crate) fn share_of(limits: &Bound<'_, PyLimits>, instances: i64) -> PyResult<PyLimits> {
    let count = u32::try_from(instances).ok().and_then(NonZeroU32::new);
    let count = count.ok_or_else(|| {
        PyValueError::new_err(format!(
            "instances: {instances} is not between 1 and {}",
            u32::MAX
        ))
    })?;
    Ok(PyLimits(Arc::new(stored::share_of(&limits.get().0, count))))
}
