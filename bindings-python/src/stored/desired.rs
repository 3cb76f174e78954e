//! The limits wanted under a key.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::stored::Desired;
use tokenweir::{Limits, TokensInheritance};

use crate::convert::Inheritance;
use crate::limits::{PyLimits, from_arguments};

/// The limits a caller wants under a key, given as to `Limiter`.
///
/// Without a version they count only where nothing is stored yet: whatever is stored stays in force.
/// With one they replace stored limits of a lower version, or of none, by `inheritance`, and are ignored
/// where the stored version is the same or higher, so that a process with an old configuration does not
/// roll back a new one.
#[pyclass(frozen, name = "Desired", module = "tokenweir.stored")]
pub(crate) struct PyDesired {
    pub(crate) limits: Arc<Limits>,
    version: Option<i64>,
    inheritance: TokensInheritance,
}

impl PyDesired {
    pub(crate) fn desired(&self) -> Desired<'_> {
        match self.version {
            Some(version) => Desired::versioned(&self.limits, version, self.inheritance),
            None => Desired::new(&self.limits),
        }
    }
}

#[pymethods]
impl PyDesired {
    #[new]
    #[pyo3(signature = (*limits, version = None, inheritance = Inheritance::AS_IS))]
    fn new(
        limits: &Bound<'_, PyTuple>,
        version: Option<i64>,
        inheritance: Inheritance,
    ) -> PyResult<Self> {
        Ok(Self {
            limits: Arc::new(from_arguments(limits)?),
            version,
            inheritance: inheritance.0,
        })
    }

    /// The limits.
    #[getter]
    fn limits(&self) -> PyLimits {
        PyLimits(Arc::clone(&self.limits))
    }

    /// Their version; None if they have none.
    #[getter]
    fn version(&self) -> Option<i64> {
        self.version
    }

    fn __repr__(&self) -> String {
        match self.version {
            Some(version) => format!("<Desired {}, version {version}>", self.limits),
            None => format!("<Desired {}>", self.limits),
        }
    }
}
