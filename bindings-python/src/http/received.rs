//! What a reply says about limits.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use tokenweir::Wait;
use tokenweir::http::{Advice, Received, ServiceLimit};

use super::policy::PyPolicy;
use crate::convert::{self, Integer, Reading};
use crate::outcome::{seconds, ticks};

/// What a client learns from the fields of a reply, whichever of the styles it says it in.
///
/// A field that is malformed, or that may have only one value and has more, counts as absent. A reply
/// from a cache (`Age` above 0) says nothing about limits.
#[pyclass(frozen, eq, name = "Received", module = "tokenweir.http")]
#[derive(PartialEq, Eq)]
pub(crate) struct PyReceived(Received);

#[pymethods]
impl PyReceived {
    /// Reads the fields of a reply: a mapping, or pairs of name and value, as text or bytes; all of them,
    /// or those that are of interest.
    ///
    /// `now` is when it arrived, a `datetime` or seconds of Unix time; the system's time unless given.
    /// Instants (dates, Unix times) are compared with the reply's own `Date`, if it is among the fields, so
    /// that a client's clock may be wrong; else with `now`.
    #[staticmethod]
    #[pyo3(signature = (fields, now = None, *, now_ns = None))]
    fn parse(
        fields: &Bound<'_, PyAny>,
        now: Option<Reading>,
        now_ns: Option<Integer>,
    ) -> PyResult<Self> {
        let now = convert::now(fields.py(), now, now_ns)?;
        let pairs = match fields.getattr_opt("items")? {
            Some(items) => items.call0()?,
            None => fields.clone(),
        };
        let mut lines = Vec::new();
        for pair in pairs.try_iter()? {
            // Servers of ASGI give tuples, others lists.
            let pair: [Octets; 2] = pair?.extract()?;
            let [Octets(name), Octets(value)] = pair;
            lines.push((String::from_utf8_lossy(&name).into_owned(), value));
        }
        Ok(Self(Received::parse(lines, now)))
    }

    /// Whether, and when, the next request may be made. `Retry-After` decides alone; without it, the
    /// policies with nothing left do: the latest of their resets.
    #[getter]
    fn advice(&self) -> PyAdvice {
        PyAdvice(self.0.advice())
    }

    /// The wait that `Retry-After` asks for, in seconds; 0.0 for a date in the past, None if it was not
    /// sent.
    #[getter]
    fn retry_after(&self) -> Option<f64> {
        told_seconds(self.0.retry_after)
    }

    /// As `retry_after`, in nanoseconds.
    #[getter]
    fn retry_after_ns(&self) -> Option<u64> {
        self.0.retry_after
    }

    /// The policies, of `RateLimit-Policy`.
    #[getter]
    fn policies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let policies = self.0.policies.iter().cloned();
        let policies: Vec<_> = policies.map(|policy| PyPolicy(Arc::new(policy))).collect();
        PyTuple::new(py, policies)
    }

    /// What is left: of `RateLimit`, or if that says nothing `RateLimit-Remaining` and its companions, or
    /// if those say nothing `X-RateLimit-Remaining` and its companions.
    #[getter]
    fn limits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let limits: Vec<_> = self.0.limits.iter().cloned().map(PyServiceLimit).collect();
        PyTuple::new(py, limits)
    }

    fn __repr__(&self) -> String {
        format!(
            "<Received: {}, {} limits, {} policies>",
            self.advice().kind(),
            self.0.limits.len(),
            self.0.policies.len(),
        )
    }
}

/// What is left of a policy, as a client is told it. What was not sent is None.
#[pyclass(frozen, eq, hash, name = "ServiceLimit", module = "tokenweir.http")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyServiceLimit(ServiceLimit);

#[pymethods]
impl PyServiceLimit {
    /// The name of the policy, in the draft's style.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The quota, in the older styles.
    #[getter]
    fn limit(&self) -> Option<u64> {
        self.0.limit
    }

