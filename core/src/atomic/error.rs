//! Configurations that do not fit one word.

use core::fmt;

use crate::error::coded_error;

/// A limit that an [`AtomicBucket`](crate::AtomicBucket) or an
/// [`AtomicCycleLimiter`](crate::AtomicCycleLimiter) cannot keep in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum AtomicError {
    /// The refill is not greedy.
    NotGreedy,
    /// A bucket in one word cannot hold more tokens than its capacity.
    InitialTokensAboveCapacity {
        /// The initial tokens that were given.
        tokens: u64,
        /// The capacity.
        capacity: u64,
    },
    /// The bucket takes too many ticks to become full.
    CapacityTooLarge {
        /// What was given.
        capacity: u64,
        /// The largest at this rate; 0 where the time of one token is too long already.
        largest: u64,
    },
    /// The rate, in lowest terms, has so many tokens that the word soon comes round.
    HorizonTooShort {
        /// How long the bucket could stay untouched, in ticks.
        ticks: u64,
        /// How long it must be able to.
        least: u64,
    },
    /// The limit leaves too few bits to count cycles.
    LimitTooLarge {
        /// What was given.
        limit: u64,
        /// The largest for this period.
        largest: u64,
    },
}

coded_error!(AtomicError {
    Self::NotGreedy => "atomic_not_greedy",
        "an atomic bucket needs a greedy refill, this one comes at edges";
    Self::InitialTokensAboveCapacity { tokens, capacity } => "atomic_initial_tokens_too_many",
        "{tokens} initial tokens are above the capacity of {capacity}, an atomic bucket holds no more";
    Self::CapacityTooLarge { capacity, largest } => "atomic_capacity_too_large",
        "a capacity of {capacity} does not fit an atomic bucket, at this rate the largest is {largest}";
    Self::HorizonTooShort { ticks, least } => "atomic_horizon_too_short",
        "the bucket could stay untouched for {ticks} ticks, at least {least} are needed: \
         choose a rate with fewer tokens in lowest terms";
    Self::LimitTooLarge { limit, largest } => "atomic_limit_too_large",
        "a limit of {limit} permits does not fit an atomic limiter, for this period the largest is {largest}";
});
