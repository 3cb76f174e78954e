//! Tokens or permits taken ahead of time.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use tokenweir::{LimiterReservation, Permits, Reservation, Tokens, Wait};

use crate::fixed_cycle::FixedCycle;
use crate::key::Key;
use crate::keyed::PyKeyedLimiter;
use crate::limiter::PyLimiter;
use crate::outcome::seconds;
use crate::token_bucket::TokenBucket;

/// Tokens or permits taken ahead of time: they may be used once the wait is over.
///
/// Forgetting it keeps them taken.
#[pyclass(frozen, name = "Reservation", module = "tokenweir")]
pub(crate) struct PyReservation {
    cost: u64,
    wait: u64,
    ready_at: u64,
    /// `None` once it has been given back.
    from: Mutex<Option<From>>,
    limiter: Py<PyAny>,
}

/// Where the amount was taken.
enum From {
    Bucket(Py<TokenBucket>, Reservation<Tokens>),
    Cycle(Py<FixedCycle>, Reservation<Permits>),
    Limiter(Py<PyLimiter>, LimiterReservation),
    Key(Py<PyKeyedLimiter>, Key, LimiterReservation),
}

impl PyReservation {
    pub(crate) fn of_bucket(
        bucket: &Bound<'_, TokenBucket>,
        reservation: Reservation<Tokens>,
    ) -> Self {
        let cost = reservation.amount().get();
        let (wait, ready_at) = (reservation.wait(), reservation.ready_at());
        let from = From::Bucket(bucket.clone().unbind(), reservation);
        Self::new(bucket.as_any(), cost, wait, ready_at, from)
    }

    pub(crate) fn of_cycle(
        cycle: &Bound<'_, FixedCycle>,
        reservation: Reservation<Permits>,
    ) -> Self {
        let cost = reservation.amount().get();
        let (wait, ready_at) = (reservation.wait(), reservation.ready_at());
        let from = From::Cycle(cycle.clone().unbind(), reservation);
        Self::new(cycle.as_any(), cost, wait, ready_at, from)
    }

    pub(crate) fn of_limiter(
        limiter: &Bound<'_, PyLimiter>,
        reservation: LimiterReservation,
    ) -> Self {
        let cost = reservation.cost().get();
        let (wait, ready_at) = (reservation.wait(), reservation.ready_at());
        let from = From::Limiter(limiter.clone().unbind(), reservation);
        Self::new(limiter.as_any(), cost, wait, ready_at, from)
    }

    pub(crate) fn of_key(
        limiter: &Bound<'_, PyKeyedLimiter>,
        key: Key,
        reservation: LimiterReservation,
    ) -> Self {
        let cost = reservation.cost().get();
        let (wait, ready_at) = (reservation.wait(), reservation.ready_at());
        let from = From::Key(limiter.clone().unbind(), key, reservation);
        Self::new(limiter.as_any(), cost, wait, ready_at, from)
    }

    fn new(limiter: &Bound<'_, PyAny>, cost: u64, wait: u64, ready_at: u64, from: From) -> Self {
        Self {
            cost,
            wait,
            ready_at,
            from: Mutex::new(Some(from)),
            limiter: limiter.clone().unbind(),
        }
    }

    pub(crate) fn is_of(&self, limiter: &Bound<'_, PyAny>) -> bool {
        self.limiter.is(limiter)
    }

    pub(crate) fn give_back(&self, py: Python<'_>) -> PyResult<bool> {
        let taken = self
            .from
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match taken {
            Some(From::Bucket(bucket, reservation)) => Ok(bucket.get().give_back(reservation)),
            Some(From::Cycle(cycle, reservation)) => Ok(cycle.get().give_back(reservation)),
            Some(From::Limiter(limiter, reservation)) => {
                PyLimiter::give_back(limiter.bind(py), reservation)
            }
            Some(From::Key(limiter, key, reservation)) => {
                PyKeyedLimiter::give_back(limiter.bind(py), &key, reservation)
            }
            None => Ok(false),
        }
    }
}

#[pymethods]
impl PyReservation {
    /// How many tokens or permits were taken.
    #[getter]
    fn cost(&self) -> u64 {
        self.cost
    }

    /// Seconds to wait from the call that reserved them, rounded up; 0.0 means they may be used.
    #[getter]
    fn wait(&self) -> f64 {
        seconds(Wait::Ticks(self.wait)).unwrap_or_default()
    }

    /// As `wait`, in nanoseconds.
    #[getter]
    fn wait_ns(&self) -> u64 {
        self.wait
    }

    /// The reading of the limiter's clock from which they may be used, in nanoseconds.
    #[getter]
    fn ready_at_ns(&self) -> u64 {
        self.ready_at
    }

    /// Gives them back, if their time has not come and they have not been given back; returns whether
    /// it did.
    fn cancel(&self, py: Python<'_>) -> PyResult<bool> {
        self.give_back(py)
    }

    fn __repr__(&self) -> String {
        format!(
            "<Reservation of {}, usable in {} s>",
            self.cost,
            self.wait()
        )
    }
}
