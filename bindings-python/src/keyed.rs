//! A limiter for each of many keys.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::{
    Clock as _, KeyedLimiter, LimiterReservation, LimiterState, Limits, Overflow, Ticket, Wait,
    WaitQueue,
};

use crate::clock::Clock;
use crate::convert::{self, AtMost, Cost, Given, Inheritance, Integer, Most};
use crate::decision::PyDecision;
use crate::error::OrRaise;
use crate::key::{Key, Viewed, with_view};
use crate::limits::{PyLimits, from_arguments};
use crate::outcome::seconds;
use crate::reservation::PyReservation;
use crate::waiting;

/// A limiter for each key, all under the same limits: per client, per user, per tenant.
///
/// `KeyedLimiter("10/s; 1000/day", max_keys=100_000)` has the verbs of `Limiter`, each with the key first.
/// Keys are strings, bytes, integers, and tuples of these. A decision takes the same time however many
/// keys there are.
///
/// At most `max_keys` keys are kept. A key whose limits are all full is forgotten for a new one, a key that
/// has used anything never is, so that rotating keys cannot buy a fresh burst. Where nothing can be
/// forgotten, a new key is refused, or with `when_full="share"` shares one further limiter with all others
/// that find no room.
///
/// Waiting for one key does not delay another. At most `max_waiting` callers wait for each key.
#[pyclass(frozen, subclass, weakref, name = "KeyedLimiter", module = "tokenweir")]
pub(crate) struct PyKeyedLimiter {
    limiter: KeyedLimiter<Key>,
    clock: Clock,
    max_waiting: usize,
    /// The keys that somebody waits for. Locked before any key.
    pub(crate) queues: Mutex<HashMap<Key, KeyQueue>>,
}

/// Who waits for one key.
pub(crate) struct KeyQueue {
    pub(crate) queue: WaitQueue,
    pub(crate) waiters: HashMap<Ticket, Py<PyAny>>,
}

impl PyKeyedLimiter {
    pub(crate) fn now(&self) -> u64 {
        self.clock.now()
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn table(&self) -> &KeyedLimiter<Key> {
        &self.limiter
    }

    pub(crate) fn queues(&self) -> MutexGuard<'_, HashMap<Key, KeyQueue>> {
        // Nothing panics while it is locked, and Python is never entered.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn new_queue(&self) -> KeyQueue {
        KeyQueue {
            queue: WaitQueue::new(self.max_waiting),
            waiters: HashMap::new(),
        }
    }

