//! Arguments: integers, amounts, durations and instants as Python gives them.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDate, PyDateTime, PyDelta, PyDeltaAccess, PyFloat, PyTzInfo};
use tokenweir::signed;
use tokenweir::{
    AmountError, Clock as _, FloatTimeError, FloatUnit, Permits, SystemClock, TickRate, Tokens,
    TokensInheritance,
};

use crate::error::{OrRaise, duration_error, exception};

/// Nanoseconds are the ticks of every limiter.
pub(crate) const RATE: TickRate = TickRate::NANOS;

/// An integer of any size; those beyond 128 bits are held at the nearest, which every check refuses.
pub(crate) struct Integer(pub(crate) i128);

impl<'py> FromPyObject<'_, 'py> for Integer {
    type Error = PyErr;

    #[inline]
    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match value.extract::<i64>() {
            Ok(small) => Ok(Self(small.into())),
            Err(error) => wide(value, error).map(Self),
        }
    }
}

#[cold]
fn wide(value: Borrowed<'_, '_, PyAny>, error: PyErr) -> PyResult<i128> {
    let py = value.py();
    if !error.is_instance_of::<PyOverflowError>(py) {
        let kind = value.get_type().name()?;
        let shown = value.repr()?;
        return Err(PyTypeError::new_err(format!(
            "an int is needed, not {kind} ({shown})"
        )));
    }
    match value.extract::<i128>() {
        Ok(wide) => Ok(wide),
        Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
            Ok(if value.lt(0)? { i128::MIN } else { i128::MAX })
        }
        Err(error) => Err(error),
    }
}

macro_rules! amounts {
    ($($(#[$doc:meta])* $name:ident($amount:ty) from $from:expr, called $argument:literal;)+) => {$(
        $(#[$doc])*
        pub(crate) struct $name(pub(crate) $amount);

        impl<'py> FromPyObject<'_, 'py> for $name {
            type Error = PyErr;

            #[inline]
            fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
                let Integer(number) = value.extract()?;
                match $from(number) {
                    Ok(amount) => Ok(Self(amount)),
                    Err(error) => Err(refuse(value.py(), $argument, error)),
                }
            }
        }
    )+};
}

amounts! {
    /// Tokens to take.
    Cost(Tokens) from Tokens::try_from, called "cost";
    /// Tokens to give.
    Given(Tokens) from signed::tokens_to_add, called "tokens";
    /// The most tokens to take.
    Most(Tokens) from Tokens::try_from, called "most";
    /// Permits to take.
    PermitCost(Permits) from Permits::try_from, called "cost";
}

#[cold]
fn refuse(py: Python<'_>, argument: &str, error: AmountError) -> PyErr {
    let message = format!("{argument}: {error}");
    exception(py, "AmountError", error.code(), &message, None)
}

impl Cost {
    pub(crate) const ONE: Self = Self(Tokens::ONE);
}

impl Given {
    pub(crate) const ONE: Self = Self(Tokens::ONE);
}

impl Most {
    pub(crate) const ALL: Self = Self(Tokens::MAX);
}

impl PermitCost {
    pub(crate) const ONE: Self = Self(Permits::ONE);
}

/// A duration given as seconds (an int, or a float as the decimal it is written as) or a
/// `timedelta`, in nanoseconds and exactly.
pub(crate) struct Nanos(pub(crate) i128);

impl<'py> FromPyObject<'_, 'py> for Nanos {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(delta) = value.cast::<PyDelta>() {
            return Ok(Self(delta_nanos(&delta)));
        }
        if let Ok(float) = value.cast::<PyFloat>() {
            return of_float(&float, |secs| FloatUnit::SECONDS.exact(secs)).map(Self);
        }
        match value.extract::<Integer>() {
            Ok(Integer(seconds)) => Ok(Self(seconds.saturating_mul(RATE.hz().into()))),
            Err(_) => {
                let kind = value.get_type().name()?;
                Err(PyTypeError::new_err(format!(
                    "seconds (int or float) or a timedelta are needed, not {kind}"
                )))
            }
        }
    }
}

/// The same duration by either of two arguments.
pub(crate) fn either(
    name: &str,
    seconds: Option<Nanos>,
    nanos: Option<Integer>,
) -> PyResult<Option<i128>> {
    match (seconds, nanos) {
        (Some(_), Some(_)) => Err(PyTypeError::new_err(format!(
            "{name} and {name}_ns are the same thing, give one of them"
        ))),
        (Some(Nanos(nanos)), None) | (None, Some(Integer(nanos))) => Ok(Some(nanos)),
        (None, None) => Ok(None),
    }
}

/// As [`either`], and one of them must be given.
pub(crate) fn required(
    name: &str,
    seconds: Option<Nanos>,
    nanos: Option<Integer>,
) -> PyResult<i128> {
    either(name, seconds, nanos)?
        .ok_or_else(|| PyTypeError::new_err(format!("{name} or {name}_ns is missing")))
}

/// An instant of civil time: an aware `datetime`, or seconds since the Unix epoch.
pub(crate) struct Instant(pub(crate) Nanos);

