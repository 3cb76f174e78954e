//! Clocks: the two of the operating system, and one that tests move.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};
use tokenweir::signed;
use tokenweir::{Clock as _, MonotonicClock, SystemClock, TickRate};

use crate::convert::{AtLeast, Integer, RATE};
use crate::error::OrRaise;

/// The origin of every monotonic clock of this process, so that their readings can be compared.
static PROCESS: LazyLock<MonotonicClock> = LazyLock::new(MonotonicClock::new);

/// What a limiter reads.
#[derive(Clone)]
pub(crate) enum Clock {
    Monotonic(MonotonicClock),
    System,
    Manual(Arc<Manual>),
}

/// The reading of a manual clock, which every limiter bound to it shares.
pub(crate) struct Manual {
    now: AtomicU64,
    wall: bool,
    /// Weak references to the limiters that have callers waiting for this clock to move.
    watchers: Mutex<Vec<Py<PyWeakrefReference>>>,
}

impl Clock {
    /// The clock given, or the one that suits: civil time where edges are aligned to it.
    pub(crate) fn given_or_suitable(
        given: Option<&Bound<'_, PyAny>>,
        aligned: bool,
    ) -> PyResult<Self> {
        match given {
            Some(clock) => clock.extract(),
            None if aligned => Ok(Self::System),
            None => Ok(Self::Monotonic(*PROCESS)),
        }
    }

    /// Whether time goes by only when it is told to.
    pub(crate) fn is_manual(&self) -> bool {
        matches!(self, Self::Manual(_))
    }

    /// Whether both have the same readings.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Manual(one), Self::Manual(other)) => Arc::ptr_eq(one, other),
            (Self::Monotonic(_), Self::Monotonic(_)) | (Self::System, Self::System) => true,
            _ => false,
        }
    }

    /// Has `_pump` of a limiter called whenever this clock is moved by hand.
    pub(crate) fn watch(&self, limiter: &Bound<'_, PyAny>) -> PyResult<()> {
        let Self::Manual(manual) = self else {
            return Ok(());
        };
        let py = limiter.py();
        let mut watchers = manual.watchers();
        let mut known = false;
        watchers.retain(|watcher| match watcher.bind(py).upgrade() {
            Some(watching) => {
                known |= watching.is(limiter);
                true
            }
            None => false,
        });
        if !known {
            watchers.push(PyWeakrefReference::new(limiter)?.unbind());
        }
        Ok(())
    }

    /// The Python object that stands for it.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::Monotonic(_) => Bound::new(py, PyMonotonicClock)?.into_any(),
            Self::System => Bound::new(py, PySystemClock)?.into_any(),
            Self::Manual(manual) => Bound::new(py, PyManualClock(Arc::clone(manual)))?.into_any(),
        })
    }
}

impl Manual {
    fn watchers(&self) -> MutexGuard<'_, Vec<Py<PyWeakrefReference>>> {
        self.watchers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes those for whom the clock has moved far enough.
    fn moved(&self, py: Python<'_>) -> PyResult<()> {
        let watching: Vec<_> = self
            .watchers()
            .iter()
            .filter_map(|watcher| watcher.bind(py).upgrade())
            .collect();
        for limiter in watching {
            limiter.call_method0("_pump")?;
        }
        Ok(())
    }

    fn set(&self, now: u64) {
        self.now.store(now, Ordering::Release);
    }

    fn forward(&self, nanos: u64) {
        let _ = self
            .now
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |now| {
                Some(now.saturating_add(nanos))
            });
    }
}

impl tokenweir::Clock for Clock {
    #[inline]
    fn now(&self) -> u64 {
        match self {
            Self::Monotonic(clock) => clock.now(),
            Self::System => SystemClock.now(),
            Self::Manual(manual) => manual.now.load(Ordering::Acquire),
        }
    }

    fn rate(&self) -> TickRate {
        RATE
    }

