//! The state of a bucket, apart from its configuration.

use super::config::BucketConfig;
use super::level::Level;
use super::ops;
use super::outcome::{Estimate, Probe, Reservation};
use super::snapshot::{self, BucketSnapshot};
use crate::{ReserveError, SnapshotError, Tokens, TokensInheritance, Wait};

/// How full a bucket is: 24 bytes for each bandwidth.
///
/// Kept apart from the [`BucketConfig`], so that thousands of callers can share one; a
/// [`Bucket`](crate::Bucket) is a state together with its configuration, and there each operation
/// is described. A state has a meaning only with the configuration it was made for.
///
/// ```
/// use std::collections::HashMap;
/// use tokenweir::{Bandwidth, BucketConfig, BucketState, Tokens};
///
/// // One token a second for each client, in milliseconds.
/// let config = BucketConfig::from(Bandwidth::greedy(1, 1, 1_000)?);
/// let mut clients = HashMap::new();
/// let mut allowed = |client: &'static str, now| {
///     let state = clients.entry(client).or_insert_with(|| BucketState::new(&config, now));
///     state.try_consume(&config, Tokens::ONE, now)
/// };
/// assert!(allowed("a", 0));
/// assert!(allowed("b", 0));
/// assert!(!allowed("a", 999));
/// assert!(allowed("a", 1_000));
/// # Ok::<(), tokenweir::BandwidthError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BucketState<const N: usize> {
    pub(crate) levels: [Level; N],
}

impl<const N: usize> BucketState<N> {
    /// The state of a new bucket at `now`.
    #[must_use]
    pub const fn new(config: &BucketConfig<N>, now: u64) -> Self {
        let mut levels = [Level::UNUSED; N];
        // Iterators are not const.
        let (mut places, mut limits): (&mut [Level], _) = (&mut levels, config.bandwidths());
        while let ([place, more_places @ ..], [limit, more_limits @ ..]) = (places, limits) {
            *place = Level::new(limit, now);
            (places, limits) = (more_places, more_limits);
        }
        Self { levels }
    }

    /// As [`Bucket::try_consume`](crate::Bucket::try_consume).
    #[must_use]
    #[inline(always)]
    pub fn try_consume(&mut self, config: &BucketConfig<N>, n: Tokens, now: u64) -> bool {
        // Known at compile time: a bucket of one needs neither its count nor a loop.
        if let ([limit], [level]) = (config.places().as_slice(), self.levels.as_mut_slice()) {
            return level.try_take(limit, n, now);
        }
        ops::try_consume_several(config.bandwidths(), &mut self.levels, n, now)
    }

    /// As [`Bucket::try_consume_with_probe`](crate::Bucket::try_consume_with_probe).
    pub fn try_consume_with_probe(
        &mut self,
        config: &BucketConfig<N>,
        n: Tokens,
        now: u64,
    ) -> Probe {
        ops::probe(config.bandwidths(), &mut self.levels, n, now)
    }

    /// As [`Bucket::estimate`](crate::Bucket::estimate).
    pub fn estimate(&self, config: &BucketConfig<N>, n: Tokens, now: u64) -> Estimate {
        ops::estimate(config.bandwidths(), &self.levels, n, now)
    }

    /// As [`Bucket::consume_up_to`](crate::Bucket::consume_up_to).
    #[must_use = "fewer tokens than asked for may have been taken"]
    pub fn consume_up_to(&mut self, config: &BucketConfig<N>, most: Tokens, now: u64) -> u64 {
        ops::consume_up_to(config.bandwidths(), &mut self.levels, most, now)
    }

    /// As [`Bucket::consume_ignoring_limits`](crate::Bucket::consume_ignoring_limits).
    ///
    /// # Errors
    ///
    /// As [`Bucket::consume_ignoring_limits`](crate::Bucket::consume_ignoring_limits).
    pub fn consume_ignoring_limits(
        &mut self,
        config: &BucketConfig<N>,
        n: Tokens,
        now: u64,
    ) -> Result<u64, ReserveError> {
        ops::consume_ignoring_limits(config.bandwidths(), &mut self.levels, n, now)
    }

