//! The token bucket.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::{
    Bandwidth, Bucket, BucketConfig, BucketSnapshot, ClockedBucket, Reservation, Wait,
};

use crate::bandwidth::PyBandwidth;
use crate::clock::Clock;
use crate::convert::{self, AtMost, Cost, Given, Inheritance, Integer, Most};
use crate::error::OrRaise;
use crate::outcome::{PyEstimate, PyProbe, seconds, ticks};
use crate::reservation::PyReservation;
use crate::snapshot::PyLevelSnapshot;

/// The most bandwidths of one bucket.
const MOST: usize = 8;

/// A token bucket with one to eight bandwidths, all of which must agree. Safe to share between
/// threads.
///
/// A refused call, an estimate and a query change nothing. Without a `clock` it reads monotonic time,
/// or civil time if a bandwidth is aligned.
#[pyclass(frozen, weakref, name = "TokenBucket", module = "tokenweir")]
pub(crate) struct TokenBucket(Mutex<Held>);

struct Held {
    bucket: ClockedBucket<MOST, Clock>,
    /// The same bandwidths with their ids as they were given.
    given: Vec<PyBandwidth>,
}

impl TokenBucket {
    fn build(
        py: Python<'_>,
        given: Vec<PyBandwidth>,
        clock: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let config = config(py, &given)?;
        let clock = Clock::given_or_suitable(clock, config.is_aligned())?;
        let bucket = ClockedBucket::new(config, clock).or_raise(py)?;
        Ok(Self(Mutex::new(Held { bucket, given })))
    }

    #[inline]
    fn held(&self) -> MutexGuard<'_, Held> {
        // Nothing panics while it is locked, and Python is never entered.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn give_back(&self, reservation: Reservation) -> bool {
        self.held().bucket.cancel(reservation)
    }
}

fn config(py: Python<'_>, given: &[PyBandwidth]) -> PyResult<BucketConfig<MOST>> {
    let limits: Vec<Bandwidth> = given.iter().map(|bandwidth| bandwidth.limit).collect();
    BucketConfig::from_slice(&limits).or_raise(py)
}

#[pymethods]
impl TokenBucket {
    #[new]
    #[pyo3(signature = (*bandwidths, clock = None))]
    fn new(
        py: Python<'_>,
        bandwidths: Vec<PyBandwidth>,
        clock: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::build(py, bandwidths, clock)
    }

    /// A bucket with the state of a snapshot.
    #[staticmethod]
    #[pyo3(signature = (bandwidths, snapshot, *, clock = None))]
    fn restore(
        py: Python<'_>,
        bandwidths: Vec<PyBandwidth>,
        snapshot: Vec<PyLevelSnapshot>,
        clock: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let new = Self::build(py, bandwidths, clock)?;
        let mut held = new.held();
        let levels: Vec<_> = snapshot.into_iter().map(|level| level.0).collect();
        let snapshot = BucketSnapshot::from_slice(&levels).or_raise(py)?;
        let bucket = Bucket::restore(*held.bucket.bucket().config(), &snapshot).or_raise(py)?;
        let clock = held.bucket.clock().clone();
        held.bucket = ClockedBucket::with_bucket(bucket, clock).or_raise(py)?;
        drop(held);
        Ok(new)
    }

    /// Takes `cost` tokens if every bandwidth has them; otherwise nothing changes.
    #[pyo3(signature = (cost = Cost::ONE), text_signature = "($self, cost=1)")]
    pub(crate) fn try_acquire(&self, cost: Cost) -> bool {
        self.held().bucket.try_consume(cost.0)
    }

    /// As `try_acquire`, with what is left and the waits.
    #[pyo3(signature = (cost = Cost::ONE), text_signature = "($self, cost=1)")]
    fn check(&self, cost: Cost) -> PyProbe {
        self.held().bucket.try_consume_with_probe(cost.0).into()
    }

    /// What `check` would answer; nothing changes.
    #[pyo3(signature = (cost = Cost::ONE), text_signature = "($self, cost=1)")]
    fn peek(&self, cost: Cost) -> PyEstimate {
        self.held().bucket.estimate(cost.0).into()
    }

    /// Takes the tokens there are, at most `most`, and returns how many that were.
    #[pyo3(signature = (most = Most::ALL))]
    fn acquire_up_to(&self, most: Most) -> u64 {
        self.held().bucket.consume_up_to(most.0)
    }

