//! What cannot be built, and why no further try is made.

use core::fmt;

use crate::Wait;
use crate::error::coded_error;

/// A [`Ratio`](super::Ratio) that cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RatioError {
    /// The text is not a decimal or a fraction.
    Syntax,
    /// The denominator is zero.
    ZeroDenominator,
    /// In lowest terms a side is above `u32::MAX`.
    Overflow,
}

coded_error!(RatioError {
    Self::Syntax => "ratio_syntax",
        "a ratio is written as digits: `2`, `1.5` or `3/2`";
    Self::ZeroDenominator => "ratio_zero_denominator",
        "the denominator of a ratio is 0, at least 1 is needed";
    Self::Overflow => "ratio_overflow",
        "a side of the ratio, in lowest terms, is above the largest, {}", u32::MAX;
});

/// A [`Backoff`](super::Backoff) that cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BackoffError {
    /// The first interval is zero.
    NonPositiveInitial,
    /// The first interval is above `i64::MAX`.
    InitialOverflow {
        /// What was given, in ticks.
        initial: u64,
    },
    /// The multiplier is zero.
    NonPositiveMultiplier,
    /// The longest interval is zero.
    NonPositiveMax,
    /// The longest interval is above `i64::MAX`.
    MaxOverflow {
        /// What was given, in ticks.
        max: u64,
    },
    /// An interval would be randomised by more than itself.
    JitterAboveOne {
        /// What was given.
        factor: super::Ratio,
    },
    /// A jitter that has no such name.
    UnknownJitter,
    /// Attempts are counted from 1.
    NonPositiveAttempt,
}

coded_error!(BackoffError {
    Self::NonPositiveInitial => "non_positive_initial_interval",
        "the first interval is 0 ticks, at least 1 is needed";
    Self::InitialOverflow { initial } => "initial_interval_overflow",
        "a first interval of {initial} ticks is above the longest, {}", i64::MAX;
    Self::NonPositiveMultiplier => "non_positive_multiplier",
        "the multiplier is 0, a ratio above 0 is needed";
    Self::NonPositiveMax => "non_positive_max_interval",
        "the longest interval is 0 ticks, at least 1 is needed";
    Self::MaxOverflow { max } => "max_interval_overflow",
        "a longest interval of {max} ticks is above the longest there is, {}", i64::MAX;
    Self::JitterAboveOne { factor } => "jitter_above_one",
        "a jitter factor of {factor} is out of range, it must be from 0 to 1";
    Self::UnknownJitter => "unknown_jitter",
        "the jitter is none of `none`, `full`, `equal` and a factor from 0 to 1";
    Self::NonPositiveAttempt => "non_positive_attempt",
        "the attempt is 0, attempts are counted from 1";
});

/// Why no further try is made; the count of retries stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GiveUp {
    /// All retries have been made.
    RetriesExhausted {
        /// How many were allowed.
        max_retries: u32,
    },
    /// The server asks for a longer wait than the caller allows.
    RetryAfterTooLong {
        /// What the server asks for, in ticks.
        retry_after: Wait,
        /// What is allowed, in ticks.
        longest: u64,
    },
    /// The next try would come after the time there is for all of them.
    BudgetExhausted {
        /// When the next try would be made, in ticks since the first.
        needed: u64,
        /// The time there is, in ticks.
        budget: u64,
    },
}

coded_error!(GiveUp {
    Self::RetriesExhausted { max_retries } => "retries_exhausted",
        "all {max_retries} retries have been made";
    Self::RetryAfterTooLong { retry_after, longest } => "retry_after_too_long",
        "the server asks for a wait of {retry_after}, at most {longest} ticks are allowed";
    Self::BudgetExhausted { needed, budget } => "retry_budget_exhausted",
        "the next try would be {needed} ticks after the first, at most {budget} are allowed";
});
