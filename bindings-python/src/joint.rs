//! One decision over several limiters.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::Limits;

use crate::convert::{self, AtMost, Integer};
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

/// Takes what is asked of each limiter, given as to `check_all`, to be used after a wait of at most
/// `max_wait` seconds (inclusive; for ever if it is None): that of the limiter with the longest. If one
/// cannot keep that, nothing is taken from any.
///
/// The reservations are in the order of the limiters; each can be cancelled by itself. Keys without room
/// that share a limiter have one together, where the first of them is.
///
/// Raises RateLimited, with the wait it would take, if that is too late, and TooManyKeys as `check_all`.
#[pyfunction]
#[pyo3(signature = (*subjects, max_wait = None, max_wait_ns = None))]
pub(crate) fn reserve_all<'py>(
    py: Python<'py>,
    subjects: Vec<Demand<'_>>,
    max_wait: Option<AtMost>,
    max_wait_ns: Option<Integer>,
) -> PyResult<Bound<'py, PyTuple>> {
    demand::check(&subjects)?;
    let longest = convert::max_wait(py, max_wait, max_wait_ns)?;
    let reserved = demand::reserve(&subjects, longest).or_raise(py)?;
    let reserved = reserved.or_raise(py)?.into_iter();
    let reserved: Vec<_> = reserved
        .map(|(place, reservation)| subjects[place].reserved(reservation))
        .collect();
    PyTuple::new(py, reserved)
}
