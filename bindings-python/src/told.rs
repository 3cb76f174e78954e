//! Numbers that somebody tells of, each checked under the name of its argument: counts, durations that
//! may be none, and waits that may be never.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyFloat;
use tokenweir::{Wait, signed};

use crate::convert::{AtLeast, AtMost, Integer, Nanos, either};
use crate::error::out_of_range;

/// A wait of one argument, of a pair of which one is in seconds and the other in nanoseconds.
pub(crate) enum Told<T> {
    /// Not given.
    Nothing,
    /// Given as `None`.
    Never,
    Wait(T),
}

/// In seconds, rounded up.
pub(crate) type Seconds = Told<AtLeast>;
pub(crate) type Nanoseconds = Told<Integer>;

impl<'a, 'py, T: FromPyObject<'a, 'py, Error = PyErr>> FromPyObject<'a, 'py> for Told<T> {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Self::Never);
        }
        value.extract().map(Self::Wait)
    }
}

/// The same wait by either of two arguments, `None` if neither was given.
pub(crate) fn wait(
    py: Python<'_>,
    name: &str,
    seconds: Seconds,
    nanos: Nanoseconds,
) -> PyResult<Option<Wait>> {
    let given = match (seconds, nanos) {
        (Told::Nothing, Told::Nothing) => return Ok(None),
        (Told::Never, Told::Nothing) | (Told::Nothing, Told::Never) => {
            return Ok(Some(Wait::Never));
        }
        (Told::Wait(AtLeast(nanos)), Told::Nothing)
        | (Told::Nothing, Told::Wait(Integer(nanos))) => nanos,
        _ => {
            return Err(PyTypeError::new_err(format!(
                "{name} and {name}_ns are the same thing, give one of them"
            )));
        }
    };
    match signed::wait(given) {
        Ok(wait) => Ok(Some(wait)),
        Err(error) => Err(out_of_range(py, name, error)),
    }
}

/// As [`wait`], and one of the two must be given.
pub(crate) fn required_wait(
    py: Python<'_>,
    name: &str,
    seconds: Seconds,
    nanos: Nanoseconds,
) -> PyResult<Wait> {
    wait(py, name, seconds, nanos)?
        .ok_or_else(|| PyTypeError::new_err(format!("{name} or {name}_ns is missing")))
}

/// A duration in nanoseconds by either of two arguments.
pub(crate) fn duration(
    py: Python<'_>,
    name: &str,
    seconds: Option<impl Into<Nanos>>,
    nanos: Option<Integer>,
) -> PyResult<Option<u64>> {
    match either(name, seconds.map(Into::into), nanos)? {
        Some(nanos) => match signed::duration(nanos) {
            Ok(nanos) => Ok(Some(nanos)),
            Err(error) => Err(out_of_range(py, name, error)),
        },
        None => Ok(None),
    }
}

/// The seconds, or the `timedelta`, of an argument in nanoseconds, rounded down; beyond 64 bits it is held at
/// the longest.
#[pyfunction]
#[pyo3(name = "_duration_ns", signature = (name, seconds, /))]
pub(crate) fn duration_ns(name: &str, seconds: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = seconds.py();
    match seconds.extract() {
        Ok(AtMost(nanos)) => signed::duration(nanos).map_err(|error| out_of_range(py, name, error)),
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            Err(PyTypeError::new_err(format!("{name}: {}", error.value(py))))
        }
        Err(error) => Err(error),
    }
}

/// A number from 0.
pub(crate) fn count(py: Python<'_>, name: &str, Integer(value): Integer) -> PyResult<u64> {
    signed::count(value).map_err(|error| out_of_range(py, name, error))
}

/// A number from 0; one beyond 32 bits is as good as the largest of these.
pub(crate) fn small_count(py: Python<'_>, name: &str, value: Integer) -> PyResult<u32> {
    count(py, name, value).map(|count| u32::try_from(count).unwrap_or(u32::MAX))
}

/// A ratio, or a word, as text: a float as the decimal it is written as, anything else by `str()`.
pub(crate) struct Text(pub(crate) String);

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(match value.cast::<PyFloat>() {
            // Never with an exponent.
            Ok(float) => float.value().to_string(),
            Err(_) => value.str()?.to_string(),
        }))
    }
}