    /// Takes `cost` tokens whether they are there or not, and returns how long the debt lasts, in
    /// nanoseconds rounded up: 0 if they were there. `cost` may be above the capacity.
    fn acquire_ignoring_limits_ns(&self, py: Python<'_>, cost: Cost) -> PyResult<u64> {
        let debt = self.held().bucket.consume_ignoring_limits(cost.0);
        debt.or_raise(py)
    }

    /// As `acquire_ignoring_limits_ns`, in seconds.
    fn acquire_ignoring_limits(&self, py: Python<'_>, cost: Cost) -> PyResult<f64> {
        let debt = self.acquire_ignoring_limits_ns(py, cost)?;
        Ok(seconds(Wait::Ticks(debt)).unwrap_or_default())
    }

    /// Takes `cost` tokens, to be used after a wait of at most `max_wait` seconds (inclusive; for
    /// ever if it is None). Later reservations wait for the debt of earlier ones.
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
        let reserved = slf.get().held().bucket.reserve(cost.0, longest);
        Ok(PyReservation::of_bucket(slf, reserved.or_raise(slf.py())?))
    }

    /// Gives the tokens of a reservation back, up to the capacity, if its time has not come and they
    /// have not been given back; returns whether it did.
    fn cancel(slf: &Bound<'_, Self>, reservation: &Bound<'_, PyReservation>) -> PyResult<bool> {
        let reservation = reservation.get();
        if !reservation.is_of(slf.as_any()) {
            return Err(PyValueError::new_err(
                "the reservation was made by another limiter",
            ));
        }
        reservation.give_back(slf.py())
    }

    /// Adds `tokens`, up to the capacity; a bucket that holds more is left as it is.
    #[pyo3(signature = (tokens = Given::ONE), text_signature = "($self, tokens=1)")]
    fn refund(&self, tokens: Given) {
        self.held().bucket.add(tokens.0);
    }

    /// Adds `tokens`, beyond the capacity if need be. While there are more than that, nothing is
    /// refilled and nothing expires.
    fn force_add(&self, tokens: Given) {
        self.held().bucket.force_add(tokens.0);
    }

    /// Fills every bandwidth to its capacity; tokens above it are lost.
    fn reset(&self) {
        self.held().bucket.reset();
    }

    /// Replaces the bandwidths; `inheritance` says what becomes of the tokens.
    #[pyo3(signature = (*bandwidths, inheritance = Inheritance::AS_IS))]
    fn update(
        &self,
        py: Python<'_>,
        bandwidths: Vec<PyBandwidth>,
        inheritance: Inheritance,
    ) -> PyResult<()> {
        let config = config(py, &bandwidths)?;
        let mut held = self.held();
        let replaced = held.bucket.replace(config, inheritance.0);
        if replaced.is_ok() {
            held.given = bandwidths;
        }
        drop(held);
        replaced.or_raise(py)
    }

    /// The tokens there are now, rounded down: those of the emptiest bandwidth. Negative while
    /// reservations are owed.
    #[getter]
    fn available(&self) -> i64 {
        self.held().bucket.available()
    }

    /// The tokens of each bandwidth now, rounded down.
    #[getter]
    fn available_of_each<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let each: Vec<i64> = self.held().bucket.available_of_each().collect();
        PyTuple::new(py, each)
    }

    /// Seconds until every bandwidth is at capacity, rounded up; None for never.
    #[getter]
    fn time_to_full(&self) -> Option<f64> {
        seconds(self.held().bucket.time_to_full())
    }

    /// As `time_to_full`, in nanoseconds.
    #[getter]
    fn time_to_full_ns(&self) -> Option<u64> {
        ticks(self.held().bucket.time_to_full())
    }

    /// The state as numbers, to be kept and given to `restore`.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let snapshot = self.held().bucket.bucket().snapshot();
        PyTuple::new(
            py,
            snapshot
                .levels()
                .iter()
                .map(|level| PyLevelSnapshot(*level)),
        )
    }

    /// The bandwidths, in the order they were given.
    #[getter]
    fn bandwidths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let given = self.held().given.clone();
        PyTuple::new(py, given)
    }

    /// The clock it reads.
    #[getter]
    fn clock<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let clock = self.held().bucket.clock().clone();
        clock.object(py)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let limits = slf.get().bandwidths(slf.py())?;
        let mut shown = Vec::with_capacity(limits.len());
        for limit in &limits {
            shown.push(limit.repr()?.to_string());
        }
        Ok(format!(
            "<TokenBucket {}: {} left>",
            shown.join(", "),
            slf.get().available()
        ))
    }
}
