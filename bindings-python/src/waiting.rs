//! Callers that wait for a limiter: what the drivers in Python, which park threads and tasks, call.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::{JoinError, Joined, Served, Ticket};

use crate::convert::{AtMost, Cost};
use crate::error::OrRaise;
use crate::limiter::{Held, PyLimiter};

/// How long a caller would wait: seconds or a `timedelta`, None or -1 for as long as it takes.
pub(crate) struct Timeout(Option<u64>);

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
        slf.call_method1("_block", (cost.0.get(), timeout))?
            .extract()
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
        match joined {
            Ok(Joined::Granted) => Ok(None),
            Ok(Joined::Waiting(ticket)) => Ok(Some(ticket.get().cast_signed())),
            Err(JoinError::NotInTime { .. }) => Ok(Some(-1)),
            Err(error) => Err(error).or_raise(py),
        }
    }

    /// Those whose wait has ended, each with whether the cost was taken (None if it never can be), and
    /// the first of those who still wait.
    fn _serve(&self, py: Python<'_>) -> (Vec<Ended>, Option<Py<PyAny>>) {
        let mut guard = self.held();
        let Held { queue, waiters, .. } = &mut *guard;
        let mut ended = Vec::new();
        while let Some((ticket, served)) = queue.serve(self.now()) {
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
        let held = self.held();
        let first = held.queue.first()?;
        if first.get().cast_signed() != ticket || self.clock().is_manual() {
            return None;
        }
        let next_at = held.queue.next_at()?;
        Some(next_at.saturating_sub(self.now()))
    }

    /// Has `_pump` called whenever a manual clock moves.
    fn _watch(slf: &Bound<'_, Self>) -> PyResult<()> {
        slf.get().clock().watch(slf.as_any())
    }
}

/// Who waited, and whether the cost was taken.
type Ended = (Py<PyAny>, Option<bool>);
