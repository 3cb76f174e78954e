//! The token bucket.

pub(crate) mod config;
pub(crate) mod inherit;
pub(crate) mod level;
pub(crate) mod narrow;
pub(crate) mod ops;
pub(crate) mod outcome;
pub(crate) mod snapshot;
pub(crate) mod state;

use crate::{ReserveError, SnapshotError, Tokens, Wait};
use config::BucketConfig;
use inherit::TokensInheritance;
use outcome::{Estimate, Probe, Reservation};
use snapshot::BucketSnapshot;
use state::BucketState;

/// A token bucket with one to `N` bandwidths, all of which must agree.
///
/// Every operation takes the instant `now`, in ticks of the unit that the periods are in; nothing
/// else is read. A reading earlier than the one before refills nothing, loses nothing and grants
/// nothing extra. A refused call, an estimate and a query change nothing.
///
/// To share one configuration between many states see [`BucketState`]; to have the clock read for
/// you see [`ClockedBucket`](crate::ClockedBucket).
///
/// ```
/// use tokenweir::{Bandwidth, Bucket, BucketConfig, Tokens};
///
/// // Ten a second in milliseconds, at most three at once, and at most 100 a minute.
/// let config = BucketConfig::new([
///     Bandwidth::greedy(3, 10, 1_000)?,
///     Bandwidth::greedy(100, 100, 60_000)?,
/// ])?;
/// let mut bucket = Bucket::new(config, 0);
/// assert!(bucket.try_consume(Tokens::new(3)?, 0));
/// assert!(!bucket.try_consume(Tokens::ONE, 99));
/// assert!(bucket.try_consume(Tokens::ONE, 100));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[doc(alias = "throttle")]
#[doc(alias = "leaky bucket")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Bucket<const N: usize> {
    config: BucketConfig<N>,
    state: BucketState<N>,
}

impl<const N: usize> Bucket<N> {
    /// A new bucket at `now`: full, or with the initial tokens of its bandwidths.
    #[must_use]
    pub const fn new(config: BucketConfig<N>, now: u64) -> Self {
        let state = BucketState::new(&config, now);
        Self { config, state }
    }

    /// A bucket in this state.
    pub(crate) const fn from_state(config: BucketConfig<N>, state: BucketState<N>) -> Self {
        Self { config, state }
    }

    /// A bucket with the state of a snapshot.
    ///
    /// # Errors
    ///
    /// A [`SnapshotError`] if the snapshot does not fit the configuration.
    pub fn restore(
        config: BucketConfig<N>,
        snapshot: &BucketSnapshot<N>,
    ) -> Result<Self, SnapshotError> {
        let state = BucketState::restore(&config, snapshot)?;
        Ok(Self { config, state })
    }

    /// Takes `n` tokens if every bandwidth has them; otherwise nothing changes.
    ///
    /// This is the hot path: it divides only where an interval or aligned refill passes an edge.
    #[must_use]
    #[inline(always)]
    pub fn try_consume(&mut self, n: Tokens, now: u64) -> bool {
        self.state.try_consume(&self.config, n, now)
    }

    /// As [`Bucket::try_consume`], with what is left, the wait and the time to full.
    ///
    /// ```
    /// use tokenweir::{Bandwidth, Bucket, Tokens, Wait};
    ///
    /// // 3 tokens each 10 ticks: one takes 3⅓ ticks, a wait is rounded up.
    /// let mut bucket = Bucket::new(Bandwidth::greedy(3, 3, 10)?.into(), 0);
    /// let _ = bucket.consume_up_to(Tokens::MAX, 0);
    /// let probe = bucket.try_consume_with_probe(Tokens::ONE, 0);
    /// assert_eq!((probe.consumed, probe.remaining), (false, 0));
    /// assert_eq!((probe.wait, probe.reset), (Wait::Ticks(4), Wait::Ticks(10)));
    /// assert!(!bucket.try_consume(Tokens::ONE, 3));
    /// assert!(bucket.try_consume(Tokens::ONE, 4));
    /// # Ok::<(), tokenweir::BandwidthError>(())
    /// ```
    pub fn try_consume_with_probe(&mut self, n: Tokens, now: u64) -> Probe {
        self.state.try_consume_with_probe(&self.config, n, now)
    }

    /// What [`Bucket::try_consume_with_probe`] would answer; nothing changes.
    pub fn estimate(&self, n: Tokens, now: u64) -> Estimate {
        self.state.estimate(&self.config, n, now)
    }

    /// Takes the tokens there are, at most `most`, and returns how many that were.
    ///
    /// [`Tokens::MAX`] takes all.
    #[doc(alias = "try_consume_as_much_as_possible")]
    #[must_use = "fewer tokens than asked for may have been taken"]
    pub fn consume_up_to(&mut self, most: Tokens, now: u64) -> u64 {
        self.state.consume_up_to(&self.config, most, now)
    }