    fn is_wall(&self) -> bool {
        match self {
            Self::Monotonic(_) => false,
            Self::System => true,
            Self::Manual(manual) => manual.wall,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Clock {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(manual) = value.cast::<PyManualClock>() {
            Ok(Self::Manual(Arc::clone(&manual.get().0)))
        } else if value.is_instance_of::<PyMonotonicClock>() {
            Ok(Self::Monotonic(*PROCESS))
        } else if value.is_instance_of::<PySystemClock>() {
            Ok(Self::System)
        } else {
            Err(PyTypeError::new_err(format!(
                "clock: a ManualClock, MonotonicClock or SystemClock is needed, not {}",
                value.get_type().name()?
            )))
        }
    }
}

/// A clock for tests: it moves only by `set_ns`, `advance` and `advance_ns`. Callers who wait for a
/// limiter that reads it go on when it has moved far enough.
///
/// `wall=True` makes it tell civil time, as aligned refills need: nanoseconds since the Unix epoch.
#[pyclass(frozen, name = "ManualClock", module = "tokenweir")]
pub(crate) struct PyManualClock(Arc<Manual>);

#[pymethods]
impl PyManualClock {
    #[new]
    #[pyo3(
        signature = (now_ns = Integer(0), *, wall = false),
        text_signature = "(now_ns=0, *, wall=False)"
    )]
    fn new(py: Python<'_>, now_ns: Integer, wall: bool) -> PyResult<Self> {
        let now = AtomicU64::new(signed::instant(now_ns.0).or_raise(py)?);
        let watchers = Mutex::default();
        Ok(Self(Arc::new(Manual {
            now,
            wall,
            watchers,
        })))
    }

    /// The reading, in nanoseconds.
    #[getter]
    fn now_ns(&self) -> u64 {
        self.0.now.load(Ordering::Acquire)
    }

    /// Whether it tells civil time.
    #[getter]
    fn is_wall(&self) -> bool {
        self.0.wall
    }

    /// Sets the reading, also to an earlier one, in nanoseconds.
    fn set_ns(&self, py: Python<'_>, now_ns: Integer) -> PyResult<()> {
        self.0.set(signed::instant(now_ns.0).or_raise(py)?);
        self.0.moved(py)
    }

    /// Moves the reading forward by seconds or a `timedelta`, rounded up to the nanosecond.
    fn advance(&self, py: Python<'_>, seconds: AtLeast) -> PyResult<()> {
        self.0.forward(signed::instant(seconds.0).or_raise(py)?);
        self.0.moved(py)
    }

    /// Moves the reading forward by nanoseconds; it stops at 2**64 - 1.
    fn advance_ns(&self, py: Python<'_>, nanoseconds: Integer) -> PyResult<()> {
        self.0.forward(signed::instant(nanoseconds.0).or_raise(py)?);
        self.0.moved(py)
    }

    fn __repr__(&self) -> String {
        let wall = if self.0.wall { ", wall=True" } else { "" };
        format!("ManualClock({}{wall})", self.now_ns())
    }
}

/// Monotonic time: nanoseconds since the first use of it in this process. What limiters read unless
/// another clock is given or a limit is aligned to civil time.
#[pyclass(frozen, name = "MonotonicClock", module = "tokenweir")]
pub(crate) struct PyMonotonicClock;

#[pymethods]
impl PyMonotonicClock {
    #[new]
    fn new() -> Self {
        Self
    }

    /// The reading, in nanoseconds.
    #[getter]
    fn now_ns(&self) -> u64 {
        PROCESS.now()
    }

    /// Whether it tells civil time: no.
    #[getter]
    fn is_wall(&self) -> bool {
        false
    }

    fn __repr__(&self) -> &'static str {
        "MonotonicClock()"
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, ()) {
        (slf.get_type().into_any(), ())
    }
}

/// Civil time: nanoseconds since the Unix epoch, corrections of the system's time included. What
/// limits that are aligned to civil time need.
#[pyclass(frozen, name = "SystemClock", module = "tokenweir")]
pub(crate) struct PySystemClock;

#[pymethods]
impl PySystemClock {
    #[new]
    fn new() -> Self {
        Self
    }

    /// The reading, in nanoseconds.
    #[getter]
    fn now_ns(&self) -> u64 {
        SystemClock.now()
    }

    /// Whether it tells civil time: yes.
    #[getter]
    fn is_wall(&self) -> bool {
        true
    }

    fn __repr__(&self) -> &'static str {
        "SystemClock()"
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, ()) {
        (slf.get_type().into_any(), ())
    }
}
