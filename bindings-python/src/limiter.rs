//! The limiter over several limits, with callers that wait for it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::{
    Clock as _, Counters, Limiter, LimiterReservation, Limits, Ticket, Tokens, Wait, WaitQueue,
};

use crate::clock::Clock;
use crate::convert::{self, AtMost, Cost, Given, Inheritance, Integer, Most};
use crate::decision::PyDecision;
use crate::error::OrRaise;
use crate::limits::{PyLimits, from_arguments};
use crate::outcome::{seconds, ticks};
use crate::reservation::PyReservation;
use crate::waiting;

/// The native part of `tokenweir.Limiter`, which adds to it what waits.
#[pyclass(
    frozen,
    subclass,
    weakref,
    name = "Limiter",
    module = "tokenweir._native"
)]
pub(crate) struct PyLimiter {
    clock: Clock,
    held: Mutex<Held>,
}

pub(crate) struct Held {
    pub(crate) limiter: Limiter<Counters>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) queue: WaitQueue,
    /// Who holds which ticket.
    pub(crate) waiters: HashMap<Ticket, Py<PyAny>>,
}

impl PyLimiter {
    #[inline]
    pub(crate) fn held(&self) -> MutexGuard<'_, Held> {
        // Nothing panics while it is locked, and Python is never entered.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    pub(crate) fn now(&self) -> u64 {
        self.clock.now()
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Changes what is left or the limits, and wakes those whom that concerns.
    fn change<R>(
        slf: &Bound<'_, Self>,
        change: impl FnOnce(&mut Limiter<Counters>, u64) -> R,
    ) -> PyResult<R> {
        Self::locked(slf, |held, now| {
            held.queue
                .change(&mut held.limiter, now, |limiter| change(limiter, now))
        })
    }

    fn locked<R>(slf: &Bound<'_, Self>, act: impl FnOnce(&mut Held, u64) -> R) -> PyResult<R> {
        let this = slf.get();
        let mut held = this.held();
        let somebody_waits = !held.waiters.is_empty();
        let result = act(&mut held, this.now());
        drop(held);
        if somebody_waits {
            waiting::pump(slf.as_any())?;
        }
        Ok(result)
    }

    pub(crate) fn give_back(slf: &Bound<'_, Self>, plan: LimiterReservation) -> PyResult<bool> {
        Self::change(slf, |limiter, now| limiter.cancel(plan, now))
    }

    pub(crate) fn refund_cost(slf: &Bound<'_, Self>, cost: Tokens) -> PyResult<()> {
        Self::change(slf, |limiter, now| limiter.refund(cost, now))
    }
}

#[pymethods]
impl PyLimiter {
    #[new]
    #[pyo3(signature = (*limits, clock = None, max_waiting = 10_000))]
    fn new(
        limits: &Bound<'_, PyTuple>,
        clock: Option<&Bound<'_, PyAny>>,
        max_waiting: usize,
    ) -> PyResult<Self> {
        let py = limits.py();
        let limits = from_arguments(limits)?;
        let clock = Clock::given_or_suitable(clock, limits.is_aligned())?;
        limits.check_clock(clock.is_wall()).or_raise(py)?;
        let shared = Arc::new(limits.clone());
        let limiter = Limiter::new(limits, clock.now()).with_listener(Counters::default());
        let held = Mutex::new(Held {
            limiter,
            limits: shared,
            queue: WaitQueue::new(max_waiting),
            waiters: HashMap::new(),
        });
        Ok(Self { clock, held })
    }

    /// Takes `cost` from every limit if all have it; otherwise from none.
    #[pyo3(signature = (cost = Cost::ONE), text_signature = "($self, cost=1)")]
    pub(crate) fn try_acquire(&self, cost: Cost) -> bool {
        self.held().limiter.try_acquire(cost.0, self.now())
    }

    /// As `try_acquire`, with the numbers of the limit that decided.
    #[pyo3(signature = (cost = Cost::ONE), text_signature = "($self, cost=1)")]
    fn check(&self, cost: Cost) -> PyDecision {
        let mut held = self.held();
        let decision = held.limiter.check(cost.0, self.now());
        PyDecision::new(decision, Arc::clone(&held.limits))
    }

    /// What `check` would answer, and the numbers as they are; nothing changes.
    #[pyo3(signature = (cost = Cost::ONE), text_signature = "($self, cost=1)")]
    fn peek(&self, cost: Cost) -> PyDecision {
        let held = self.held();
        let decision = held.limiter.peek(cost.0, self.now());
        PyDecision::new(decision, Arc::clone(&held.limits))
    }

    /// Takes what every limit has, at most `most`, and returns how much that was.
    #[pyo3(signature = (most = Most::ALL))]
    fn acquire_up_to(&self, most: Most) -> u64 {
        self.held().limiter.acquire_up_to(most.0, self.now())
    }

    /// Takes `cost` from every limit whether it is there or not, and returns how long the debt lasts,
    /// in nanoseconds rounded up: for a cost that is known only afterwards.
    fn acquire_ignoring_limits_ns(slf: &Bound<'_, Self>, cost: Cost) -> PyResult<u64> {
        let taken = Self::change(slf, |limiter, now| {
            limiter.acquire_ignoring_limits(cost.0, now)
        })?;
        taken.or_raise(slf.py())
    }

    /// As `acquire_ignoring_limits_ns`, in seconds.
    fn acquire_ignoring_limits(slf: &Bound<'_, Self>, cost: Cost) -> PyResult<f64> {
        let debt = Self::acquire_ignoring_limits_ns(slf, cost)?;
        Ok(seconds(Wait::Ticks(debt)).unwrap_or_default())
    }

