//! Limits as text, as objects, and mixed.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyMapping, PyString, PyTuple};
use tokenweir::{Limit, Limits, signed};

use crate::bandwidth::PyBandwidth;
use crate::convert::{AtLeast, Integer, Nanos, required};
use crate::cycle_config::PyCycleConfig;
use crate::error::OrRaise;

/// The limits of one subject, all of which must agree: bandwidths and fixed cycles mixed.
///
/// Made of text such as "100/s burst 200; 1000/min", of `Bandwidth` and `CycleConfig` objects, of a
/// mapping from names to these, or of several of all that. `str()` gives text that makes the same
/// limits.
#[pyclass(frozen, eq, hash, name = "Limits", module = "tokenweir")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyLimits(pub(crate) Arc<Limits>);

#[pymethods]
impl PyLimits {
    #[new]
    #[pyo3(signature = (*limits))]
    fn new(limits: &Bound<'_, PyTuple>) -> PyResult<Self> {
        from_arguments(limits).map(|limits| Self(Arc::new(limits)))
    }

    /// What each limit is called, in decisions and HTTP fields: its name or its text.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, (0..self.0.len()).map(|index| self.0.name(index)))
    }

    /// The most that can be there at once, of each limit.
    #[getter]
    fn quotas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.iter().map(Limit::quota))
    }

    /// What comes back each period, of each limit.
    #[getter]
    fn amounts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.iter().map(Limit::amount))
    }

    /// The periods in nanoseconds, of each limit.
    #[getter]
    fn periods_ns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.iter().map(Limit::period))
    }

    /// Whether a limit is aligned to civil time, and so needs a clock that tells it.
    #[getter]
    fn is_aligned(&self) -> bool {
        self.0.is_aligned()
    }

    /// The most tokens granted in any window of so many seconds, both ends included.
    ///
    /// Exact for one limit: who finds it full and takes all there is, at the worst time, gets just as
    /// many, and nobody gets more. Of several, it is that of the strictest. Refunds, resets, forced
    /// tokens and debts come on top. 2**64 - 1 stands for that many and more.
    ///
    /// `window` is seconds (int or float, a part of a nanosecond rounded up) or a `timedelta`.
    #[pyo3(signature = (window = None, *, window_ns = None))]
    fn most_within(
        &self,
        py: Python<'_>,
        window: Option<AtLeast>,
        window_ns: Option<Integer>,
    ) -> PyResult<u64> {
        let window = required(
            "window",
            window.map(|AtLeast(nanos)| Nanos(nanos)),
            window_ns,
        )?;
        Ok(self.0.most_within(signed::window(window).or_raise(py)?))
    }

    /// What these limits allow, in words: of each the burst, the sustained rate, the worst case and how
    /// it recovers, then the most that all grant together in windows from a second to a day.
    ///
    /// For people: the words may change, the numbers are those of `most_within`.
    fn explain(&self) -> String {
        self.0.explain()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let text = PyString::new(py, &self.0.to_string());
        Ok(format!("Limits({})", text.repr()?))
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.0.to_string(),)
    }
}

/// The limits that several arguments make together.
pub(crate) fn from_arguments(arguments: &Bound<'_, PyTuple>) -> PyResult<Limits> {
    let mut all = Vec::new();
    for argument in arguments {
        collect(&argument, &mut all)?;
    }
    Limits::new(all).or_raise(arguments.py())
}

/// Adds the limits that one argument stands for.
fn collect(argument: &Bound<'_, PyAny>, all: &mut Vec<Limit>) -> PyResult<()> {
    let py = argument.py();
    if let Ok(text) = argument.extract::<PyBackedStr>() {
        all.extend(Limits::parse(&text).or_raise(py)?.iter().cloned());
    } else if let Ok(limits) = argument.cast::<PyLimits>() {
        all.extend(limits.get().0.iter().cloned());
    } else if let Ok(bandwidth) = argument.cast::<PyBandwidth>() {
        all.push(bandwidth.get().to_limit());
    } else if let Ok(config) = argument.cast::<PyCycleConfig>() {
        all.push(Limit::cycle(config.get().0));
    } else if let Ok(named) = argument.cast::<PyMapping>() {
        for item in named.items()? {
            let (name, limit): (PyBackedStr, Bound<'_, PyAny>) = item.extract()?;
            let before = all.len();
            collect(&limit, all)?;
            match all.split_off(before).as_slice() {
                [limit] => all.push(limit.clone().named(&*name)),
                several => {
                    return Err(PyTypeError::new_err(format!(
                        "{name:?} names {} limits, a name is for one",
                        several.len()
                    )));
                }
            }
        }
    } else if let Ok(several) = argument.try_iter() {
        for limit in several {
            collect(&limit?, all)?;
        }
    } else {
        return Err(PyTypeError::new_err(format!(
            "limits are text, Bandwidth, CycleConfig, Limits, or mappings and lists of these, not {}",
            argument.get_type().name()?
        )));
    }
    Ok(())
}