impl<'py> FromPyObject<'_, 'py> for Instant {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match since_epoch(value)? {
            Some(nanos) => Ok(Self(Nanos(nanos))),
            None => value.extract().map(Self),
        }
    }
}

/// As [`Instant`], rounded down where a float has a part of a nanosecond.
pub(crate) struct Reading(pub(crate) i128);

impl<'py> FromPyObject<'_, 'py> for Reading {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match since_epoch(value)? {
            Some(nanos) => Ok(Self(nanos)),
            None => value.extract().map(|AtMost(nanos)| Self(nanos)),
        }
    }
}

/// What time it is, in nanoseconds of Unix time, by either of two arguments or else by the system.
pub(crate) fn now(
    py: Python<'_>,
    seconds: Option<Reading>,
    nanos: Option<Integer>,
) -> PyResult<u64> {
    match either("now", seconds.map(|Reading(nanos)| Nanos(nanos)), nanos)? {
        Some(now) => signed::instant(now).or_raise(py),
        None => Ok(SystemClock.now()),
    }
}

/// The nanoseconds from the Unix epoch to an aware `datetime`; `None` if it is something else.
fn since_epoch(value: Borrowed<'_, '_, PyAny>) -> PyResult<Option<i128>> {
    static EPOCH: PyOnceLock<Py<PyDateTime>> = PyOnceLock::new();
    let py = value.py();
    if value.cast::<PyDate>().is_err() {
        return Ok(None);
    }
    let epoch = EPOCH.get_or_try_init(py, || {
        let utc = PyTzInfo::utc(py)?;
        PyDateTime::new(py, 1970, 1, 1, 0, 0, 0, 0, Some(&utc)).map(Bound::unbind)
    })?;
    // Without a time zone, Python refuses the subtraction.
    let since = value.sub(epoch)?;
    let delta = since.cast::<PyDelta>().map_err(PyErr::from)?;
    Ok(Some(delta_nanos(delta)))
}

/// A `timedelta` counts days, seconds and microseconds: within 128 bits of nanoseconds.
fn delta_nanos(delta: &Bound<'_, PyDelta>) -> i128 {
    let seconds = i128::from(delta.get_days()) * 86_400 + i128::from(delta.get_seconds());
    let micros = seconds * 1_000_000 + i128::from(delta.get_microseconds());
    micros * 1_000
}

/// As [`Nanos`], rounded down where a float has a part of a nanosecond.
pub(crate) struct AtMost(pub(crate) i128);

/// As [`Nanos`], rounded up where a float has a part of a nanosecond.
pub(crate) struct AtLeast(pub(crate) i128);

impl<'py> FromPyObject<'_, 'py> for AtMost {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        rounded(value, |secs| FloatUnit::SECONDS.floor(secs)).map(Self)
    }
}

impl<'py> FromPyObject<'_, 'py> for AtLeast {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        rounded(value, |secs| FloatUnit::SECONDS.ceil(secs)).map(Self)
    }
}

fn rounded(
    value: Borrowed<'_, '_, PyAny>,
    float: impl Fn(f64) -> Result<u64, FloatTimeError>,
) -> PyResult<i128> {
    match value.cast::<PyFloat>() {
        Ok(seconds) => of_float(&seconds, float),
        Err(_) => value.extract().map(|Nanos(nanos)| nanos),
    }
}

fn of_float(
    seconds: &Borrowed<'_, '_, PyFloat>,
    nanos: impl Fn(f64) -> Result<u64, FloatTimeError>,
) -> PyResult<i128> {
    let given = seconds.value();
    match nanos(given) {
        Ok(nanos) => Ok(nanos.into()),
        Err(error) => Err(duration_error(seconds.py(), given, error)),
    }
}

impl From<AtMost> for Nanos {
    fn from(AtMost(nanos): AtMost) -> Self {
        Self(nanos)
    }
}

impl From<AtLeast> for Nanos {
    fn from(AtLeast(nanos): AtLeast) -> Self {
        Self(nanos)
    }
}

/// The longest wait of a reservation, by either of two arguments; without one it has no end.
pub(crate) fn max_wait(
    py: Python<'_>,
    seconds: Option<AtMost>,
    nanos: Option<Integer>,
) -> PyResult<u64> {
    match either("max_wait", seconds.map(Into::into), nanos)? {
        Some(nanos) => signed::max_wait(nanos).or_raise(py),
        None => Ok(u64::MAX),
    }
}

/// A member of `TokensInheritance`, or its value.
pub(crate) struct Inheritance(pub(crate) TokensInheritance);

impl Inheritance {
    pub(crate) const AS_IS: Self = Self(TokensInheritance::AsIs);
}

impl<'py> FromPyObject<'_, 'py> for Inheritance {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let name = match value.extract::<PyBackedStr>() {
            Ok(name) => name,
            Err(_) => value.getattr("value")?.extract()?,
        };
        Ok(Self(match &*name {
            "as_is" => TokensInheritance::AsIs,
            "proportional" => TokensInheritance::Proportional,
            "additive" => TokensInheritance::Additive,
            "reset" => TokensInheritance::Reset,
            other => {
                return Err(PyValueError::new_err(format!(
                    "inheritance: {other:?} is none of as_is, proportional, additive and reset"
                )));
            }
        }))
    }
}
