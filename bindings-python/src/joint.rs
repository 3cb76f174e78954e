//! One decision over several limiters.

use std::sync::Arc;

use pyo3::prelude::*;
use tokenweir::Limits;

use crate::decision::PyDecision;
use crate::demand::{self, Demand, Standing};
use crate::error::OrRaise;

/// What several limiters decided together. True if all of them allowed it.
#[pyclass(frozen, eq, hash, name = "JointDecision", module = "tokenweir")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyJointDecision {
    subject: usize,
    decision: tokenweir::Decision,
    limits: Arc<Limits>,
}

impl PyJointDecision {
    pub(crate) fn new(joint: tokenweir::JointDecision, standing: &[Standing<'_>]) -> Self {
        let decided = standing
            .iter()
            .find(|standing| standing.place == joint.subject);
        Self {
            subject: joint.subject,
            decision: joint.decision,
            // One of them did.
            limits: Arc::clone(decided.unwrap_or(&standing[0]).limits),
        }
    }
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

/// Takes what is asked of each limiter, if every one has it; otherwise nothing is taken from any.
///
/// Each is a Limiter, or a pair of a KeyedLimiter and a key, for a cost of 1, or the same with a cost behind:
/// `check_all(everybody, (tokens, 800), (users, "user:1"), (users, "user:2", 3))`. All must read the same
/// clock.
///
/// Raises TooManyKeys for a new key without room, unless it shares a limiter with others; the costs of
/// those that do add up.
#[pyfunction]
#[pyo3(signature = (*subjects))]
pub(crate) fn check_all(py: Python<'_>, subjects: Vec<Demand<'_>>) -> PyResult<PyJointDecision> {
    demand::check(&subjects)?;
    demand::decide(&subjects, |joint, standing, _| {
        PyJointDecision::new(joint, standing)
    })
    .or_raise(py)
}