    /// Runs operations on the state of one key.
    fn with<R>(
        &self,
        py: Python<'_>,
        key: &(dyn Viewed + '_),
        run: impl FnOnce(&Limits, &mut LimiterState, u64) -> R,
    ) -> PyResult<R> {
        let now = self.now();
        self.limiter
            .with(key, now, |limits, state| run(limits, state, now))
            .or_raise(py)
    }

    /// As [`Self::with`], for what gives tokens back: those who wait for the key are planned anew.
    fn change<R>(
        slf: &Bound<'_, Self>,
        key: &(dyn Viewed + '_),
        change: impl FnOnce(&Limits, &mut LimiterState, u64) -> R,
    ) -> PyResult<R> {
        let this = slf.get();
        let mut queues = this.queues();
        let Some(waiting) = queues.get_mut(key) else {
            drop(queues);
            return this.with(slf.py(), key, change);
        };
        let now = this.now();
        let result = this.limiter.with(key, now, |limits, state| {
            waiting
                .queue
                .change(&mut (limits, state), now, |(limits, state)| {
                    change(limits, state, now)
                })
        });
        drop(queues);
        waiting::pump_key(slf.as_any(), &key.to_owned())?;
        result.or_raise(slf.py())
    }

    pub(crate) fn give_back(
        slf: &Bound<'_, Self>,
        key: &Key,
        plan: LimiterReservation,
    ) -> PyResult<bool> {
        Self::change(slf, key, |limits, state, now| {
            state.cancel(limits, plan, now)
        })
    }

    fn decision(
        &self,
        key: &Bound<'_, PyAny>,
        run: impl FnOnce(&Limits, &mut LimiterState, u64) -> tokenweir::Decision,
    ) -> PyResult<PyDecision> {
        let decision = with_view(key, |view| self.with(key.py(), view, run))??;
        Ok(PyDecision::new(decision, self.limiter.limits()))
    }
}

#[pymethods]
impl PyKeyedLimiter {
    #[new]
    #[pyo3(signature = (*limits, max_keys = 100_000, when_full = "deny", clock = None, max_waiting = 10_000))]
    fn new(
        limits: &Bound<'_, PyTuple>,
        max_keys: usize,
        when_full: &str,
        clock: Option<&Bound<'_, PyAny>>,
        max_waiting: usize,
    ) -> PyResult<Self> {
        let py = limits.py();
        let limits = from_arguments(limits)?;
        let clock = Clock::given_or_suitable(clock, limits.is_aligned())?;
        limits.check_clock(clock.is_wall()).or_raise(py)?;
        let overflow = match when_full {
            "deny" => Overflow::Deny,
            "share" => Overflow::Share,
            other => {
                return Err(PyValueError::new_err(format!(
                    "when_full: {other:?} is neither deny nor share"
                )));
            }
        };
        let limiter = KeyedLimiter::new(limits, max_keys).with_overflow(overflow, clock.now());
        Ok(Self {
            limiter,
            clock,
            max_waiting,
            queues: Mutex::default(),
        })
    }

    /// Takes `cost` from every limit of the key if all have it; otherwise nothing changes. A new key
    /// without room is refused.
    #[pyo3(
        signature = (key, cost = Cost::ONE),
        text_signature = "($self, key, cost=1)"
    )]
    pub(crate) fn try_acquire(&self, key: &Bound<'_, PyAny>, cost: Cost) -> PyResult<bool> {
        with_view(key, |view| {
            self.limiter.try_acquire(view, cost.0, self.now())
        })
    }

