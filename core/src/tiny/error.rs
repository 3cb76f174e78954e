//! Bandwidths that do not fit a tiny bucket.

use core::fmt;

use crate::error::coded_error;

/// A [`Bandwidth`](crate::Bandwidth) that a [`TinyConfig`](crate::TinyConfig) cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum TinyConfigError {
    /// The refill is not greedy.
    NotGreedy,
    /// The capacity is above `u32::MAX`.
    CapacityTooLarge {
        /// What was given.
        capacity: u64,
    },
    /// There are more initial tokens than fit.
    InitialTokensAboveCapacity {
        /// The initial tokens that were given.
        tokens: u64,
        /// The capacity.
        capacity: u64,
    },
    /// The rate, in lowest terms, has more than 2³¹ tokens.
    RateTooFine {
        /// The tokens of the rate in lowest terms.
        tokens: u64,
    },
    /// An empty bucket takes 2³¹ ticks or more to become full.
    BurstTooLong {
        /// How long it takes, in ticks, rounded down; clamped to `u64::MAX`.
        ticks: u64,
    },
}

coded_error!(TinyConfigError {
    Self::NotGreedy => "tiny_not_greedy",
        "a tiny bucket needs a greedy refill, this one comes at edges";
    Self::CapacityTooLarge { capacity } => "tiny_capacity_too_large",
        "a capacity of {capacity} is above the largest of a tiny bucket, {}", u32::MAX;
    Self::InitialTokensAboveCapacity { tokens, capacity } => "tiny_initial_tokens_too_many",
        "{tokens} initial tokens are above the capacity of {capacity}, a tiny bucket holds no more";
    Self::RateTooFine { tokens } => "tiny_rate_too_fine",
        "a rate of {tokens} tokens in lowest terms is above the most of a tiny bucket, {}", 1_u32 << 31;
    Self::BurstTooLong { ticks } => "tiny_burst_too_long",
        "becoming full takes {ticks} ticks, a tiny bucket can take up to {}", i32::MAX;
});
