//! Callers that wait for a limiter: what the drivers in Python, which park threads and tasks, call.

use std::collections::HashMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyModule, PyTuple};
use tokenweir::{Clock as _, JoinError, Joined, Served, Ticket, WaitQueue};

use crate::clock::Clock;
use crate::convert::{AtMost, Cost};
use crate::error::OrRaise;
use crate::key::Key;
use crate::limiter::{Held, PyLimiter};

/// How long a caller would wait: seconds or a `timedelta`, None or -1 for as long as it takes.
pub(crate) struct Timeout(pub(crate) Option<u64>);

impl Timeout {
    pub(crate) const NONE: Self = Self(None);
}

impl<'py> FromPyObject<'_, 'py> for Timeout {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_none() || value.eq(-1)? {
            return Ok(Self::NONE);
        }
        let AtMost(nanos) = value.extract()?;
        match u64::try_from(nanos) {
            Ok(nanos) => Ok(Self(Some(nanos))),
            Err(_) if nanos > 0 => Ok(Self::NONE),
            Err(_) => Err(PyValueError::new_err(
                "timeout: it is negative, at least 0 is needed, or -1 for no timeout",
            )),
        }
    }
}

impl PyLimiter {
    #[inline]
    fn passes(&self, cost: &Cost) -> bool {
        let mut guard = self.held();
        let Held { limiter, queue, .. } = &mut *guard;
        queue.pass(limiter, cost.0, self.now())
    }
}

#[pymethods]
impl PyLimiter {
    /// Takes `cost` if it is there, waiting for it for at most `timeout` seconds (inclusive; for as long
    /// as it takes if it is None or -1). Returns whether it was taken.
    ///
    /// First come, first served. A caller who is sure not to be served in time is told so at once.
    /// Raises RateLimited if `cost` is above what a limit can ever have, QueueFull if as many callers
    /// wait as may. Interrupted, it takes nothing.
    #[pyo3(
        signature = (cost = Cost::ONE, *, timeout = None),
        text_signature = "($self, cost=1, *, timeout=None)"
    )]
    fn acquire<'py>(
        slf: &Bound<'py, Self>,
        cost: Cost,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<bool> {
        if slf.get().passes(&cost) {
            return Ok(true);
        }
        let arguments = (slf, cost.0.get(), timeout);
        WAITING.get(slf.py(), "block")?.call1(arguments)?.extract()
    }

    /// Has a function, or a coroutine function, wait before each call.
    ///
    /// `@limiter`, or `@limiter(cost=3, timeout=1)`; `cost` may be computed from the call's arguments. A
    /// call that cannot be made in time raises RateLimited, with `timeout=0` at once unless the cost is
    /// there.
    #[pyo3(signature = (function = None, /, *, cost = None, timeout = None))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        function: Option<&Bound<'py, PyAny>>,
        cost: Option<&Bound<'py, PyAny>>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let limit_calls = WRAPPING.get(slf.py(), "limit_calls")?;
        match cost {
            Some(cost) => limit_calls.call1((slf, function, cost, timeout)),
            None => limit_calls.call1((slf, function, 1, timeout)),
        }
    }

    /// Serves those whose time has come.
    fn _pump(slf: &Bound<'_, Self>) -> PyResult<()> {
        pump(slf.as_any())
    }

    fn __enter__<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        Self::acquire(&slf, Cost::ONE, None)?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) -> bool {
        false
    }

    /// Takes `cost` if it is there. A refusal is not counted: the caller will join.
    #[pyo3(signature = (cost = Cost::ONE), text_signature = "($self, cost=1)")]
    fn _pass(&self, cost: Cost) -> bool {
        self.passes(&cost)
    }

    /// Takes `cost`, or queues `waiter`: its ticket; None if the cost was taken, -1 if it comes too
    /// late.
    fn _join(
        &self,
        py: Python<'_>,
        cost: Cost,
        timeout: Timeout,
        waiter: Py<PyAny>,
    ) -> PyResult<Option<i64>> {
        let mut guard = self.held();
        let held = &mut *guard;
        let joined = held
            .queue
            .join(&mut held.limiter, cost.0, timeout.0, self.now());
        if let Ok(Joined::Waiting(ticket)) = joined {
            held.waiters.insert(ticket, waiter);
        }
        drop(guard);
        told(py, joined)
    }

    /// Those whose wait has ended, each with whether the cost was taken (None if it never can be), and
    /// the first of those who still wait.
    fn _serve(&self, py: Python<'_>) -> (Vec<Ended>, Option<Py<PyAny>>) {
        let mut guard = self.held();
        let Held { queue, waiters, .. } = &mut *guard;
        served(py, queue, waiters, self.now())
    }

    /// The caller with this ticket no longer waits: gives back what was taken for it and returns true,
    /// unless it has been served.
    fn _leave(&self, ticket: i64) -> bool {
        let ticket = Ticket::from_number(ticket.cast_unsigned());
        let mut guard = self.held();
        let held = &mut *guard;
        let waiter = held.waiters.remove(&ticket);
        held.queue.leave(&mut held.limiter, &[ticket], self.now());
        drop(guard);
        waiter.is_some()
    }

    /// Nanoseconds until the caller with this ticket is served, if it is the first and time goes by
    /// itself; otherwise somebody will wake it.
    fn _delay_ns(&self, ticket: i64) -> Option<u64> {
        delay_ns(&self.held().queue, ticket, self.clock())
    }

    /// Has `_pump` called whenever a manual clock moves.
    fn _watch(slf: &Bound<'_, Self>) -> PyResult<()> {
        slf.get().clock().watch(slf.as_any())
    }
}

