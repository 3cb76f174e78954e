//! One decision over several limiters.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::{Clock as _, Limits, Subject, decide_all};

use crate::convert::Cost;
use crate::decision::PyDecision;
use crate::limiter::PyLimiter;

/// What several limiters decided together. True if all of them allowed it.
#[pyclass(frozen, eq, hash, name = "JointDecision", module = "tokenweir")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyJointDecision {
    subject: usize,
    decision: tokenweir::Decision,
    limits: Arc<Limits>,
}

#[pymethods]
impl PyJointDecision {
    /// Whether every limiter had its cost; otherwise nothing was taken from any.
    #[getter]
    fn allowed(&self) -> bool {
        self.decision.allowed
    }

    /// Which limiter decided, counted from 0: the one with the longest wait if it was refused, otherwise
    /// the one with the least left.
    #[getter]
    fn subject(&self) -> usize {
        self.subject
    }

    /// Its decision; allowed only if all of them are.
    #[getter]
    fn decision(&self) -> PyDecision {
        PyDecision::new(self.decision, Arc::clone(&self.limits))
    }

    fn __bool__(&self) -> bool {
        self.decision.allowed
    }

    fn __repr__(&self) -> String {
        let decided = if self.decision.allowed {
            "allowed"
        } else {
            "refused"
        };
        let name = self.limits.name(self.decision.scope);
        format!(
            "<JointDecision {decided} by subject {}, {name:?}>",
            self.subject
        )
    }
}

/// Takes each limiter's cost, if every one has it; otherwise nothing is taken from any.
///
/// Each is a Limiter, for a cost of 1, or a pair of a Limiter and a cost:
/// `check_all(everybody, (tokens, 800))`. All must read the same clock.
#[pyfunction]
#[pyo3(signature = (*subjects))]
pub(crate) fn check_all(subjects: &Bound<'_, PyTuple>) -> PyResult<PyJointDecision> {
    let mut parts = Vec::with_capacity(subjects.len());
    for (place, subject) in subjects.iter().enumerate() {
        let (limiter, Cost(cost)) = match subject.cast::<PyLimiter>() {
            Ok(limiter) => (limiter.clone(), Cost::ONE),
            Err(_) => subject.extract()?,
        };
        parts.push((place, limiter, cost));
    }
    let Some((_, first, _)) = parts.first() else {
        return Err(PyValueError::new_err("there is no limiter to ask"));
    };
    let clock = first.get().clock().clone();
    // Locked in one order everywhere, so that two such calls cannot wait for each other.
    parts.sort_by_key(|(_, limiter, _)| limiter.as_ptr().addr());
    if parts.windows(2).any(|pair| pair[0].1.is(&pair[1].1)) {
        return Err(PyValueError::new_err("a limiter is given twice"));
    }
    if !parts
        .iter()
        .all(|(_, limiter, _)| limiter.get().clock().is_same(&clock))
    {
        return Err(PyValueError::new_err("the limiters read different clocks"));
    }
    let mut locked: Vec<_> = parts
        .iter()
        .map(|(place, limiter, cost)| (*place, limiter.get().held(), *cost))
        .collect();
    let now = clock.now();
    locked.sort_by_key(|(place, ..)| *place);
    let mut asked: Vec<Subject<'_>> = locked
        .iter_mut()
        .map(|(_, held, cost)| held.limiter.subject(*cost))
        .collect();
    let joint = decide_all(&mut asked, now);
    drop(asked);
    let limits = Arc::clone(&locked[joint.subject].1.limits);
    drop(locked);
    Ok(PyJointDecision {
        subject: joint.subject,
        decision: joint.decision,
        limits,
    })
}
