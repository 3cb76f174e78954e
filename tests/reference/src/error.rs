//! Why a configuration or a call is refused as invalid.

use core::fmt;

/// An invalid configuration or argument. Each has a stable [`code`](Error::code), the one the vectors use.
///
/// The variants stand in the order in which a configuration is checked, so the first one that applies is the
/// one reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Error {
    /// A capacity below one token.
    NonPositiveCapacity,
    /// An aligned refill whose first edge lies before instant 0.
    NegativeTimeOfFirstRefill,
    /// An aligned refill whose first edge lies beyond the last instant of a clock of signed instants.
    FirstRefillOverflow,
    /// A refill of less than one token.
    NonPositiveRefillTokens,
    /// A period that does not fit in an `i64`.
    PeriodOverflow,
    /// A period below one tick.
    NonPositivePeriod,
    /// Fewer than zero tokens to start with.
    NegativeInitialTokens,
    /// An adaptive refill computes its initial tokens, so none may be given.
    AdaptiveConflictsWithInitialTokens,
    /// A bucket without a bandwidth.
    NoBandwidths,
    /// Two bandwidths with the same identifier.
    DuplicateBandwidthId,
    /// An aligned refill bound to a clock with an arbitrary origin.
    AlignedRequiresWallClock,
    /// A request for less than one token.
    NonPositiveTokensToConsume,
    /// An addition of less than one token.
    NonPositiveTokensToAdd,
    /// A longest wait below one tick.
    NonPositiveWait,
    /// A reservation that would never be due, or a debt beyond `i64::MIN` tokens.
    ReservationOverflow,
    /// A cycle limit below one permit.
    LimitTooSmall,
    /// A cycle below one tick.
    CycleTooShort,
    /// A cycle that does not fit in an `i64`.
    CycleTooLong,
    /// A timeout below zero.
    TimeoutNegative,
    /// A timeout that does not fit in an `i64`.
    TimeoutTooLarge,
    /// A request for less than one permit.
    NonPositivePermits,
}

impl Error {
    /// This error, unless what it is about is valid.
    pub(crate) fn unless(self, valid: bool) -> Result<(), Self> {
        if valid { Ok(()) } else { Err(self) }
    }

    /// The stable name of this error in the vectors.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::NonPositiveCapacity => "non_positive_capacity",
            Self::NegativeTimeOfFirstRefill => "negative_time_of_first_refill",
            Self::FirstRefillOverflow => "first_refill_overflow",
            Self::NonPositiveRefillTokens => "non_positive_refill_tokens",
            Self::PeriodOverflow => "period_overflow",
            Self::NonPositivePeriod => "non_positive_period",
            Self::NegativeInitialTokens => "negative_initial_tokens",
            Self::AdaptiveConflictsWithInitialTokens => "adaptive_conflicts_with_initial_tokens",
            Self::NoBandwidths => "no_bandwidths",
            Self::DuplicateBandwidthId => "duplicate_bandwidth_id",
            Self::AlignedRequiresWallClock => "aligned_requires_wall_clock",
            Self::NonPositiveTokensToConsume => "non_positive_tokens_to_consume",
            Self::NonPositiveTokensToAdd => "non_positive_tokens_to_add",
            Self::NonPositiveWait => "non_positive_wait",
            Self::ReservationOverflow => "reservation_overflow",
            Self::LimitTooSmall => "limit_for_period_too_small",
            Self::CycleTooShort => "limit_refresh_period_too_short",
            Self::CycleTooLong => "limit_refresh_period_too_large",
            Self::TimeoutNegative => "timeout_negative",
            Self::TimeoutTooLarge => "timeout_too_large",
            Self::NonPositivePermits => "non_positive_permits",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl std::error::Error for Error {}
