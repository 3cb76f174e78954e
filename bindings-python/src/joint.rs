//! One decision over several limiters.

use std::sync::Arc;

use pyo3::prelude::*;
use tokenweir::Limits;

use crate::decision::PyDecision;
use crate::demand::{self, Demand, Standing};

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
        Self {
            subject: joint.subject,
            decision: joint.decision,
            limits: Arc::clone(&standing[joint.subject].limits),
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
        PyDecision {
            decision: self.decision,
            limits: Arc::clone(&self.limits),
        }
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
/// Each is a Limiter or a KeyedLimiter with a key, for a cost of 1, or one of these and a cost:
/// `check_all(everybody, (tokens, 800), (users, "user:1"), (sizes, "user:1", 800))`. All must read the
/// same clock. Raises TooManyKeys if a new key finds no room in its limiter.
#[pyfunction]
#[pyo3(signature = (*subjects))]
pub(crate) fn check_all(py: Python<'_>, subjects: Vec<Demand<'_>>) -> PyResult<PyJointDecision> {
    demand::check(&subjects)?;
    demand::decide(py, &subjects, |joint, standing, _| {
        PyJointDecision::new(joint, standing)
    })
}
