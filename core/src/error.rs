//! Errors: each carries the value it rejects and has a stable code, the same in every language.

use core::fmt;

use crate::Wait;

/// Implements `code()`, `Display` and `Error` for an enum, one line per variant.
macro_rules! coded_error {
    ($name:ident { $($pattern:pat => $code:expr, $text:literal $(, $arg:expr)*;)+ }) => {
        impl $name {
            /// The stable code of this error: the same in every language and release.
            #[must_use]
            pub const fn code(&self) -> &'static str {
                #[allow(unused_variables, reason = "patterns bind what the message prints")]
                match *self { $($pattern => $code,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match *self { $($pattern => write!(f, $text $(, $arg)*),)+ }
            }
        }

        impl core::error::Error for $name {}
    };
}
pub(crate) use coded_error;

/// An amount of tokens or permits that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum AmountError {
    /// Fewer than one token was asked for.
    NonPositiveTokensToConsume {
        /// What was given.
        value: i128,
    },
    /// Fewer than one token was to be added.
    NonPositiveTokensToAdd {
        /// What was given.
        value: i128,
    },
    /// Fewer than one permit was asked for.
    NonPositivePermits {
        /// What was given.
        value: i128,
    },
    /// More than `i64::MAX`.
    TooLarge {
        /// What was given.
        value: i128,
    },
}

coded_error!(AmountError {
    Self::NonPositiveTokensToConsume { value } => "non_positive_tokens_to_consume",
        "tokens to consume are {value}, at least 1 is needed";
    Self::NonPositiveTokensToAdd { value } => "non_positive_tokens_to_add",
        "tokens to add are {value}, at least 1 is needed";
    Self::NonPositivePermits { value } => "non_positive_permits",
        "permits are {value}, at least 1 is needed";
    Self::TooLarge { value } => "amount_too_large",
        "an amount of {value} is above the largest, {}", i64::MAX;
});

/// A [`Bandwidth`](crate::Bandwidth) that cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum BandwidthError {
    /// The capacity is below 1.
    NonPositiveCapacity {
        /// What was given.
        capacity: i128,
    },
    /// The capacity is above `i64::MAX`.
    CapacityOverflow {
        /// What was given.
        capacity: i128,
    },
    /// The first edge of an aligned refill is before tick 0; only where numbers are
    /// signed.
    NegativeTimeOfFirstRefill {
        /// What was given, in ticks.
        instant: i128,
    },
    /// The first edge of an aligned refill is above `i64::MAX`; only where numbers are signed.
    FirstRefillOverflow {
        /// What was given, in ticks.
        instant: i128,
    },
    /// The refill is below 1 token a period.
    NonPositiveRefillTokens {
        /// What was given.
        tokens: i128,
    },
    /// The refill is above `i64::MAX` tokens a period.
    RefillTokensOverflow {
        /// What was given.
        tokens: i128,
    },
    /// The period is below 1 tick.
    NonPositivePeriod {
        /// What was given, in ticks.
        period: i128,
    },
    /// The period is outside the range of an `i64`.
    PeriodOverflow {
        /// What was given, in ticks.
        period: i128,
    },
    /// The initial tokens are below 0; only where numbers are signed.
    NegativeInitialTokens {
        /// What was given.
        tokens: i128,
    },
    /// The initial tokens are above `i64::MAX`.
    InitialTokensOverflow {
        /// What was given.
        tokens: i128,
    },
    /// An adaptive bandwidth computes its initial tokens; giving them as well is ambiguous.
    AdaptiveConflictsWithInitialTokens,
    /// The period is not a whole number of ticks.
    InexactPeriod(DurationError),
}