/// A module of the package in Python.
pub(crate) struct Module(&'static str, PyOnceLock<Py<PyModule>>);

static WAITING: Module = Module("tokenweir._waiting", PyOnceLock::new());
pub(crate) static KEYED: Module = Module("tokenweir._keyed", PyOnceLock::new());
pub(crate) static WRAPPING: Module = Module("tokenweir._wrapping", PyOnceLock::new());

impl Module {
    pub(crate) fn get<'py>(
        &'static self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let import = || py.import(self.0).map(Bound::unbind);
        let module = self.1.get_or_try_init(py, import)?;
        module.bind(py).getattr(name)
    }
}

/// Serves those who wait for a limiter and whose time has come.
pub(crate) fn pump(limiter: &Bound<'_, PyAny>) -> PyResult<()> {
    WAITING.get(limiter.py(), "pump")?.call1((limiter,))?;
    Ok(())
}

/// As [`pump`], for a key of a keyed limiter.
pub(crate) fn pump_key(keyed: &Bound<'_, PyAny>, key: &Key) -> PyResult<()> {
    KEYED.get(keyed.py(), "pump")?.call1((keyed, key))?;
    Ok(())
}

/// As [`pump_key`], for all keys.
pub(crate) fn pump_all(keyed: &Bound<'_, PyAny>) -> PyResult<()> {
    KEYED.get(keyed.py(), "pump_all")?.call1((keyed,))?;
    Ok(())
}

/// The answer of `_join`.
pub(crate) fn told(py: Python<'_>, joined: Result<Joined, JoinError>) -> PyResult<Option<i64>> {
    match joined {
        Ok(Joined::Granted) => Ok(None),
        Ok(Joined::Waiting(ticket)) => Ok(Some(ticket.get().cast_signed())),
        Err(JoinError::NotInTime { .. }) => Ok(Some(-1)),
        Err(error) => Err(error).or_raise(py),
    }
}

/// The answer of `_serve`.
pub(crate) fn served(
    py: Python<'_>,
    queue: &mut WaitQueue,
    waiters: &mut HashMap<Ticket, Py<PyAny>>,
    now: u64,
) -> (Vec<Ended>, Option<Py<PyAny>>) {
    let mut ended = Vec::new();
    while let Some((ticket, served)) = queue.serve(now) {
        let taken = match served {
            Served::Granted => Some(true),
            Served::NotInTime => Some(false),
            _ => None,
        };
        if let Some(waiter) = waiters.remove(&ticket) {
            ended.push((waiter, taken));
        }
    }
    let first = queue.first().and_then(|ticket| waiters.get(&ticket));
    (ended, first.map(|waiter| waiter.clone_ref(py)))
}

/// The answer of `_delay_ns`.
pub(crate) fn delay_ns(queue: &WaitQueue, ticket: i64, clock: &Clock) -> Option<u64> {
    if queue.first()?.get().cast_signed() != ticket || clock.is_manual() {
        return None;
    }
    Some(queue.next_at()?.saturating_sub(clock.now()))
}

/// Who waited, and whether the cost was taken.
pub(crate) type Ended = (Py<PyAny>, Option<bool>);
