//! Numbers of JavaScript to the values of the core.

use tokenweir::{
    AmountError, BandwidthError, CycleConfigError, FloatTimeError, FloatUnit, LimitSyntaxError,
    LimitsError, Permits, ReserveError, SnapshotError, Tokens, signed,
};

use crate::fault::{Fault, outcome};
use crate::words;

/// An error with the name of the argument it is about, or an empty one, and the value that was refused.
pub(crate) trait Named {
    fn code(&self) -> &'static str;
    fn argument(&self) -> &'static str;
    fn value(&self) -> Option<i128>;
}

macro_rules! named {
    ($($error:ty => $argument:literal $({ $($variant:ident: $value:ident,)* })?)+) => {$(
        impl Named for $error {
            fn code(&self) -> &'static str { self.code() }
            fn argument(&self) -> &'static str { $argument }
            fn value(&self) -> Option<i128> {
                match self {
                    $($(Self::$variant { $value, .. } => Some((*$value).into()),)*)?
                    _ => None,
                }
            }
        }
    )+};
}

named! {
    AmountError => "cost" {
        NonPositiveTokensToConsume: value,
        NonPositiveTokensToAdd: value,
        NonPositivePermits: value,
        TooLarge: value,
    }
    BandwidthError => "limit" {
        NonPositiveCapacity: capacity,
        CapacityOverflow: capacity,
        NegativeTimeOfFirstRefill: instant,
        FirstRefillOverflow: instant,
        NonPositiveRefillTokens: tokens,
        RefillTokensOverflow: tokens,
        NonPositivePeriod: period,
        PeriodOverflow: period,
        NegativeInitialTokens: tokens,
        InitialTokensOverflow: tokens,
    }
    CycleConfigError => "limit" {
        LimitTooSmall: limit,
        LimitTooLarge: limit,
        PeriodTooShort: period,
        PeriodTooLarge: period,
        TimeoutNegative: timeout,
        TimeoutTooLarge: timeout,
    }
    LimitsError => "limits"
    FloatTimeError => "time"
    SnapshotError => "snapshot" {
        Remainder: remainder,
        LastRefill: instant,
    }
}

impl Named for signed::InstantError {
    fn code(&self) -> &'static str {
        self.code()
    }

    fn argument(&self) -> &'static str {
        "now"
    }

    fn value(&self) -> Option<i128> {
        Some(self.instant)
    }
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

    fn value(&self) -> Option<i128> {
        None
    }
}

impl<E: Named> From<E> for Fault {
    #[cold]
    fn from(error: E) -> Self {
        Self::new(error.argument(), error.code()).of(error.value())
    }
}

impl From<LimitSyntaxError> for Fault {
    #[cold]
    fn from(error: LimitSyntaxError) -> Self {
        let column = i128::try_from(error.column).ok();
        let mut detail = String::from(error.expected);
        if let Some(found) = &error.found {
            detail.push('\n');
            detail.push_str(found);
        }
        Self::new("", error.code()).of(column).with(detail)
    }
}

/// An amount given as a number.
#[inline(always)]
pub(crate) fn tokens(n: i32) -> Result<Tokens, AmountError> {
    if n >= 1 {
        Tokens::new(n.unsigned_abs().into())
    } else {
        Tokens::try_from(i128::from(n))
    }
}

/// A reading of the clock in milliseconds.
#[inline(always)]
pub(crate) fn instant(millis: f64) -> Result<u64, Fault> {
    FloatUnit::MILLIS
        .nearest(millis)
        .map_err(|error| Fault::new("now", error.code()))
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
