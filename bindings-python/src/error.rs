//! From the core's errors to Python's, each with its stable code.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyModule};
use tokenweir::backoff::{BackoffError, GiveUp};
use tokenweir::http::{AddressError, PolicyError};
use tokenweir::signed::{InstantError, NumberError, WindowError};
use tokenweir::stored::{AcrossError, StateError};
use tokenweir::{
    AmountError, BandwidthError, ConfigError, CycleConfigError, CycleRefusal, DurationError,
    FloatTimeError, JoinError, LimitSyntaxError, LimitsError, RateError, ReserveError,
    SnapshotError, TooManyKeys, Wait,
};

use crate::outcome::{seconds, ticks};

/// Turns a core error into the exception that stands for it.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Raise> OrRaise<T> for Result<T, E> {
    #[inline]
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| error.raise(py))
    }
}

/// An error that has an exception class.
pub(crate) trait Raise {
    fn raise(&self, py: Python<'_>) -> PyErr;
}

macro_rules! raised_as {
    ($($error:ty => $class:literal;)+) => {$(
        impl Raise for $error {
            #[cold]
            fn raise(&self, py: Python<'_>) -> PyErr {
                exception(py, $class, self.code(), &self.to_string(), None)
            }
        }
    )+};
}

raised_as! {
    AmountError => "AmountError";
    BandwidthError => "ConfigError";
    ConfigError => "ConfigError";
    CycleConfigError => "ConfigError";
    LimitsError => "ConfigError";
    InstantError => "DurationError";
    WindowError => "DurationError";
    TooManyKeys => "TooManyKeys";
    DurationError => "DurationError";
    SnapshotError => "StateError";
    RateError => "ConfigError";
    PolicyError => "ConfigError";
    BackoffError => "ConfigError";
    AddressError => "ConfigError";
    StateError => "StateError";
    AcrossError => "StateError";
}

/// A float that is no duration.
#[cold]
pub(crate) fn duration_error(py: Python<'_>, seconds: f64, error: FloatTimeError) -> PyErr {
    let message = format!("{seconds} s: {error}");
    exception(py, "DurationError", error.code(), &message, None)
}

impl Raise for ReserveError {
    #[cold]
    fn raise(&self, py: Python<'_>) -> PyErr {
        let message = self.to_string();
        match *self {
            Self::NotInTime { wait } => {
                let message = match wait.ticks() {
                    Some(_) => format!("the tokens come in {} s, which is too late", show(wait)),
                    None => String::from("the tokens never come"),
                };
                rate_limited(py, self.code(), &message, wait, None)
            }
            _ => exception(py, "ReservationError", self.code(), &message, None),
        }
    }
}

impl Raise for GiveUp {
    #[cold]
    fn raise(&self, py: Python<'_>) -> PyErr {
        let seconds = |ticks| show(Wait::Ticks(ticks));
        let message = match *self {
            Self::RetryAfterTooLong {
                retry_after,
                longest,
            } => format!(
                "the server asks for a wait of {}, at most {} are allowed",
                show(retry_after),
                seconds(longest)
            ),
            Self::BudgetExhausted { needed, budget } => format!(
                "the next try would be {} after the first, at most {} are allowed",
                seconds(needed),
                seconds(budget)
            ),
            _ => self.to_string(),
        };
        exception(py, "GiveUp", self.code(), &message, None)
    }
}

/// The exception for a number that is out of range, by the name of the argument.
#[cold]
pub(crate) fn out_of_range(py: Python<'_>, argument: &str, error: NumberError) -> PyErr {
    let (class, message) = match error {
        NumberError::Duration { ticks } => (
            "DurationError",
            format!("{argument}: {ticks} ns are not a duration, 0 or more are needed"),
        ),
        _ => ("AmountError", format!("{argument}: {error}")),
    };
    exception(py, class, error.code(), &message, None)
}

impl Raise for CycleRefusal {
    #[cold]
    fn raise(&self, py: Python<'_>) -> PyErr {
        let message = format!(
            "refused with {} of {} permits left; retry after: {}",
            self.remaining,
            self.limit,
            show(self.wait)
        );
        let counts = Some((self.limit, self.remaining));
        rate_limited(py, self.code(), &message, self.wait, counts)
    }
}

impl Raise for LimitSyntaxError {
    #[cold]
    fn raise(&self, py: Python<'_>) -> PyErr {
        let fields = PyDict::new(py);
        match fields.set_item("column", self.column) {
            Ok(()) => exception(
                py,
                "LimitSyntaxError",
                self.code(),
                &self.to_string(),
                Some(&fields),
            ),
            Err(error) => error,
        }
    }
}

impl Raise for JoinError {
    #[cold]
    fn raise(&self, py: Python<'_>) -> PyErr {
        let message = self.to_string();
        match *self {
            Self::QueueFull { .. } => exception(py, "QueueFull", self.code(), &message, None),
            Self::Never => rate_limited(py, self.code(), &message, Wait::Never, None),
            Self::NotInTime { wait } => {
                let message = format!("the caller would have to wait: {}", show(wait));
                rate_limited(py, self.code(), &message, wait, None)
            }
            _ => exception(py, "ReservationError", self.code(), &message, None),
        }
    }
}

/// A wait for people.
pub(crate) fn show(wait: Wait) -> String {
    match seconds(wait) {
        Some(seconds) => format!("{seconds} s"),
        None => String::from("never"),
    }
}

fn rate_limited(
    py: Python<'_>,
    code: &str,
    message: &str,
    wait: Wait,
    counts: Option<(u64, u64)>,
) -> PyErr {
    let build = || {
        let fields = PyDict::new(py);
        fields.set_item("retry_after", seconds(wait))?;
        fields.set_item("retry_after_ns", ticks(wait))?;
        if let Some((limit, remaining)) = counts {
            fields.set_item("limit", limit)?;
            fields.set_item("remaining", remaining)?;
        }
        Ok(fields)
    };
    match build() {
        Ok(fields) => exception(py, "RateLimited", code, message, Some(&fields)),
        Err(error) => error,
    }
}

/// The exception `class` of `tokenweir.errors` with `code` and the fields given by keyword.
pub(crate) fn exception(
    py: Python<'_>,
    class: &str,
    code: &str,
    message: &str,
    fields: Option<&Bound<'_, PyDict>>,
) -> PyErr {
    static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let build = || {
        let module =
            ERRORS.get_or_try_init(py, || py.import("tokenweir.errors").map(Bound::unbind))?;
        module
            .bind(py)
            .getattr(class)?
            .call((message, code), fields)
    };
    match build() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
