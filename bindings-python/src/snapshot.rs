//! The state of a bandwidth as numbers.

use pyo3::prelude::*;
use tokenweir::LevelSnapshot;

/// The state of one bandwidth as numbers that do not depend on how it is kept.
#[pyclass(
    frozen,
    eq,
    hash,
    name = "LevelSnapshot",
    module = "tokenweir",
    from_py_object
)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyLevelSnapshot(pub(crate) LevelSnapshot);

#[pymethods]
impl PyLevelSnapshot {
    #[new]
    #[pyo3(signature = (tokens, remainder, last_refill_ns))]
    fn new(tokens: i64, remainder: u64, last_refill_ns: i128) -> Self {
        Self(LevelSnapshot {
            tokens,
            remainder,
            last_refill: last_refill_ns,
        })
    }

    /// Whole tokens; negative while reservations are owed.
    #[getter]
    fn tokens(&self) -> i64 {
        self.0.tokens
    }

    /// The part of the next token that has been refilled, in units of 1/period_ns: 0 for refills at
    /// edges.
    #[getter]
    fn remainder(&self) -> u64 {
        self.0.remainder
    }

    /// The reading at the last refill, in nanoseconds; negative only before the first edge of an
    /// aligned bandwidth.
    #[getter]
    fn last_refill_ns(&self) -> i128 {
        self.0.last_refill
    }

    fn __repr__(&self) -> String {
        let LevelSnapshot {
            tokens,
            remainder,
            last_refill,
        } = self.0;
        format!("LevelSnapshot({tokens}, {remainder}, {last_refill})")
    }

    fn __getnewargs__(&self) -> (i64, u64, i128) {
        (self.0.tokens, self.0.remainder, self.0.last_refill)
    }
}
