//! The limit of a fixed cycle.

use pyo3::prelude::*;
use tokenweir::CycleConfig;
use tokenweir::signed::{self, SignedCycle};

use crate::convert::{Instant, Integer, Nanos, either, required};
use crate::error::OrRaise;

/// `limit` permits in each cycle, and how long a reservation may wait.
///
/// Cycles are counted from the construction of the limiter, or have an edge at `edge` and every period
/// before and after it; that needs a clock of civil time. Across an edge up to twice the limit can be
/// granted in a short time: where that matters, use a `Bandwidth`.
///
/// `period` is seconds (an int, or a float taken as the decimal it is written as) or a `timedelta`,
/// `timeout` the same, `edge` an aware `datetime` or seconds since the Unix epoch; each can be given in
/// nanoseconds instead. `timeout` is 0 unless given: reservations are then granted only without a wait.
#[pyclass(
    frozen,
    eq,
    hash,
    name = "CycleConfig",
    module = "tokenweir",
    from_py_object
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyCycleConfig(pub(crate) CycleConfig);

#[pymethods]
impl PyCycleConfig {
    #[new]
    #[pyo3(signature = (limit, period = None, *, timeout = None, edge = None, period_ns = None, timeout_ns = None, edge_ns = None))]
    #[expect(clippy::too_many_arguments, reason = "named arguments in Python")]
    fn new(
        py: Python<'_>,
        limit: Integer,
        period: Option<Nanos>,
        timeout: Option<Nanos>,
        edge: Option<Instant>,
        period_ns: Option<Integer>,
        timeout_ns: Option<Integer>,
        edge_ns: Option<Integer>,
    ) -> PyResult<Self> {
        let numbers = SignedCycle {
            limit: limit.0,
            period: required("period", period, period_ns)?,
            timeout: either("timeout", timeout, timeout_ns)?.unwrap_or(0),
        };
        let config = numbers.build().or_raise(py)?;
        Ok(Self(match either("edge", edge.map(|at| at.0), edge_ns)? {
            Some(edge) => config.aligned_to(signed::instant(edge).or_raise(py)?),
            None => config,
        }))
    }

    /// Permits in each cycle.
    #[getter]
    fn limit(&self) -> u64 {
        self.0.limit()
    }

    /// The length of a cycle, in nanoseconds.
    #[getter]
    fn period_ns(&self) -> u64 {
        self.0.period()
    }

    /// How long a reservation may wait, in nanoseconds.
    #[getter]
    fn timeout_ns(&self) -> u64 {
        self.0.timeout()
    }

    /// An edge the cycles are aligned to, in nanoseconds since the Unix epoch.
    #[getter]
    fn edge_ns(&self) -> Option<u64> {
        self.0.edge()
    }

    fn __repr__(&self) -> String {
        let config = &self.0;
        let mut text = format!(
            "CycleConfig({}, period_ns={}",
            config.limit(),
            config.period()
        );
        if config.timeout() > 0 {
            text += &format!(", timeout_ns={}", config.timeout());
        }
        if let Some(edge) = config.edge() {
            text += &format!(", edge_ns={edge}");
        }
        text + ")"
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let rebuild = py
            .import("tokenweir._native")?
            .getattr("_rebuild_cycle_config")?;
        let config = &self.0;
        let parts = (
            config.limit(),
            config.period(),
            config.timeout(),
            config.edge(),
        );
        Ok((rebuild, parts))
    }
}

/// Limit, period, timeout, edge.
type Parts = (u64, u64, u64, Option<u64>);

/// The configuration that was pickled.
#[pyfunction]
#[pyo3(name = "_rebuild_cycle_config", signature = (limit, period_ns, timeout_ns, edge_ns, /))]
pub(crate) fn rebuild_cycle_config(
    py: Python<'_>,
    limit: u64,
    period_ns: u64,
    timeout_ns: u64,
    edge_ns: Option<u64>,
) -> PyResult<PyCycleConfig> {
    let config = CycleConfig::new(limit, period_ns)
        .and_then(|config| config.with_timeout(timeout_ns))
        .or_raise(py)?;
    Ok(PyCycleConfig(match edge_ns {
        Some(edge) => config.aligned_to(edge),
        None => config,
    }))
}