    /// As `try_acquire`, with the numbers of the limit that decided. Raises TooManyKeys for a new key
    /// without room, unless it shares a limiter with others.
    #[pyo3(
        signature = (key, cost = Cost::ONE),
        text_signature = "($self, key, cost=1)"
    )]
    fn check(&self, key: &Bound<'_, PyAny>, cost: Cost) -> PyResult<PyDecision> {
        self.decision(key, |limits, state, now| state.check(limits, cost.0, now))
    }

    /// What `check` would answer, and the numbers as they are; nothing changes, and a new key is not
    /// kept.
    #[pyo3(
        signature = (key, cost = Cost::ONE),
        text_signature = "($self, key, cost=1)"
    )]
    fn peek(&self, key: &Bound<'_, PyAny>, cost: Cost) -> PyResult<PyDecision> {
        self.decision(key, |limits, state, now| state.peek(limits, cost.0, now))
    }

    /// Takes what every limit of the key has, at most `most`, and returns how much that was.
    #[pyo3(signature = (key, most = Most::ALL))]
    fn acquire_up_to(&self, key: &Bound<'_, PyAny>, most: Most) -> PyResult<u64> {
        with_view(key, |view| {
            self.with(key.py(), view, |limits, state, now| {
                state.acquire_up_to(limits, most.0, now)
            })
        })?
    }

    /// Takes `cost` from every limit of the key whether it is there or not, and returns how long the
    /// debt lasts, in nanoseconds rounded up.
    fn acquire_ignoring_limits_ns(
        slf: &Bound<'_, Self>,
        key: &Bound<'_, PyAny>,
        cost: Cost,
    ) -> PyResult<u64> {
        let taken = with_view(key, |view| {
            Self::change(slf, view, |limits, state, now| {
                state.acquire_ignoring_limits(limits, cost.0, now)
            })
        })??;
        taken.or_raise(slf.py())
    }

    /// As `acquire_ignoring_limits_ns`, in seconds.
    fn acquire_ignoring_limits(
        slf: &Bound<'_, Self>,
        key: &Bound<'_, PyAny>,
        cost: Cost,
    ) -> PyResult<f64> {
        let debt = Self::acquire_ignoring_limits_ns(slf, key, cost)?;
        Ok(seconds(Wait::Ticks(debt)).unwrap_or_default())
    }

    /// Takes `cost` from every limit of the key, to be used after a wait of at most `max_wait` seconds
    /// (inclusive; for ever if it is None). `cost` may be above the quotas.
    ///
    /// Raises RateLimited, with the wait it would take, if that is too late.
    #[pyo3(
        signature = (key, cost = Cost::ONE, *, max_wait = None, max_wait_ns = None),
        text_signature = "($self, key, cost=1, *, max_wait=None, max_wait_ns=None)"
    )]
    fn reserve(
        slf: &Bound<'_, Self>,
        key: &Bound<'_, PyAny>,
        cost: Cost,
        max_wait: Option<AtMost>,
        max_wait_ns: Option<Integer>,
    ) -> PyResult<PyReservation> {
        let py = slf.py();
        let longest = convert::max_wait(py, max_wait, max_wait_ns)?;
        let key: Key = key.extract()?;
        let reserved = slf.get().with(py, &key, |limits, state, now| {
            state.reserve(limits, cost.0, longest, now)
        })?;
        Ok(PyReservation::of_key(slf, key, reserved.or_raise(py)?))
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

    /// Gives `tokens` back to every limit of the key, up to its quota; a key that is not kept is full.
    #[pyo3(
        signature = (key, tokens = Given::ONE),
        text_signature = "($self, key, tokens=1)"
    )]
    fn refund(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>, tokens: Given) -> PyResult<()> {
        with_view(key, |view| {
            Self::change(slf, view, |limits, state, now| {
                state.refund(limits, tokens.0, now);
            })
        })?
    }

    /// Adds `tokens` to every limit of the key, beyond its quota if need be.
    fn force_add(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>, tokens: Given) -> PyResult<()> {
        with_view(key, |view| {
            Self::change(slf, view, |limits, state, now| {
                state.force_add(limits, tokens.0, now);
            })
        })?
    }

    /// Fills every limit of the key: it starts anew.
    fn reset(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        with_view(key, |view| {
            Self::change(slf, view, |limits, state, now| state.reset(limits, now))
        })?
    }

    /// Replaces the limits of all keys, which are given as to the constructor; those who wait are
    /// planned anew. Takes a moment that does not grow with the number of keys.
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
        let mut queues = this.queues();
        let now = this.now();
        for (key, waiting) in queues.iter_mut() {
            // A key that somebody waits for has used something, so that there is room for it.
            let _ = this.limiter.with(key, now, |limits, state| {
                waiting.queue.withdraw(&mut (limits, state), now);
            });
        }
        this.limiter.update(limits, inheritance.0, now);
        for (key, waiting) in queues.iter_mut() {
            let _ = this.limiter.with(key, now, |limits, state| {
                waiting.queue.plan(&mut (limits, state), now);
            });
        }
        drop(queues);
        waiting::pump_all(slf.as_any())?;
        Ok(())
    }

    /// Looks at up to `steps` keys, going on where the last call ended, and forgets those that are as
    /// good as new; returns how many that were. Nothing depends on it but memory.
    fn evict_idle(&self, steps: usize) -> usize {
        self.limiter.evict_idle(steps, self.now())
    }

    fn __len__(&self) -> usize {
        self.limiter.len()
    }

    /// The largest number of keys that are kept.
    #[getter]
    fn max_keys(&self) -> usize {
        self.limiter.max_keys()
    }

    /// What is there of the key now, rounded down: that of the limit that has the least. Negative while
    /// reservations are owed and while callers wait.
    fn available(&self, key: &Bound<'_, PyAny>) -> PyResult<i64> {
        with_view(key, |view| {
            self.with(key.py(), view, |limits, state, now| {
                state.available(limits, now)
            })
        })?
    }

    /// How many callers wait, for all keys together.
    #[getter]
    fn waiting(&self) -> usize {
        self.queues()
            .values()
            .map(|waiting| waiting.queue.len())
            .sum()
    }

    /// The limits of each key.
    #[getter]
    fn limits(&self) -> PyLimits {
        PyLimits(self.limiter.limits())
    }

    /// The clock it reads.
    #[getter(clock)]
    fn clock_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.clock.object(py)
    }

    fn __repr__(&self) -> String {
        format!(
            "<KeyedLimiter {}: {} of {} keys>",
            self.limiter.limits(),
            self.limiter.len(),
            self.limiter.max_keys()
        )
    }
}