    /// How many units are left.
    #[getter]
    fn remaining(&self) -> Option<u64> {
        self.0.remaining
    }

    /// For how long no more than that can be used, in seconds.
    #[getter]
    fn reset_after(&self) -> Option<f64> {
        told_seconds(self.0.reset)
    }

    /// As `reset_after`, in nanoseconds.
    #[getter]
    fn reset_after_ns(&self) -> Option<u64> {
        self.0.reset
    }

    /// Whose quota it is.
    #[getter]
    fn partition_key<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let key = self.0.partition_key.as_deref();
        key.map(|key| PyBytes::new(py, key))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "<ServiceLimit {}: {} of {} left, reset after {} s>",
            self.name().into_pyobject(py)?.repr()?,
            self.remaining().into_pyobject(py)?,
            self.limit().into_pyobject(py)?,
            self.reset_after().into_pyobject(py)?,
        ))
    }
}

/// What the fields of a reply say about the next request.
///
/// None of it is an order to try again: how long to wait after a failure is for `Backoff` to say, with
/// this as the least.
#[pyclass(frozen, eq, hash, name = "Advice", module = "tokenweir.http")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyAdvice(pub(crate) Advice);

#[pymethods]
impl PyAdvice {
    /// "unknown" if nothing is known: there are no such fields, or none that could be read, or nothing is
    /// left and no time is given. "may_call" if there is something left, or nothing to wait for any more.
    /// "not_before" if there is an instant to wait for.
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0 {
            Advice::Unknown => "unknown",
            Advice::MayCall => "may_call",
            Advice::NotBefore(_) => "not_before",
        }
    }

    /// Not before this instant, in nanoseconds of Unix time; None if there is none to wait for.
    #[getter]
    fn not_before_ns(&self) -> Option<u64> {
        match self.0 {
            Advice::NotBefore(instant) => Some(instant),
            Advice::Unknown | Advice::MayCall => None,
        }
    }

    /// As `not_before_ns`, in seconds, rounded up.
    #[getter]
    fn not_before(&self) -> Option<f64> {
        told_seconds(self.not_before_ns())
    }

    /// Seconds from `now` until then, rounded up: 0.0 unless there is an instant to wait for, None for
    /// never (beyond 292 years). `now` is a `datetime` or seconds of Unix time, the system's time unless
    /// given.
    #[pyo3(signature = (now = None, *, now_ns = None))]
    fn wait(
        &self,
        py: Python<'_>,
        now: Option<Reading>,
        now_ns: Option<Integer>,
    ) -> PyResult<Option<f64>> {
        Ok(seconds(self.0.wait(convert::now(py, now, now_ns)?)))
    }

    /// As `wait`, in nanoseconds.
    #[pyo3(signature = (now = None, *, now_ns = None))]
    fn wait_ns(
        &self,
        py: Python<'_>,
        now: Option<Reading>,
        now_ns: Option<Integer>,
    ) -> PyResult<Option<u64>> {
        Ok(ticks(self.0.wait(convert::now(py, now, now_ns)?)))
    }

    fn __repr__(&self) -> String {
        match self.0 {
            Advice::NotBefore(instant) => format!("<Advice not_before {instant} ns>"),
            Advice::Unknown | Advice::MayCall => format!("<Advice {}>", self.kind()),
        }
    }
}

/// Nanoseconds in seconds, rounded up.
fn told_seconds(nanos: Option<u64>) -> Option<f64> {
    nanos.and_then(|nanos| seconds(Wait::Ticks(nanos)))
}

/// Text or bytes. What is received is never an error, so text that is not Unicode is read as far as it is.
struct Octets(Vec<u8>);

impl<'py> FromPyObject<'_, 'py> for Octets {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match value.cast::<PyString>() {
            Ok(text) => Ok(Self(text.to_string_lossy().into_owned().into_bytes())),
            Err(_) => Ok(Self(value.cast::<PyBytes>()?.as_bytes().to_vec())),
        }
    }
}