coded_error!(BandwidthError {
    Self::NonPositiveCapacity { capacity } => "non_positive_capacity",
        "the capacity is {capacity}, at least 1 is needed";
    Self::CapacityOverflow { capacity } => "capacity_overflow",
        "a capacity of {capacity} is above the largest, {}", i64::MAX;
    Self::NegativeTimeOfFirstRefill { instant } => "negative_time_of_first_refill",
        "a first refill at tick {instant} is before tick 0";
    Self::FirstRefillOverflow { instant } => "first_refill_overflow",
        "a first refill at tick {instant} is after the last that is allowed, {}", i64::MAX;
    Self::NonPositiveRefillTokens { tokens } => "non_positive_refill_tokens",
        "the refill is {tokens} tokens a period, at least 1 is needed";
    Self::RefillTokensOverflow { tokens } => "refill_tokens_overflow",
        "a refill of {tokens} tokens is above the largest, {}", i64::MAX;
    Self::NonPositivePeriod { period } => "non_positive_period",
        "the refill period is {period} ticks, at least 1 is needed";
    Self::PeriodOverflow { period } => "period_overflow",
        "a refill period of {period} ticks is out of range, 1 to {} are allowed", i64::MAX;
    Self::NegativeInitialTokens { tokens } => "negative_initial_tokens",
        "the initial tokens are {tokens}, at least 0 are needed";
    Self::InitialTokensOverflow { tokens } => "initial_tokens_overflow",
        "{tokens} initial tokens are above the largest count, {}", i64::MAX;
    Self::AdaptiveConflictsWithInitialTokens => "adaptive_conflicts_with_initial_tokens",
        "an adaptive bandwidth computes its initial tokens, they cannot be given as well";
    Self::InexactPeriod(error) => error.code(), "{error}";
});

/// A [`BucketConfig`](crate::BucketConfig) that cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ConfigError {
    /// A bucket needs at least one bandwidth.
    NoBandwidths,
    /// More bandwidths than the type has room for.
    TooManyBandwidths {
        /// How many were given.
        given: usize,
        /// The room: the bucket's `N`.
        room: usize,
    },
    /// Two bandwidths have the same id.
    DuplicateBandwidthId {
        /// The id, see [`BandwidthId::get`](crate::BandwidthId::get).
        id: u64,
    },
    /// An aligned refill was bound to a clock that does not tell the time of day.
    AlignedRequiresWallClock,
}

coded_error!(ConfigError {
    Self::NoBandwidths => "no_bandwidths",
        "there are no bandwidths, at least 1 is needed";
    Self::TooManyBandwidths { given, room } => "too_many_bandwidths",
        "{given} bandwidths were given, there is room for {room}";
    Self::DuplicateBandwidthId { id } => "duplicate_bandwidth_id",
        "two bandwidths have the id {id:#018x}, ids must differ";
    Self::AlignedRequiresWallClock => "aligned_requires_wall_clock",
        "an aligned refill needs a wall clock, this clock is monotonic";
});

/// A [`CycleConfig`](crate::CycleConfig) that cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CycleConfigError {
    /// The limit is below 1.
    LimitTooSmall {
        /// What was given.
        limit: i128,
    },
    /// The limit is above `i64::MAX`.
    LimitTooLarge {
        /// What was given.
        limit: i128,
    },
    /// The period is below 1 tick.
    PeriodTooShort {
        /// What was given, in ticks.
        period: i128,
    },
    /// The period is outside the range of an `i64`.
    PeriodTooLarge {
        /// What was given, in ticks.
        period: i128,
    },
    /// The timeout is negative; only where numbers are signed.
    TimeoutNegative {
        /// What was given, in ticks.
        timeout: i128,
    },
    /// The timeout is above `i64::MAX` ticks.
    TimeoutTooLarge {
        /// What was given, in ticks.
        timeout: i128,
    },
    /// Cycles aligned to an edge were bound to a clock that does not tell the time of day.
    AlignedRequiresWallClock,
}

coded_error!(CycleConfigError {
    Self::LimitTooSmall { limit } => "limit_for_period_too_small",
        "the limit is {limit} permits, at least 1 is needed";
    Self::LimitTooLarge { limit } => "limit_for_period_too_large",
        "a limit of {limit} permits is above the largest, {}", i64::MAX;
    Self::PeriodTooShort { period } => "limit_refresh_period_too_short",
        "the period is {period} ticks, at least 1 is needed";
    Self::PeriodTooLarge { period } => "limit_refresh_period_too_large",
        "a period of {period} ticks is out of range, 1 to {} are allowed", i64::MAX;
    Self::TimeoutNegative { timeout } => "timeout_negative",
        "the timeout is {timeout} ticks, at least 0 are needed";
    Self::TimeoutTooLarge { timeout } => "timeout_too_large",
        "a timeout of {timeout} ticks is above the longest, {}", i64::MAX;
    Self::AlignedRequiresWallClock => "aligned_requires_wall_clock",
        "aligned cycles need a wall clock, this clock is monotonic";
});

