//! How long to wait before trying again.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tokenweir::Wait;
use tokenweir::backoff::{Backoff, BackoffError, Jitter, Ratio, RatioError};

use crate::convert::{AtLeast, AtMost, Integer};
use crate::error::{OrRaise, exception};
use crate::outcome::seconds;
use crate::told::{Text, count, duration, small_count};

/// How long to wait before trying again, and when to give up: exponential back-off that listens to the
/// server. A configuration, shared by all calls; the tries of one call are a `Retry`.
///
/// `Backoff(0.5, 1.5, max=10, jitter="equal", max_retries=3, budget=30)` waits 0.5 s, 0.75 s and 1.125 s,
/// of each a half is left to chance.
///
/// `initial` is the interval before the first retry; each later one is the one before it times
/// `multiplier`, rounded down to the nanosecond, at most `max`. A multiplier is a number of at most 9
/// decimals, a `Fraction`, or text such as "1.5" or "3/2". A multiplier above one always adds at least a
/// nanosecond.
///
/// `jitter` is "none", "full" (from next to nothing to the whole interval), "equal" (from half of it to the
/// whole) or a share from 0 to 1 of the interval, which is added or taken away. An interval is cut to
/// `max` first and randomised afterwards, within `max`.
///
/// A call gives up after `max_retries` retries, where the next one would be later than `budget` after the
/// first try, and where the server asks for a wait above `longest_retry_after`; all inclusive, and without
/// an end where None.
///
/// Durations are seconds or a `timedelta`; each can be given in nanoseconds instead. `initial` is rounded
/// up to the nanosecond, the others down.
#[pyclass(frozen, eq, hash, name = "Backoff", module = "tokenweir")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyBackoff {
    pub(crate) backoff: Backoff,
    given: Given,
}

/// What it was made of.
#[derive(PartialEq, Eq, Hash)]
struct Given {
    initial: u64,
    multiplier: String,
    max: Option<u64>,
    jitter: String,
    max_retries: Option<u32>,
    budget: Option<u64>,
    longest_retry_after: Option<u64>,
}

impl Given {
    fn build(&self, py: Python<'_>) -> PyResult<Backoff> {
        let multiplier: Ratio = self.multiplier.parse().map_err(|error: RatioError| {
            let message = format!("multiplier: {:?}: {error}", self.multiplier);
            exception(py, "ConfigError", error.code(), &message, None)
        })?;
        let jitter: Jitter = self.jitter.parse().map_err(|error: BackoffError| {
            let message = format!("jitter: {:?}: {error}", self.jitter);
            exception(py, "ConfigError", error.code(), &message, None)
        })?;
        let mut backoff = Backoff::exponential(self.initial, multiplier)
            .and_then(|backoff| backoff.with_jitter(jitter))
            .or_raise(py)?;
        if let Some(max) = self.max {
            backoff = backoff.with_max(max).or_raise(py)?;
        }
        if let Some(retries) = self.max_retries {
            backoff = backoff.with_max_retries(retries);
        }
        if let Some(budget) = self.budget {
            backoff = backoff.with_budget(budget);
        }
        Ok(match self.longest_retry_after {
            Some(longest) => backoff.with_longest_retry_after(longest),
            None => backoff,
        })
    }

    /// The arguments beyond the first two, those that are not given left out.
    fn named<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        named.set_item("initial_ns", self.initial)?;
        if self.jitter != "none" {
            named.set_item("jitter", &self.jitter)?;
        }
        if let Some(retries) = self.max_retries {
            named.set_item("max_retries", retries)?;
        }
        for (name, nanos) in [
            ("max_ns", self.max),
            ("budget_ns", self.budget),
            ("longest_retry_after_ns", self.longest_retry_after),
        ] {
            if let Some(nanos) = nanos {
                named.set_item(name, nanos)?;
            }
        }
        Ok(named)
    }
}

