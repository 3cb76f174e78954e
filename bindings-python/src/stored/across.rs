//! One decision over the stored limits of several keys.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use tokenweir::stored::{self, Key};

use super::desired::PyDesired;
use super::run::{PyStep, outcome};
use crate::convert::Cost;
use crate::error::OrRaise;

/// A key as it is given: the stored bytes, the limits wanted, and what to take.
type Given<'py> = (Option<PyBackedBytes>, Bound<'py, PyDesired>, Cost);

/// Takes each key's cost from all of its limits, if all limits of all keys have it; otherwise nothing is
/// taken anywhere.
///
/// Each key is a triple: the stored bytes or None, the Desired, and the cost. Returns a Step for each,
/// whose outcome is the Decision of that key, and the place of the one that decided: the longest wait of
/// those refused, or the least left if all are allowed. If one is refused, the others say what they would have
/// allowed, and only a change of limits is written.
///
/// Raises StateError for bytes that are no state; nothing was decided then.
#[pyfunction]
pub(crate) fn step_across(
    py: Python<'_>,
    keys: Vec<Given<'_>>,
    now_ns: u64,
) -> PyResult<(Vec<PyStep>, usize)> {
    let asked: Vec<Key<'_, '_>> = keys
        .iter()
        .map(|(stored, desired, cost)| Key {
            stored: stored.as_deref(),
            desired: desired.get().desired(),
            cost: cost.0,
        })
        .collect();
    let steps = stored::step_across(&asked, now_ns).or_raise(py)?;
    let decided = stored::deciding(&steps)
        .ok_or_else(|| PyValueError::new_err("there is no key to ask about"))?;
    let steps = keys
        .iter()
        .zip(steps)
        .map(|((_, desired, _), step)| {
            PyStep::of(py, desired.get(), step, |answer, limits| {
                outcome(py, answer, limits)
            })
        })
        .collect::<PyResult<_>>()?;
    Ok((steps, decided))
}
