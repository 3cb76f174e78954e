//! Configurations and arguments as callers of other languages have them: signed integers of any
//! size.
//!
//! Rust's own constructors take unsigned integers, which rule out negative values. A binding has
//! whatever its caller wrote: here each number is checked and, where it is out of range, gives the
//! error that the type rules out elsewhere. So no binding checks anything itself.
//!
//! ```
//! use tokenweir::signed::{self, SignedBandwidth, SignedRefill};
//!
//! let numbers = SignedBandwidth {
//!     capacity: 10,
//!     tokens: -1,
//!     period: 1_000_000_000,
//!     refill: SignedRefill::Greedy,
//!     initial_tokens: None,
//! };
//! assert_eq!(numbers.build().unwrap_err().code(), "non_positive_refill_tokens");
//! assert_eq!(signed::tokens_to_add(0).unwrap_err().code(), "non_positive_tokens_to_add");
//! ```

use core::fmt;

use crate::error::coded_error;
use crate::{
    AmountError, Bandwidth, BandwidthError, CycleConfig, CycleConfigError, ReserveError, Tokens,
    Wait,
};

const MAX: i128 = i64::MAX as i128;

/// The numbers of a [`Bandwidth`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignedBandwidth {
    /// The capacity, in tokens.
    pub capacity: i128,
    /// The tokens refilled each period.
    pub tokens: i128,
    /// The period, in ticks.
    pub period: i128,
    /// How the tokens come back.
    pub refill: SignedRefill,
    /// The initial tokens, where they are given.
    pub initial_tokens: Option<i128>,
}

/// As [`Refill`](crate::Refill).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignedRefill {
    /// As soon as possible.
    Greedy,
    /// At the end of each period.
    Interval,
    /// At an edge and every period after it.
    Aligned {
        /// The first edge, in ticks of a wall clock.
        first_refill: i128,
    },
    /// As [`SignedRefill::Aligned`], starting with the share of the first period.
    Adaptive {
        /// The first edge, in ticks of a wall clock.
        first_refill: i128,
    },
}

/// The numbers of a [`CycleConfig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignedCycle {
    /// Permits in each cycle.
    pub limit: i128,
    /// The length of a cycle, in ticks.
    pub period: i128,
    /// How long a reservation may wait, in ticks.
    pub timeout: i128,
}

impl SignedBandwidth {
    /// The bandwidth with these numbers.
    ///
    /// # Errors
    ///
    /// A [`BandwidthError`] for the first that is out of range, in this order: capacity, first
    /// refill, tokens, period, initial tokens.
    pub fn build(self) -> Result<Bandwidth, BandwidthError> {
        let capacity = at_least(
            1,
            self.capacity,
            |capacity| BandwidthError::NonPositiveCapacity { capacity },
            |capacity| BandwidthError::CapacityOverflow { capacity },
        )?;
        let first = match self.refill {
            SignedRefill::Greedy | SignedRefill::Interval => 0,
            SignedRefill::Aligned { first_refill } | SignedRefill::Adaptive { first_refill } => {
                at_least(
                    0,
                    first_refill,
                    |instant| BandwidthError::NegativeTimeOfFirstRefill { instant },
                    |instant| BandwidthError::FirstRefillOverflow { instant },
                )?
            }
        };
        let tokens = at_least(
            1,
            self.tokens,
            |tokens| BandwidthError::NonPositiveRefillTokens { tokens },
            |tokens| BandwidthError::RefillTokensOverflow { tokens },
        )?;
        let period = period(
            self.period,
            |period| BandwidthError::NonPositivePeriod { period },
            |period| BandwidthError::PeriodOverflow { period },
        )?;
        let bandwidth = match self.refill {
            SignedRefill::Greedy => Bandwidth::greedy(capacity, tokens, period),
            SignedRefill::Interval => Bandwidth::interval(capacity, tokens, period),
            SignedRefill::Aligned { .. } => Bandwidth::aligned(capacity, tokens, period, first),
            SignedRefill::Adaptive { .. } => Bandwidth::adaptive(capacity, tokens, period, first),
        }?;
        let Some(initial) = self.initial_tokens else {
            return Ok(bandwidth);
        };
        bandwidth.with_initial_tokens(at_least(
            0,
            initial,
            |tokens| BandwidthError::NegativeInitialTokens { tokens },
            |tokens| BandwidthError::InitialTokensOverflow { tokens },
        )?)
    }
}

impl SignedCycle {
    /// The configuration with these numbers.
    ///
    /// # Errors
    ///
    /// A [`CycleConfigError`] for the first that is out of range, in this order: limit, period,
    /// timeout.
    pub fn build(self) -> Result<CycleConfig, CycleConfigError> {
        let limit = cycle_limit(self.limit)?;
        let period = period(
            self.period,
            |period| CycleConfigError::PeriodTooShort { period },
            |period| CycleConfigError::PeriodTooLarge { period },
        )?;
        CycleConfig::new(limit, period)?.with_timeout(cycle_timeout(self.timeout)?)
    }
}

/// The limit of a cycle.
///
/// # Errors
///
/// A [`CycleConfigError`] below 1 and above `i64::MAX`.
pub fn cycle_limit(limit: i128) -> Result<u64, CycleConfigError> {
    at_least(
        1,
        limit,
        |limit| CycleConfigError::LimitTooSmall { limit },
        |limit| CycleConfigError::LimitTooLarge { limit },
    )
}

