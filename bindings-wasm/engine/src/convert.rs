//! Numbers of JavaScript to the values of the core.

use std::fmt::Display;

use tokenweir::{
    AmountError, BandwidthError, CycleConfigError, FloatTimeError, FloatUnit, LimitSyntaxError,
    LimitsError, Permits, ReserveError, SnapshotError, Tokens, signed,
};

use crate::fault::{Fault, outcome};
use crate::words;

/// From here on, a float no longer tells one integer from the next.
const UNSAFE: f64 = 9_007_199_254_740_992.0;

/// An error with the name of the argument it is about, or an empty one.
pub(crate) trait Named: Display {
    fn code(&self) -> &'static str;
    fn argument(&self) -> &'static str;
}

macro_rules! named {
    ($($error:ty => $argument:literal,)+) => {$(
        impl Named for $error {
            fn code(&self) -> &'static str { self.code() }
            fn argument(&self) -> &'static str { $argument }
        }
    )+};
}

named! {
    AmountError => "cost",
    BandwidthError => "limit",
    CycleConfigError => "limit",
    LimitSyntaxError => "",
    LimitsError => "limits",
    FloatTimeError => "time",
    SnapshotError => "",
    signed::InstantError => "now",
}

impl Named for ReserveError {
    fn code(&self) -> &'static str {
        self.code()
    }

    fn argument(&self) -> &'static str {
        match self {
            Self::NonPositiveWait => "maxWait",
            _ => "",
        }
    }
}

impl<E: Named> From<E> for Fault {
    #[cold]
    fn from(error: E) -> Self {
        Self::new(error.argument(), error.code(), error)
    }
}

/// An amount given as a float.
pub(crate) fn tokens(n: f64) -> Result<Tokens, Fault> {
    match usual_tokens(n) {
        Some(tokens) => Ok(tokens),
        None => Ok(Tokens::try_from(odd(n)?)?),
    }
}

/// An amount given as a float, if it is a number from 1 to 2^53 − 1.
#[inline(always)]
pub(crate) fn usual_tokens(n: f64) -> Option<Tokens> {
    // A signed word, whose conversions take less.
    let whole = n as i64;
    if whole as f64 == n && (1.0..UNSAFE).contains(&n) {
        Tokens::new(whole.cast_unsigned()).ok()
    } else {
        None
    }
}

/// The whole number that a float is which is no ordinary amount.
#[cold]
fn odd(n: f64) -> Result<i128, Fault> {
    let whole = n as i128;
    if whole as f64 != n {
        let message = "an amount must be a whole number";
        Err(Fault::new("cost", "not_an_integer", message))
    } else if n.abs() >= UNSAFE {
        let message = "a number above 2^53 is not exact, give a bigint";
        Err(Fault::new("cost", "unsafe_integer", message))
    } else {
        Ok(whole)
    }
}

/// A reading of the clock in milliseconds.
#[inline(always)]
pub(crate) fn instant(millis: f64) -> Result<u64, Fault> {
    FloatUnit::MILLIS
        .nearest(millis)
        .map_err(|error| Fault::new("now", error.code(), error))
}

/// Tokens to take, from the words at `at`.
pub(crate) fn tokens_at(at: usize) -> Result<Tokens, Fault> {
    Ok(Tokens::try_from(words::integer(at))?)
}

/// Tokens to add, from the words at `at`.
pub(crate) fn tokens_to_add_at(at: usize) -> Result<Tokens, Fault> {
    Ok(signed::tokens_to_add(words::integer(at))?)
}

/// Permits to take, from the words at `at`.
pub(crate) fn permits_at(at: usize) -> Result<Permits, Fault> {
    Ok(Permits::try_from(words::integer(at))?)
}

/// A reading of the clock in nanoseconds, from the words at `at`.
pub(crate) fn instant_at(at: usize) -> Result<u64, Fault> {
    Ok(signed::instant(words::integer(at))?)
}

/// The longest wait of a reservation, from the words at `at`.
pub(crate) fn max_wait_at(at: usize) -> Result<u64, Fault> {
    Ok(signed::max_wait(words::integer(at))?)
}

/// Leaves the nanoseconds of milliseconds as a result: of a reading of a clock.
#[must_use]
pub fn nanos(millis: f64) -> i32 {
    nanos_by(FloatUnit::MILLIS.nearest(millis))
}

/// As [`nanos`], of a period or a wait, which must be exact.
#[must_use]
pub fn nanos_exact(millis: f64) -> i32 {
    nanos_by(FloatUnit::MILLIS.exact(millis))
}

fn nanos_by(nanos: Result<u64, FloatTimeError>) -> i32 {
    outcome(nanos.map_err(Fault::from).map(|nanos| {
        words::set_nanos(words::RESULT, nanos);
        0
    }))
}

/// Leaves the nanoseconds that are the result as milliseconds as well, rounded up.
pub fn millis() {
    words::set_nanos(words::RESULT, words::word(words::RESULT));
}
