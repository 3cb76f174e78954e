//! Numbers of JavaScript to the values of the core.

use tokenweir::{AmountError, Millis, MillisError, Permits, Tokens};

use crate::fault::Fault;
use crate::words;

/// From here on, a float no longer tells one integer from the next.
const UNSAFE: f64 = 9_007_199_254_740_992.0;

/// An amount of tokens given as a float.
#[inline(always)]
pub(crate) fn tokens(n: f64) -> Result<Tokens, Fault> {
    let whole = n as u64;
    if whole as f64 == n && n < UNSAFE {
        Tokens::new(whole).map_err(|error| amount("tokens", error))
    } else {
        wide(n).and_then(|n| Tokens::try_from(n).map_err(|error| amount("tokens", error)))
    }
}

/// An amount of permits given as a float.
#[inline(always)]
pub(crate) fn permits(n: f64) -> Result<Permits, Fault> {
    let whole = n as u64;
    if whole as f64 == n && n < UNSAFE {
        Permits::new(whole).map_err(|error| amount("permits", error))
    } else {
        wide(n).and_then(|n| Permits::try_from(n).map_err(|error| amount("permits", error)))
    }
}

/// A reading of the clock in milliseconds.
#[inline(always)]
pub(crate) fn instant(millis: f64) -> Result<u64, Fault> {
    Millis::to_nanos(millis).map_err(|error| time("now", error))
}

/// Tokens to take, from the words at `at`.
pub(crate) fn tokens_at(at: usize) -> Result<Tokens, Fault> {
    Tokens::try_from(words::integer(at)).map_err(|error| amount("tokens", error))
}

/// Permits to take, from the words at `at`.
pub(crate) fn permits_at(at: usize) -> Result<Permits, Fault> {
    Permits::try_from(words::integer(at)).map_err(|error| amount("permits", error))
}

/// A reading of the clock in nanoseconds, from the words at `at`.
pub(crate) fn instant_at(at: usize) -> Result<u64, Fault> {
    unsigned("now", words::integer(at))
}

/// A number from 0 to `u64::MAX`.
pub(crate) fn unsigned(argument: &'static str, value: i128) -> Result<u64, Fault> {
    u64::try_from(value).map_err(|_| {
        let message = format_args!("{value} is out of range, 0 to {} is allowed", u64::MAX);
        Fault::range(argument, "out_of_range", message)
    })
}

/// The whole number a float is, whatever its sign.
#[cold]
fn wide(n: f64) -> Result<i128, Fault> {
    let whole = n as i128;
    if whole as f64 != n {
        let message = "the amount must be a whole number";
        Err(Fault::range("tokens", "not_an_integer", message))
    } else if n.abs() >= UNSAFE {
        let message = "a number as large as this is not exact, give a bigint";
        Err(Fault::range("tokens", "unsafe_integer", message))
    } else {
        Ok(whole)
    }
}

#[cold]
pub(crate) fn amount(argument: &'static str, error: AmountError) -> Fault {
    Fault::range(argument, error.code(), error)
}

#[cold]
fn time(argument: &'static str, error: MillisError) -> Fault {
    Fault::range(argument, error.code(), error)
}

/// Leaves the nanoseconds of these milliseconds, a reading of a clock, at word 0.
pub(crate) fn nanos(millis: f64) -> Result<(), Fault> {
    words::set_word(0, instant(millis)?);
    Ok(())
}

/// As [`nanos`], for a period, which must be exact.
pub(crate) fn nanos_exact(millis: f64) -> Result<(), Fault> {
    let nanos = Millis::to_nanos_exact(millis).map_err(|error| time("period", error))?;
    words::set_word(0, nanos);
    Ok(())
}
