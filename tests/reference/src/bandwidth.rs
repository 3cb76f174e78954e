//! One limit of a bucket: how much it holds and how it is refilled.

use crate::Error;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use std::collections::HashSet;

/// When the tokens of a period arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Style {
    /// Spread evenly over the period, fractions of a token included.
    Greedy,
    /// All at once at the end of each period, counted from the creation of the bucket.
    Interval,
    /// All at once at the edges `first_refill + k * period`, from `first_refill` on.
    Aligned {
        /// The first edge.
        first_refill: BigInt,
    },
    /// Like `Aligned`, and a bucket created before the first edge starts with only as many tokens as are in
    /// proportion to the time that is left until it.
    Adaptive {
        /// The first edge.
        first_refill: BigInt,
    },
}

impl Style {
    /// Whether tokens arrive evenly rather than at edges.
    #[must_use]
    pub const fn is_greedy(&self) -> bool {
        matches!(self, Self::Greedy)
    }

    /// The edge the refill is aligned to, if it is.
    #[must_use]
    pub const fn first_refill(&self) -> Option<&BigInt> {
        match self {
            Self::Greedy | Self::Interval => None,
            Self::Aligned { first_refill } | Self::Adaptive { first_refill } => Some(first_refill),
        }
    }
}

/// `tokens` per `period` ticks into a store of `capacity`.
///
/// The model takes any integers; those that tokenweir takes are the `i64` ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bandwidth {
    /// The most a refill fills up to.
    pub capacity: BigInt,
    /// Tokens that arrive per period.
    pub tokens: BigInt,
    /// Ticks of one period.
    pub period: BigInt,
    /// When they arrive.
    pub style: Style,
    /// Tokens at creation, when not the capacity. May exceed it.
    pub initial: Option<BigInt>,
    /// What a replacement finds this bandwidth by.
    pub id: Option<String>,
}

impl Bandwidth {
    /// A bandwidth that starts full and has no identifier.
    pub fn new(
        capacity: impl Into<BigInt>,
        tokens: impl Into<BigInt>,
        period: impl Into<BigInt>,
        style: Style,
    ) -> Self {
        Self {
            capacity: capacity.into(),
            tokens: tokens.into(),
            period: period.into(),
            style,
            initial: None,
            id: None,
        }
    }

    /// The same with other initial tokens.
    #[must_use]
    pub fn with_initial(mut self, initial: impl Into<BigInt>) -> Self {
        self.initial = Some(initial.into());
        self
    }

    /// The same with an identifier.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The first thing that is wrong with it, if anything.
    ///
    /// # Errors
    /// In this order: capacity, first refill, refill tokens, period, initial tokens.
    pub fn validate(&self) -> Result<(), Error> {
        Error::NonPositiveCapacity.unless(self.capacity.is_positive())?;
        if let Some(first) = self.style.first_refill() {
            Error::NegativeTimeOfFirstRefill.unless(!first.is_negative())?;
        }
        Error::NonPositiveRefillTokens.unless(self.tokens.is_positive())?;
        Error::PeriodOverflow.unless(self.period.to_i64().is_some())?;
        Error::NonPositivePeriod.unless(self.period.is_positive())?;
        if let Some(initial) = &self.initial {
            Error::NegativeInitialTokens.unless(!initial.is_negative())?;
            let adaptive = matches!(self.style, Style::Adaptive { .. });
            Error::AdaptiveConflictsWithInitialTokens.unless(!adaptive)?;
        }
        Ok(())
    }

    /// Validates each bandwidth of a bucket, then that there is one and that no identifier occurs twice.
    ///
    /// # Errors
    /// The first of [`validate`](Self::validate), [`Error::NoBandwidths`], [`Error::DuplicateBandwidthId`].
    pub fn validate_all(bandwidths: &[Self]) -> Result<(), Error> {
        for bandwidth in bandwidths {
            bandwidth.validate()?;
        }
        Error::NoBandwidths.unless(!bandwidths.is_empty())?;
        let mut seen = HashSet::new();
        for id in bandwidths.iter().filter_map(|b| b.id.as_deref()) {
            Error::DuplicateBandwidthId.unless(seen.insert(id))?;
        }
        Ok(())
    }

    /// What a clock of signed 64-bit instants, as that of the vectors, adds.
    ///
    /// # Errors
    /// [`Error::FirstRefillOverflow`].
    pub fn validate_instants(bandwidths: &[Self]) -> Result<(), Error> {
        let mut edges = bandwidths.iter().filter_map(|b| b.style.first_refill());
        Error::FirstRefillOverflow.unless(edges.all(|first| first.to_i64().is_some()))
    }

    /// What binding a bucket to a clock checks: edges mean nothing on a clock with an arbitrary origin.
    ///
    /// # Errors
    /// [`Error::AlignedRequiresWallClock`].
    pub fn validate_clock(bandwidths: &[Self], wall: bool) -> Result<(), Error> {
        let aligned = bandwidths.iter().any(|b| b.style.first_refill().is_some());
        Error::AlignedRequiresWallClock.unless(wall || !aligned)
    }
}