    /// Takes `n` tokens whether they are there or not, and returns how long the debt lasts, in
    /// ticks, rounded up: 0 if they were there. `n` may be above the capacity.
    ///
    /// # Errors
    ///
    /// [`ReserveError::ReservationOverflow`] if the debt would exceed `i64::MIN` tokens or last
    /// longer than `i64::MAX` ticks; then nothing changes.
    pub fn consume_ignoring_limits(&mut self, n: Tokens, now: u64) -> Result<u64, ReserveError> {
        self.state.consume_ignoring_limits(&self.config, n, now)
    }

    /// Takes `n` tokens, to be used after a wait of at most `max_wait` ticks (inclusive).
    ///
    /// Reservations are served first come, first served: each later one waits for the debt of the
    /// earlier ones. `n` may be above the capacity.
    ///
    /// ```
    /// use tokenweir::{Bandwidth, Bucket, Tokens};
    ///
    /// let mut bucket = Bucket::new(Bandwidth::greedy(2, 1, 10)?.into(), 0);
    /// let reservation = bucket.reserve(Tokens::new(5)?, 60, 0)?;
    /// assert_eq!((reservation.wait(), bucket.available(0)), (30, -3));
    /// // Refused: it would have to wait for 4 tokens more.
    /// assert!(bucket.reserve(Tokens::ONE, 39, 0).is_err());
    /// // Given back before its time, it is as if it had never been made.
    /// assert!(bucket.cancel(reservation, 29));
    /// assert_eq!(bucket.available(29), 2);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ReserveError::NotInTime`] with the wait that would have been needed,
    /// [`ReserveError::NonPositiveWait`] for a `max_wait` of 0,
    /// [`ReserveError::ReservationOverflow`] for a debt beyond `i64::MIN` tokens. Nothing changes.
    pub fn reserve(
        &mut self,
        n: Tokens,
        max_wait: u64,
        now: u64,
    ) -> Result<Reservation, ReserveError> {
        self.state.reserve(&self.config, n, max_wait, now)
    }

    /// Gives the tokens of a reservation back, up to the capacity, if its time has not come; returns
    /// whether it did.
    ///
    /// The waits that later reservations were promised stay as they are.
    pub fn cancel(&mut self, reservation: Reservation, now: u64) -> bool {
        self.state.cancel(&self.config, reservation, now)
    }

    /// Adds `n` tokens, up to the capacity; a bucket that holds more is left as it is.
    pub fn add(&mut self, n: Tokens, now: u64) {
        self.state.add(&self.config, n, now);
    }

    /// Adds `n` tokens, beyond the capacity if need be, up to `i64::MAX`.
    ///
    /// While there are more tokens than the capacity, nothing is refilled and nothing expires.
    pub fn force_add(&mut self, n: Tokens, now: u64) {
        self.state.force_add(&self.config, n, now);
    }

    /// Fills every bandwidth to its capacity, whatever the initial tokens were; tokens above it are
    /// lost.
    pub fn reset(&mut self, now: u64) {
        self.state.reset(&self.config, now);
    }

    /// The tokens there are now, rounded down: those of the emptiest bandwidth. Negative while
    /// reservations are owed.
    #[must_use]
    pub fn available(&self, now: u64) -> i64 {
        self.state.available(&self.config, now)
    }

    /// How long until every bandwidth is at capacity, in ticks, rounded up.
    #[must_use]
    pub fn time_to_full(&self, now: u64) -> Wait {
        self.state.time_to_full(&self.config, now)
    }

    /// The tokens of each bandwidth now, rounded down, in the order of the configuration.
    pub fn available_of_each(&self, now: u64) -> impl ExactSizeIterator<Item = i64> {
        self.state.available_of_each(&self.config, now)
    }

    /// Replaces the configuration; what becomes of the tokens is for `inheritance` to say.
    ///
    /// The bucket is refilled under the old configuration first. A bandwidth that is aligned after
    /// the replacement refills on its own grid, any other goes on from the last refill of the one
    /// it takes over.
    ///
    /// ```
    /// use tokenweir::{Bandwidth, Bucket, TokensInheritance};
    ///
    /// let mut bucket = Bucket::new(Bandwidth::greedy(10, 10, 60)?.with_initial_tokens(6)?.into(), 0);
    /// bucket.replace(
    ///     Bandwidth::greedy(20, 20, 60)?.into(),
    ///     TokensInheritance::Proportional,
    ///     0,
    /// );
    /// assert_eq!(bucket.available(0), 12);
    /// # Ok::<(), tokenweir::BandwidthError>(())
    /// ```
    pub fn replace(&mut self, config: BucketConfig<N>, inheritance: TokensInheritance, now: u64) {
        self.state = self.state.replaced(&self.config, &config, inheritance, now);
        self.config = config;
    }

    /// The state as numbers, to be kept and given to [`Bucket::restore`].
    #[must_use]
    pub fn snapshot(&self) -> BucketSnapshot<N> {
        self.state.snapshot(&self.config)
    }

    /// The configuration.
    #[must_use]
    pub const fn config(&self) -> &BucketConfig<N> {
        &self.config
    }

    /// The state, which can be kept with [`Bucket::config`] elsewhere.
    #[must_use]
    pub const fn state(&self) -> &BucketState<N> {
        &self.state
    }
}