/// How long the reservations of a cycle may wait, in ticks.
///
/// # Errors
///
/// A [`CycleConfigError`] below 0 and above `i64::MAX`.
pub fn cycle_timeout(timeout: i128) -> Result<u64, CycleConfigError> {
    at_least(
        0,
        timeout,
        |timeout| CycleConfigError::TimeoutNegative { timeout },
        |timeout| CycleConfigError::TimeoutTooLarge { timeout },
    )
}

/// An amount to add; for one to take see `Tokens::try_from` and `Permits::try_from`.
///
/// # Errors
///
/// [`AmountError::NonPositiveTokensToAdd`] below 1, [`AmountError::TooLarge`] above `i64::MAX`.
pub fn tokens_to_add(tokens: i128) -> Result<Tokens, AmountError> {
    let n = at_least(
        1,
        tokens,
        |value| AmountError::NonPositiveTokensToAdd { value },
        |value| AmountError::TooLarge { value },
    )?;
    Tokens::to_add(n)
}

/// The longest wait of a reservation, in ticks; one beyond `u64::MAX` is as good as that.
///
/// # Errors
///
/// [`ReserveError::NonPositiveWait`] below 1.
pub fn max_wait(ticks: i128) -> Result<u64, ReserveError> {
    if ticks < 1 {
        return Err(ReserveError::NonPositiveWait);
    }
    Ok(u64::try_from(ticks).unwrap_or(u64::MAX))
}

/// How much there is of something, from none.
///
/// ```
/// use tokenweir::signed;
///
/// assert_eq!(signed::count(0), Ok(0));
/// assert_eq!(signed::count(-1).unwrap_err().code(), "count_out_of_range");
/// ```
///
/// # Errors
///
/// [`NumberError::Count`] below 0 and above `u64::MAX`.
pub fn count(value: i128) -> Result<u64, NumberError> {
    u64::try_from(value).map_err(|_| NumberError::Count { value })
}

/// A duration that may be none at all, in ticks; one beyond `u64::MAX` is as good as that.
///
/// # Errors
///
/// [`NumberError::Duration`] below 0.
pub fn duration(ticks: i128) -> Result<u64, NumberError> {
    if ticks < 0 {
        return Err(NumberError::Duration { ticks });
    }
    Ok(u64::try_from(ticks).unwrap_or(u64::MAX))
}

/// A wait that somebody tells of, in ticks; one beyond `i64::MAX` is never over.
///
/// ```
/// use tokenweir::{Wait, signed};
///
/// assert_eq!(signed::wait(5), Ok(Wait::Ticks(5)));
/// assert_eq!(signed::wait(1 << 63), Ok(Wait::Never));
/// assert_eq!(signed::duration(1 << 64), Ok(u64::MAX));
/// assert_eq!(signed::wait(-1).unwrap_err().code(), "not_a_duration");
/// ```
///
/// # Errors
///
/// [`NumberError::Duration`] below 0.
pub fn wait(ticks: i128) -> Result<Wait, NumberError> {
    duration(ticks).map(|ticks| Wait::from_wide(ticks.into()))
}

/// A count or a duration that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NumberError {
    /// Not a count.
    Count {
        /// What was given.
        value: i128,
    },
    /// Not a duration.
    Duration {
        /// What was given, in ticks.
        ticks: i128,
    },
}

coded_error!(NumberError {
    Self::Count { value } => "count_out_of_range",
        "{value} is out of range, 0 to {} are allowed", u64::MAX;
    Self::Duration { ticks } => "not_a_duration",
        "{ticks} ticks are not a duration, 0 or more are needed";
});

/// An instant, in ticks.
///
/// # Errors
///
/// An [`InstantError`] below 0 and above `u64::MAX`.
pub fn instant(ticks: i128) -> Result<u64, InstantError> {
    u64::try_from(ticks).map_err(|_| InstantError { instant: ticks })
}

/// A window of time, in ticks.
///
/// # Errors
///
/// A [`WindowError`] below 0 and above `u64::MAX`.
pub fn window(ticks: i128) -> Result<u64, WindowError> {
    u64::try_from(ticks).map_err(|_| WindowError { window: ticks })
}

/// A window of time that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct WindowError {
    /// What was given, in ticks.
    pub window: i128,
}

impl WindowError {
    /// The stable code of this error: the same in every language and release.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "window_out_of_range"
    }
}

impl fmt::Display for WindowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a window of {} ticks is out of range, 0 to {} are allowed",
            self.window,
            u64::MAX
        )
    }
}

impl core::error::Error for WindowError {}

/// An instant that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct InstantError {
    /// What was given, in ticks.
    pub instant: i128,
}

impl InstantError {
    /// The stable code of this error: the same in every language and release.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "instant_out_of_range"
    }
}

impl fmt::Display for InstantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "an instant of {} ticks is out of range, 0 to {} are allowed",
            self.instant,
            u64::MAX
        )
    }
}

impl core::error::Error for InstantError {}

/// A value from `least` to `i64::MAX`.
fn at_least<E>(
    least: i128,
    value: i128,
    too_small: fn(i128) -> E,
    too_large: fn(i128) -> E,
) -> Result<u64, E> {
    if value < least {
        return Err(too_small(value));
    }
    match u64::try_from(value) {
        Ok(value) if i128::from(value) <= MAX => Ok(value),
        _ => Err(too_large(value)),
    }
}

/// A period: outside the range of an `i64` on either side it is too large, before anything else.
fn period<E>(value: i128, too_short: fn(i128) -> E, too_large: fn(i128) -> E) -> Result<u64, E> {
    if i64::try_from(value).is_err() {
        return Err(too_large(value));
    }
    at_least(1, value, too_short, too_large)
}