#[pymethods]
impl PyBackoff {
    #[new]
    #[pyo3(
        signature = (
            initial = None, multiplier = None, *, max = None, jitter = None, max_retries = None,
            budget = None, longest_retry_after = None, initial_ns = None, max_ns = None,
            budget_ns = None, longest_retry_after_ns = None,
        ),
        text_signature = "(initial=None, multiplier=1, *, max=None, jitter='none', max_retries=None, budget=None, longest_retry_after=None, initial_ns=None, max_ns=None, budget_ns=None, longest_retry_after_ns=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "named arguments in Python")]
    fn new(
        py: Python<'_>,
        initial: Option<AtLeast>,
        multiplier: Option<Text>,
        max: Option<AtMost>,
        jitter: Option<Text>,
        max_retries: Option<Integer>,
        budget: Option<AtMost>,
        longest_retry_after: Option<AtMost>,
        initial_ns: Option<Integer>,
        max_ns: Option<Integer>,
        budget_ns: Option<Integer>,
        longest_retry_after_ns: Option<Integer>,
    ) -> PyResult<Self> {
        let retries = max_retries.map(|retries| small_count(py, "max_retries", retries));
        let given = Given {
            initial: duration(py, "initial", initial, initial_ns)?.ok_or_else(|| {
                pyo3::exceptions::PyTypeError::new_err("initial or initial_ns is missing")
            })?,
            multiplier: multiplier.map_or_else(|| String::from("1"), |Text(text)| text),
            max: duration(py, "max", max, max_ns)?,
            jitter: jitter.map_or_else(|| String::from("none"), |Text(text)| text),
            max_retries: retries.transpose()?,
            budget: duration(py, "budget", budget, budget_ns)?,
            longest_retry_after: duration(
                py,
                "longest_retry_after",
                longest_retry_after,
                longest_retry_after_ns,
            )?,
        };
        let backoff = given.build(py)?;
        Ok(Self { backoff, given })
    }

    /// The interval before the first retry, in nanoseconds.
    #[getter]
    fn initial_ns(&self) -> u64 {
        self.given.initial
    }

    /// What each later interval is multiplied by, as text.
    #[getter]
    fn multiplier(&self) -> &str {
        &self.given.multiplier
    }

    /// The longest interval, in nanoseconds.
    #[getter]
    fn max_ns(&self) -> Option<u64> {
        self.given.max
    }

    /// What is left to chance, as text.
    #[getter]
    fn jitter(&self) -> &str {
        &self.given.jitter
    }

    /// The most retries of a call.
    #[getter]
    fn max_retries(&self) -> Option<u32> {
        self.given.max_retries
    }

    /// The latest retry after the first try, in nanoseconds.
    #[getter]
    fn budget_ns(&self) -> Option<u64> {
        self.given.budget
    }

    /// The longest wait a server may ask for, in nanoseconds.
    #[getter]
    fn longest_retry_after_ns(&self) -> Option<u64> {
        self.given.longest_retry_after
    }

    /// The interval before retry `attempt`, counted from 1, without jitter, in nanoseconds.
    fn interval_ns(&self, py: Python<'_>, attempt: Integer) -> PyResult<u64> {
        let attempt = small_count(py, "attempt", attempt)?;
        self.backoff.interval(attempt).or_raise(py)
    }

    /// As `interval_ns`, in seconds.
    fn interval(&self, py: Python<'_>, attempt: Integer) -> PyResult<f64> {
        let interval = self.interval_ns(py, attempt)?;
        Ok(seconds(Wait::Ticks(interval)).unwrap_or_default())
    }

    /// An interval in nanoseconds with its jitter: from 1 to the maximum. `random` are 64 random bits.
    fn jittered_ns(&self, py: Python<'_>, interval_ns: Integer, random: Integer) -> PyResult<u64> {
        let interval = duration(py, "interval", None::<AtMost>, Some(interval_ns))?;
        let random = count(py, "random", random)?;
        Ok(self.backoff.jittered(interval.unwrap_or(0), random))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut text = format!("Backoff(multiplier='{}'", self.given.multiplier);
        for (name, value) in self.given.named(py)? {
            text += &format!(", {name}={}", value.repr()?);
        }
        Ok(text + ")")
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((), Bound<'py, PyDict>)> {
        let named = self.given.named(py)?;
        named.set_item("multiplier", &self.given.multiplier)?;
        Ok(((), named))
    }
}
