//! Callers that wait for a key of a keyed limiter, as [`crate::waiting`] has them for a limiter.

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::{Joined, Ticket};

use crate::convert::Cost;
use crate::error::OrRaise;
use crate::key::{Key, Viewed};
use crate::keyed::{KeyQueue, PyKeyedLimiter};
use crate::waiting::{Ended, KEYED, Timeout, WRAPPING, delay_ns, pump_all, served, told};

#[pymethods]
impl PyKeyedLimiter {
    /// As `Limiter.acquire`, for a key.
    #[pyo3(
        signature = (key, cost = Cost::ONE, *, timeout = None),
        text_signature = "($self, key, cost=1, *, timeout=None)"
    )]
    fn acquire<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
        cost: Cost,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<bool> {
        let n = cost.0.get();
        if slf.get().try_acquire(key, cost)? {
            return Ok(true);
        }
        let block = KEYED.get(slf.py(), "block")?;
        block.call1((slf, key, n, timeout))?.extract()
    }

    /// Has a function, or a coroutine function, wait for its key before each call.
    ///
    /// `@keyed(key=lambda request: request.user)`; the key, and the cost if it is a function, are computed
    /// from the call's arguments. A call that cannot be made in time raises RateLimited.
    #[pyo3(signature = (*, key, cost = None, timeout = None))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
        cost: Option<&Bound<'py, PyAny>>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let limit_calls = WRAPPING.get(slf.py(), "limit_calls_by_key")?;
        match cost {
            Some(cost) => limit_calls.call1((slf, key, cost, timeout)),
            None => limit_calls.call1((slf, key, 1, timeout)),
        }
    }

    /// Serves those whose time has come.
    fn _pump(slf: &Bound<'_, Self>) -> PyResult<()> {
        pump_all(slf.as_any())
    }

    /// As `_join` of a limiter, for a key.
    fn _join(
        &self,
        py: Python<'_>,
        key: Key,
        cost: Cost,
        timeout: Timeout,
        waiter: Py<PyAny>,
    ) -> PyResult<Option<i64>> {
        let mut queues = self.queues();
        let waiting = queues
            .entry(key.clone())
            .or_insert_with(|| self.new_queue());
        let now = self.now();
        let joined = self
            .table()
            .with(&key as &dyn Viewed, now, |limits, state| {
                let limiter = &mut (limits, state);
                waiting.queue.join(limiter, cost.0, timeout.0, now)
            });
        if let Ok(Ok(Joined::Waiting(ticket))) = joined {
            waiting.waiters.insert(ticket, waiter);
        } else if waiting.waiters.is_empty() {
            queues.remove(&key);
        }
        drop(queues);
        told(py, joined.or_raise(py)?)
    }

    /// As `_serve` of a limiter, for a key.
    fn _serve(&self, py: Python<'_>, key: Key) -> (Vec<Ended>, Option<Py<PyAny>>) {
        let mut queues = self.queues();
        let Some(KeyQueue { queue, waiters }) = queues.get_mut(&key) else {
            return (Vec::new(), None);
        };
        let served = served(py, queue, waiters, self.now());
        if waiters.is_empty() {
            queues.remove(&key);
        }
        served
    }

    /// As `_leave` of a limiter, for a key.
    fn _leave(&self, py: Python<'_>, key: Key, ticket: i64) -> PyResult<bool> {
        let ticket = Ticket::from_number(ticket.cast_unsigned());
        let mut queues = self.queues();
        let Some(waiting) = queues.get_mut(&key) else {
            return Ok(false);
        };
        let waiter = waiting.waiters.remove(&ticket);
        let now = self.now();
        let left = self
            .table()
            .with(&key as &dyn Viewed, now, |limits, state| {
                waiting.queue.leave(&mut (limits, state), &[ticket], now);
            });
        if waiting.waiters.is_empty() {
            queues.remove(&key);
        }
        drop(queues);
        left.or_raise(py)?;
        Ok(waiter.is_some())
    }

    /// As `_delay_ns` of a limiter, for a key.
    fn _delay_ns(&self, key: Key, ticket: i64) -> Option<u64> {
        let queues = self.queues();
        delay_ns(&queues.get(&key)?.queue, ticket, self.clock())
    }

    /// The keys that somebody waits for.
    fn _waiting_keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let keys: Vec<Key> = self.queues().keys().cloned().collect();
        PyTuple::new(py, &keys)
    }

    /// Has `_pump` called whenever a manual clock moves.
    fn _watch(slf: &Bound<'_, Self>) -> PyResult<()> {
        slf.get().clock().watch(slf.as_any())
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Locked only in the middle of a call, by another thread: nothing is garbage then.
        let Ok(queues) = self.queues.try_lock() else {
            return Ok(());
        };
        let mut waiters = queues.values().flat_map(|waiting| waiting.waiters.values());
        waiters.try_for_each(|waiter| visit.call(waiter))
    }

    fn __clear__(&self) {
        let queues = std::mem::take(&mut *self.queues());
        drop(queues);
    }
}