    /// As [`Bucket::reserve`](crate::Bucket::reserve).
    ///
    /// # Errors
    ///
    /// As [`Bucket::reserve`](crate::Bucket::reserve).
    pub fn reserve(
        &mut self,
        config: &BucketConfig<N>,
        n: Tokens,
        max_wait: u64,
        now: u64,
    ) -> Result<Reservation, ReserveError> {
        ops::reserve(config.bandwidths(), &mut self.levels, n, max_wait, now)
    }

    /// As [`Bucket::cancel`](crate::Bucket::cancel).
    pub fn cancel(&mut self, config: &BucketConfig<N>, reservation: Reservation, now: u64) -> bool {
        ops::cancel(config.bandwidths(), &mut self.levels, reservation, now)
    }

    /// As [`Bucket::add`](crate::Bucket::add).
    pub fn add(&mut self, config: &BucketConfig<N>, n: Tokens, now: u64) {
        ops::add(config.bandwidths(), &mut self.levels, n, now);
    }

    /// As [`Bucket::force_add`](crate::Bucket::force_add).
    pub fn force_add(&mut self, config: &BucketConfig<N>, n: Tokens, now: u64) {
        ops::force_add(config.bandwidths(), &mut self.levels, n, now);
    }

    /// As [`Bucket::reset`](crate::Bucket::reset).
    pub fn reset(&mut self, config: &BucketConfig<N>, now: u64) {
        ops::reset(config.bandwidths(), &mut self.levels, now);
    }

    /// As [`Bucket::available`](crate::Bucket::available).
    #[must_use]
    pub fn available(&self, config: &BucketConfig<N>, now: u64) -> i64 {
        ops::available(config.bandwidths(), &self.levels, now)
    }

    /// As [`Bucket::time_to_full`](crate::Bucket::time_to_full).
    #[must_use]
    pub fn time_to_full(&self, config: &BucketConfig<N>, now: u64) -> Wait {
        ops::time_to_full(config.bandwidths(), &self.levels, now)
    }

    /// As [`Bucket::available_of_each`](crate::Bucket::available_of_each).
    pub fn available_of_each(
        &self,
        config: &BucketConfig<N>,
        now: u64,
    ) -> impl ExactSizeIterator<Item = i64> {
        ops::available_of_each(config.bandwidths(), &self.levels, now)
    }

    /// The state that takes over from this one when `old` is replaced by `new`, see
    /// [`Bucket::replace`](crate::Bucket::replace).
    #[must_use]
    pub fn replaced(
        &self,
        old: &BucketConfig<N>,
        new: &BucketConfig<N>,
        inheritance: TokensInheritance,
        now: u64,
    ) -> Self {
        let mut levels = [Level::UNUSED; N];
        ops::inherit(
            (old.bandwidths(), &self.levels),
            (new.bandwidths(), &mut levels),
            inheritance,
            now,
        );
        Self { levels }
    }

    /// The numbers of this state, see [`Bucket::snapshot`](crate::Bucket::snapshot).
    #[must_use]
    pub fn snapshot(&self, config: &BucketConfig<N>) -> BucketSnapshot<N> {
        BucketSnapshot::of(config, self)
    }

    /// The state with these numbers, see [`Bucket::restore`](crate::Bucket::restore).
    ///
    /// # Errors
    ///
    /// A [`SnapshotError`] if the numbers do not fit the configuration.
    pub fn restore(
        config: &BucketConfig<N>,
        snapshot: &BucketSnapshot<N>,
    ) -> Result<Self, SnapshotError> {
        snapshot::restored(config.bandwidths(), snapshot.levels()).map(|levels| Self { levels })
    }
}
