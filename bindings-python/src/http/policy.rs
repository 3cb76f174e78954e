//! A limit as it is announced.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyDict};
use tokenweir::http::{Policy, Unit};

use crate::convert::{AtLeast, Integer};
use crate::error::{OrRaise, exception};
use crate::told::{count, duration};

/// A limit that applies to a request, by name: `"burst";q=100;w=60` in a field.
///
/// `name` is printable ASCII; `quota` how many units there are; `window` the time they are for, in
/// seconds or a `timedelta`, announced in whole seconds, rounded up. `unit` is what they count:
/// "requests", "content-bytes" or "concurrent-requests". `partition_key` tells the quota of this caller
/// or resource from others of the policy; it is readable by whoever sees the reply.
#[pyclass(frozen, eq, hash, name = "Policy", module = "tokenweir.http")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyPolicy(pub(crate) Arc<Policy>);

#[pymethods]
impl PyPolicy {
    #[new]
    #[pyo3(
        signature = (name, quota, window = None, *, unit = Counted(Unit::Requests), partition_key = None, window_ns = None),
        text_signature = "(name, quota, window=None, *, unit='requests', partition_key=None, window_ns=None)"
    )]
    fn new(
        py: Python<'_>,
        name: &str,
        quota: Integer,
        window: Option<AtLeast>,
        unit: Counted,
        partition_key: Option<&[u8]>,
        window_ns: Option<Integer>,
    ) -> PyResult<Self> {
        let mut policy = Policy::new(name, count(py, "quota", quota)?)
            .or_raise(py)?
            .with_unit(unit.0);
        if let Some(window) = duration(py, "window", window, window_ns)? {
            policy = policy.with_window(window).or_raise(py)?;
        }
        if let Some(key) = partition_key {
            policy = policy.with_partition_key(key);
        }
        Ok(Self(Arc::new(policy)))
    }

    /// The name; empty if received in a style that has none.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// How many units there are.
    #[getter]
    fn quota(&self) -> u64 {
        self.0.quota()
    }

    /// The time they are for, in whole seconds, rounded up.
    #[getter]
    fn window_seconds(&self) -> Option<u64> {
        self.0.window_seconds()
    }

    /// What they count; None if received with a unit that is not known.
    #[getter]
    fn unit(&self) -> Option<&'static str> {
        self.0.unit().map(Unit::name)
    }

    /// Whose quota it is.
    #[getter]
    fn partition_key<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.0.partition_key().map(|key| PyBytes::new(py, key))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let policy = &*self.0;
        let name = policy.name().into_pyobject(py)?.repr()?;
        let mut text = format!("Policy({name}, {}", policy.quota());
        if let Some(seconds) = policy.window_seconds() {
            text += &format!(", {seconds}");
        }
        if policy.unit() != Some(Unit::Requests) {
            text += &format!(", unit={}", self.unit().into_pyobject(py)?.repr()?);
        }
        if let Some(key) = self.partition_key(py) {
            text += &format!(", partition_key={}", key.repr()?);
        }
        Ok(text + ")")
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<((&str, u64), Bound<'py, PyDict>)> {
        let Some(unit) = self.unit().filter(|_| !self.name().is_empty()) else {
            return Err(PyTypeError::new_err(
                "a policy without a name or a known unit, as others may send it, cannot be pickled",
            ));
        };
        let named = PyDict::new(py);
        named.set_item("window", self.window_seconds())?;
        named.set_item("unit", unit)?;
        named.set_item("partition_key", self.partition_key(py))?;
        Ok(((self.name(), self.quota()), named))
    }
}

/// The name of a unit.
struct Counted(Unit);

impl<'py> FromPyObject<'_, 'py> for Counted {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let name: PyBackedStr = value.extract()?;
        let unknown = || {
            let message = format!(
                "unit: {name:?} is none of requests, content-bytes and concurrent-requests"
            );
            exception(value.py(), "ConfigError", "unknown_unit", &message, None)
        };
        Unit::from_name(&name).map(Self).ok_or_else(unknown)
    }
}