/// Why a reservation was not made; nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ReserveError {
    /// The longest wait was given as less than 1 tick: ask without a reservation instead.
    NonPositiveWait,
    /// The tokens come later than the caller would wait.
    NotInTime {
        /// The wait that would have been needed, in ticks; never if it is beyond `i64::MAX`.
        wait: Wait,
    },
    /// The debt would exceed `i64::MIN` tokens, or the wait `i64::MAX` ticks.
    ReservationOverflow,
}

coded_error!(ReserveError {
    Self::NonPositiveWait => "non_positive_wait",
        "the longest wait is not positive, at least 1 tick is needed";
    Self::NotInTime { wait } => "not_in_time",
        "the reservation would have to wait for: {wait}";
    Self::ReservationOverflow => "reservation_overflow",
        "the reservation exceeds {} ticks of waiting or {} tokens of debt", i64::MAX, i64::MIN;
});

/// A snapshot that does not fit the configuration it is restored with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SnapshotError {
    /// The counts of bandwidths differ.
    BandwidthCount {
        /// In the snapshot.
        given: usize,
        /// In the configuration.
        expected: usize,
    },
    /// A remainder is not smaller than the period, or is not 0 for an interval refill.
    Remainder {
        /// What was given, in units of 1/period of a token.
        remainder: u64,
        /// What it must stay below.
        below: u64,
    },
    /// An instant is out of range: beyond `u64::MAX`, before tick 0 for a greedy refill, or before
    /// `-i64::MAX` for any other.
    LastRefill {
        /// What was given, in ticks.
        instant: i128,
    },
}

coded_error!(SnapshotError {
    Self::BandwidthCount { given, expected } => "snapshot_bandwidth_count",
        "the snapshot holds {given} bandwidths, the configuration {expected}";
    Self::Remainder { remainder, below } => "snapshot_remainder",
        "a remainder of {remainder} is out of range, it must be below {below}";
    Self::LastRefill { instant } => "snapshot_last_refill",
        "a last refill at tick {instant} is out of range";
});

/// A duration that is not a whole number of ticks, or too long for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum DurationError {
    /// Not a whole number of ticks at this rate.
    Inexact {
        /// The whole seconds of the duration.
        secs: u64,
        /// The nanoseconds beyond them.
        nanos: u32,
        /// Ticks per second.
        hz: u64,
    },
    /// More than `u64::MAX` ticks.
    Overflow {
        /// The whole seconds of the duration.
        secs: u64,
        /// Ticks per second.
        hz: u64,
    },
}

coded_error!(DurationError {
    Self::Inexact { secs, nanos, hz } => "inexact_duration",
        "{secs}.{nanos:09} s is not a whole number of ticks at {hz} Hz";
    Self::Overflow { secs, hz } => "period_overflow",
        "{secs} s at {hz} Hz is more than {} ticks", u64::MAX;
});

/// A time given as `f64` that cannot be nanoseconds.
///
/// The number is not repeated: a caller who has floats can print them, and the code for that is
/// larger than a limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FloatTimeError {
    /// Negative, infinite or not a number.
    NotADuration,
    /// Not a whole number of nanoseconds.
    Inexact,
    /// More than `u64::MAX` nanoseconds.
    Overflow,
}

coded_error!(FloatTimeError {
    Self::NotADuration => "not_a_duration",
        "a duration is a finite number from 0";
    Self::Inexact => "inexact_duration",
        "a duration is a whole number of nanoseconds";
    Self::Overflow => "period_overflow",
        "a duration is at most {} nanoseconds", u64::MAX;
});
