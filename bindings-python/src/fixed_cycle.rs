//! The fixed-cycle limiter.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tokenweir::signed;
use tokenweir::{ClockedCycle, Permits, Reservation};

use crate::clock::Clock;
use crate::convert::{AtMost, Integer, PermitCost, required};
use crate::cycle_config::PyCycleConfig;
use crate::error::OrRaise;
use crate::outcome::{seconds, ticks};
use crate::reservation::PyReservation;

/// Grants a fixed number of permits in each cycle. Safe to share between threads.
///
/// Permits left at the end of a cycle are not carried over; reservations can take permits of later
/// cycles. Without a `clock` it reads monotonic time, or civil time if the cycles are aligned to an
/// edge.
#[pyclass(frozen, weakref, name = "FixedCycle", module = "tokenweir")]
pub(crate) struct FixedCycle(Mutex<ClockedCycle<Clock>>);

impl FixedCycle {
    #[inline]
    fn held(&self) -> MutexGuard<'_, ClockedCycle<Clock>> {
        // Nothing panics while it is locked, and Python is never entered.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn give_back(&self, reservation: Reservation<Permits>) -> bool {
        self.held().cancel(reservation)
    }
}

#[pymethods]
impl FixedCycle {
    #[new]
    #[pyo3(signature = (config, *, clock = None))]
    fn new(
        py: Python<'_>,
        config: PyCycleConfig,
        clock: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let clock = Clock::given_or_suitable(clock, config.0.edge().is_some())?;
        let limiter = ClockedCycle::new(config.0, clock).or_raise(py)?;
        Ok(Self(Mutex::new(limiter)))
    }

    /// Takes `cost` permits if they are left in the current cycle; otherwise takes none.
    #[pyo3(signature = (cost = PermitCost::ONE), text_signature = "($self, cost=1)")]
    pub(crate) fn try_acquire(&self, cost: PermitCost) -> bool {
        self.held().try_acquire(cost.0)
    }

    /// Takes `cost` permits, to be used after a wait of at most the timeout (inclusive). `cost` may be
    /// above the limit: it then takes the permits of several cycles.
    ///
    /// Raises RateLimited, with the wait it would take, if that is too late.
    #[pyo3(signature = (cost = PermitCost::ONE), text_signature = "($self, cost=1)")]
    fn reserve(slf: &Bound<'_, Self>, cost: PermitCost) -> PyResult<PyReservation> {
        let reserved = slf.get().held().reserve(cost.0);
        Ok(PyReservation::of_cycle(slf, reserved.or_raise(slf.py())?))
    }

    /// Gives the permits of a reservation back, up to the limit, if its time has not come and they have
    /// not been given back; returns whether it did.
    fn cancel(slf: &Bound<'_, Self>, reservation: &Bound<'_, PyReservation>) -> PyResult<bool> {
        let reservation = reservation.get();
        if !reservation.is_of(slf.as_any()) {
            return Err(PyValueError::new_err(
                "the reservation was made by another limiter",
            ));
        }
        reservation.give_back(slf.py())
    }

    /// Takes the permits left in the current cycle and returns how many that was; a debt stays.
    fn drain(&self) -> u64 {
        self.held().drain()
    }

    /// Permits left in the current cycle; negative while reservations are owed, above the limit in a
    /// cycle whose limit was lowered.
    #[getter]
    fn available(&self) -> i64 {
        self.held().available()
    }

    /// Seconds until there are `cost` permits if nobody takes any, rounded up and the timeout aside;
    /// None for never.
    #[pyo3(signature = (cost = PermitCost::ONE), text_signature = "($self, cost=1)")]
    fn wait(&self, cost: PermitCost) -> Option<f64> {
        seconds(self.held().wait(cost.0))
    }

    /// As `wait`, in nanoseconds.
    #[pyo3(signature = (cost = PermitCost::ONE), text_signature = "($self, cost=1)")]
    fn wait_ns(&self, cost: PermitCost) -> Option<u64> {
        ticks(self.held().wait(cost.0))
    }

    /// Seconds until the whole limit is there, rounded up; None for never.
    #[getter]
    fn time_to_full(&self) -> Option<f64> {
        seconds(self.held().time_to_full())
    }

    /// As `time_to_full`, in nanoseconds.
    #[getter]
    fn time_to_full_ns(&self) -> Option<u64> {
        ticks(self.held().time_to_full())
    }

    /// The number of the current cycle; the limiter was created in cycle 0.
    #[getter]
    fn cycle(&self) -> u64 {
        self.held().cycle()
    }

    /// Changes the limit. The permits of the current cycle stay as they are until it ends.
    fn change_limit(&self, py: Python<'_>, limit: Integer) -> PyResult<()> {
        let limit = signed::cycle_limit(limit.0).or_raise(py)?;
        let changed = self.held().change_limit(limit);
        changed.or_raise(py)
    }

    /// Changes how long reservations may wait, in seconds or as a `timedelta`.
    #[pyo3(signature = (timeout = None, *, timeout_ns = None))]
    fn change_timeout(
        &self,
        py: Python<'_>,
        timeout: Option<AtMost>,
        timeout_ns: Option<Integer>,
    ) -> PyResult<()> {
        let timeout = required("timeout", timeout.map(Into::into), timeout_ns)?;
        let timeout = signed::cycle_timeout(timeout).or_raise(py)?;
        let changed = self.held().change_timeout(timeout);
        changed.or_raise(py)
    }

    /// Changes limit, period, timeout and edge in one step. The permits left, or the debt, stay as they
    /// are.
    fn update(&self, py: Python<'_>, config: PyCycleConfig) -> PyResult<()> {
        let changed = self.held().replace(config.0);
        changed.or_raise(py)
    }

    /// The configuration.
    #[getter]
    fn config(&self) -> PyCycleConfig {
        PyCycleConfig(*self.held().limiter().config())
    }

    /// The clock it reads.
    #[getter]
    fn clock<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let clock = self.held().clock().clone();
        clock.object(py)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let config = Bound::new(slf.py(), slf.get().config())?;
        Ok(format!(
            "<FixedCycle {}: {} left>",
            config.repr()?,
            slf.get().available()
        ))
    }
}
