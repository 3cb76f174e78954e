//! Commands on the stored state of one key.

use std::borrow::Cow;
use std::sync::Arc;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};
use tokenweir::Limits;
use tokenweir::stored::{self, Outcome, Step, Write};

use super::command::PyCommand;
use super::desired::PyDesired;
use super::reservation::PyStoredReservation;
use crate::decision::PyDecision;
use crate::error::{OrRaise, Raise};
use crate::limits::PyLimits;
use crate::status::PyLimitStatus;

/// What to write under a key.
#[pyclass(frozen, name = "Write", module = "tokenweir.stored")]
pub(crate) struct PyWrite {
    bytes: Py<PyBytes>,
    time_to_live_ms: Option<u64>,
    keep_ms: u64,
}

#[pymethods]
impl PyWrite {
    /// The bytes.
    #[getter]
    fn bytes(&self, py: Python<'_>) -> Py<PyBytes> {
        self.bytes.clone_ref(py)
    }

    /// How long they matter, in milliseconds rounded up, at least 1: afterwards a new entry would say the
    /// same. None if they must not expire.
    #[getter]
    fn time_to_live_ms(&self) -> Option<u64> {
        self.time_to_live_ms
    }

    /// How long a store keeps it, in milliseconds: its time to live and a margin, or a year if it must not
    /// expire.
    #[getter]
    fn keep_ms(&self) -> u64 {
        self.keep_ms
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let length = self.bytes.bind(py).len()?;
        Ok(match self.time_to_live_ms {
            Some(millis) => format!("<Write {length} bytes for {millis} ms>"),
            None => format!("<Write {length} bytes for good>"),
        })
    }
}

/// The result of `step`, of `step_batch` with a list of outcomes, or of one key of `step_across`.
#[pyclass(frozen, name = "Step", module = "tokenweir.stored")]
pub(crate) struct PyStep {
    outcome: Py<PyAny>,
    write: Option<Py<PyWrite>>,
    limits: Arc<Limits>,
    version: Option<i64>,
    epoch: u8,
    consumed: u64,
}

impl PyStep {
    /// The result of a step, its outcomes as `convert` has them.
    pub(crate) fn of<O>(
        py: Python<'_>,
        desired: &PyDesired,
        step: Step<'_, O>,
        convert: impl FnOnce(O, &Arc<Limits>) -> PyResult<Py<PyAny>>,
    ) -> PyResult<Self> {
        let limits = match step.limits {
            Cow::Borrowed(_) => Arc::clone(&desired.limits),
            Cow::Owned(stored) => Arc::new(stored),
        };
        Ok(Self {
            outcome: convert(step.outcome, &limits)?,
            write: step.write.map(|write| written(py, &write)).transpose()?,
            limits,
            version: step.version,
            epoch: step.epoch,
            consumed: step.consumed,
        })
    }
}

fn written(py: Python<'_>, write: &Write) -> PyResult<Py<PyWrite>> {
    let bytes = PyBytes::new(py, &write.bytes).unbind();
    let written = PyWrite {
        bytes,
        time_to_live_ms: write.time_to_live_ms,
        keep_ms: write.keep_ms(),
    };
    Py::new(py, written)
}

#[pymethods]
impl PyStep {
    /// The answer, or the list of answers.
    #[getter]
    fn outcome(&self, py: Python<'_>) -> Py<PyAny> {
        self.outcome.clone_ref(py)
    }

    /// What to write; None if the stored bytes, or their absence, stay as they are.
    #[getter]
    fn write(&self, py: Python<'_>) -> Option<Py<PyWrite>> {
        self.write.as_ref().map(|write| write.clone_ref(py))
    }

    /// The limits in force, which may be the stored ones.
    #[getter]
    fn limits(&self) -> PyLimits {
        PyLimits(Arc::clone(&self.limits))
    }

    /// The version in force.
    #[getter]
    fn version(&self) -> Option<i64> {
        self.version
    }

    /// Changes with every refund, reset, cancellation, addition and change of the limits: until it does,
    /// a refusal holds for as long as it said. 0 to 255; wraps.
    #[getter]
    fn epoch(&self) -> u8 {
        self.epoch
    }

    /// All that was ever taken under this key; what was given back is not subtracted.
    #[getter]
    fn consumed(&self) -> u64 {
        self.consumed
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let outcome = self.outcome.bind(py).repr()?;
        let write = match &self.write {
            Some(write) => write.get().__repr__(py)?,
            None => String::from("nothing to write"),
        };
        Ok(format!("<Step {outcome}, {write}>"))
    }
}

/// An outcome as Python has it. What was not possible is an exception, which is not raised: other
/// commands of a batch were, and the limits may have to be written.
pub(crate) fn outcome(
    py: Python<'_>,
    outcome: Outcome,
    limits: &Arc<Limits>,
) -> PyResult<Py<PyAny>> {
    match outcome {
        Outcome::Decision(decision) => {
            PyDecision::new(decision, Arc::clone(limits)).into_py_any(py)
        }
        Outcome::Taken(taken) => taken.into_py_any(py),
        Outcome::Owed(Ok(debt)) => debt.into_py_any(py),
        Outcome::Reserved(Ok(reservation)) => PyStoredReservation(reservation).into_py_any(py),
        Outcome::Owed(Err(error)) | Outcome::Reserved(Err(error)) => {
            error.raise(py).into_value(py).into_py_any(py)
        }
        Outcome::Cancelled(given_back) => given_back.into_py_any(py),
        Outcome::Statuses(statuses) => {
            let statuses = statuses.into_iter().map(PyLimitStatus);
            PyTuple::new(py, statuses.collect::<Vec<_>>())?.into_py_any(py)
        }
        // Done, now and of what may come.
        _ => Ok(py.None()),
    }
}

/// Runs one command on the stored state of a key, or on a new one where nothing is stored (None).
///
/// `now_ns` is in nanoseconds of a clock that all users of the store share: take the store's own time. A
/// command that takes and gives nothing writes nothing, unless the limits changed, a new entry is not
/// full, or a fixed cycle has come that was not seen before.
///
/// Raises StateError for bytes that are no state; nothing was decided then.
#[pyfunction]
pub(crate) fn step(
    py: Python<'_>,
    stored: Option<PyBackedBytes>,
    desired: &Bound<'_, PyDesired>,
    now_ns: u64,
    command: &Bound<'_, PyCommand>,
) -> PyResult<PyStep> {
    let desired = desired.get();
    let command = command.get().command();
    let step =
        stored::step(stored.as_deref(), &desired.desired(), now_ns, &command).or_raise(py)?;
    PyStep::of(py, desired, step, |answer, limits| {
        outcome(py, answer, limits)
    })
}

/// As `step`, for several commands in their order with one reading and one writing: `outcome` is the list
/// of their answers.
#[pyfunction]
pub(crate) fn step_batch(
    py: Python<'_>,
    stored: Option<PyBackedBytes>,
    desired: &Bound<'_, PyDesired>,
    now_ns: u64,
    commands: Vec<Bound<'_, PyCommand>>,
) -> PyResult<PyStep> {
    let desired = desired.get();
    let commands: Vec<_> = commands
        .iter()
        .map(|command| command.get().command())
        .collect();
    let step = stored::step_batch(stored.as_deref(), &desired.desired(), now_ns, &commands)
        .or_raise(py)?;
    PyStep::of(py, desired, step, |answers, limits| {
        let answers = answers
            .into_iter()
            .map(|answer| outcome(py, answer, limits));
        answers.collect::<PyResult<Vec<_>>>()?.into_py_any(py)
    })
}