    /// Takes `cost` from every limit, to be used after a wait of at most `max_wait` seconds (inclusive;
    /// for ever if it is None). `cost` may be above the quotas.
    ///
    /// Raises RateLimited, with the wait it would take, if that is too late.
    #[pyo3(
        signature = (cost = Cost::ONE, *, max_wait = None, max_wait_ns = None),
        text_signature = "($self, cost=1, *, max_wait=None, max_wait_ns=None)"
    )]
    fn reserve(
        slf: &Bound<'_, Self>,
        cost: Cost,
        max_wait: Option<AtMost>,
        max_wait_ns: Option<Integer>,
    ) -> PyResult<PyReservation> {
        let longest = convert::max_wait(slf.py(), max_wait, max_wait_ns)?;
        let this = slf.get();
        let reserved = this.held().limiter.reserve(cost.0, longest, this.now());
        Ok(PyReservation::of_limiter(slf, reserved.or_raise(slf.py())?))
    }

    /// Gives the cost of a reservation back, up to the quotas, if its time has not come and it has not
    /// been given back; returns whether it did.
    fn cancel(slf: &Bound<'_, Self>, reservation: &Bound<'_, PyReservation>) -> PyResult<bool> {
        let reservation = reservation.get();
        if !reservation.is_of(slf.as_any()) {
            return Err(PyValueError::new_err(
                "the reservation was made by another limiter",
            ));
        }
        reservation.give_back(slf.py())
    }

    /// Gives `tokens` back to every limit, up to its quota; one that has more is left as it is.
    #[pyo3(signature = (tokens = Given::ONE), text_signature = "($self, tokens=1)")]
    fn refund(slf: &Bound<'_, Self>, tokens: Given) -> PyResult<()> {
        Self::refund_cost(slf, tokens.0)
    }

    /// Adds `tokens` to every limit, beyond its quota if need be: to a bandwidth until they are used,
    /// to a cycle until its end.
    fn force_add(slf: &Bound<'_, Self>, tokens: Given) -> PyResult<()> {
        Self::change(slf, |limiter, now| limiter.force_add(tokens.0, now))
    }

    /// Fills every limit; what was added by force and what is owed are forgotten.
    fn reset(slf: &Bound<'_, Self>) -> PyResult<()> {
        Self::change(slf, Limiter::reset)
    }

    /// Replaces the limits, which are given as to the constructor; those who wait are planned anew.
    ///
    /// Limits of the same kind are matched by name; `inheritance` says what becomes of what is left of
    /// them. One that matches none starts fresh.
    #[pyo3(signature = (*limits, inheritance = Inheritance::AS_IS))]
    fn update(
        slf: &Bound<'_, Self>,
        limits: &Bound<'_, PyTuple>,
        inheritance: Inheritance,
    ) -> PyResult<()> {
        let limits = from_arguments(limits)?;
        let this = slf.get();
        limits
            .check_clock(this.clock.is_wall())
            .or_raise(slf.py())?;
        let shared = Arc::new(limits.clone());
        Self::locked(slf, |held, now| {
            held.queue.change(&mut held.limiter, now, |limiter| {
                limiter.update(limits, inheritance.0, now);
            });
            held.limits = shared;
        })
    }

    /// What is there now, rounded down: that of the limit that has the least. Negative while
    /// reservations are owed and while callers wait.
    #[getter]
    fn available(&self) -> i64 {
        self.held().limiter.available(self.now())
    }

    /// What is there of each limit now, rounded down.
    #[getter]
    fn available_of_each<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let held = self.held();
        let each: Vec<i64> = held
            .limiter
            .statuses(self.now())
            .map(|status| status.available)
            .collect();
        drop(held);
        PyTuple::new(py, each)
    }

    /// Seconds until every limit is full, rounded up; None for never.
    #[getter]
    fn time_to_full(&self) -> Option<f64> {
        seconds(self.held().limiter.time_to_full(self.now()))
    }

    /// As `time_to_full`, in nanoseconds.
    #[getter]
    fn time_to_full_ns(&self) -> Option<u64> {
        ticks(self.held().limiter.time_to_full(self.now()))
    }

    /// How many callers wait.
    #[getter]
    fn waiting(&self) -> usize {
        self.held().queue.len()
    }

    /// Numbers that only grow: decisions allowed and refused, tokens taken and given back.
    #[getter]
    fn counters(&self) -> HashMap<&'static str, u64> {
        self.held().limiter.listener().named().into()
    }

    /// The limits.
    #[getter]
    fn limits(&self) -> PyLimits {
        PyLimits(Arc::clone(&self.held().limits))
    }

    /// The clock it reads.
    #[getter(clock)]
    fn clock_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.clock.object(py)
    }

    fn __repr__(&self) -> String {
        let held = self.held();
        let available = held.limiter.available(self.now());
        let waiting = match held.queue.len() {
            0 => String::new(),
            waiting => format!(", {waiting} waiting"),
        };
        format!("<Limiter {}: {available} left{waiting}>", held.limits)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Locked only in the middle of a call, by another thread: nothing is garbage then.
        let Ok(held) = self.held.try_lock() else {
            return Ok(());
        };
        held.waiters
            .values()
            .try_for_each(|waiter| visit.call(waiter))
    }

    fn __clear__(&self) {
        let waiters = std::mem::take(&mut self.held().waiters);
        drop(waiters);
    }
}
