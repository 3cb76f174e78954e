//! Limiters that read their clock themselves.

use super::Clock;
use crate::{
    Bucket, BucketConfig, ConfigError, CycleConfig, CycleConfigError, CycleLimiter, CycleRefusal,
    Estimate, Permits, Probe, Reservation, ReserveError, Tokens, TokensInheritance, Wait,
};

/// A [`Bucket`] bound to a clock: the same operations, without `now`.
///
/// ```
/// use core::time::Duration;
/// use tokenweir::{Bandwidth, Clock, ClockedBucket, ManualClock, Tokens};
///
/// let clock = ManualClock::new(0);
/// let limit = Bandwidth::per(10, Duration::from_secs(60), clock.rate())?;
/// let mut bucket = ClockedBucket::new(limit.into(), &clock)?;
/// assert!(bucket.try_consume(Tokens::new(10)?));
/// let probe = bucket.try_consume_with_probe(Tokens::ONE);
/// let wait = clock.rate().duration_ceil(probe.wait.ticks().unwrap());
/// assert_eq!(wait, Duration::from_secs(6));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ClockedBucket<const N: usize, C> {
    bucket: Bucket<N>,
    clock: C,
}

impl<const N: usize, C: Clock> ClockedBucket<N, C> {
    /// A new bucket that reads `clock`, whose ticks are the unit of the configuration.
    ///
    /// # Errors
    ///
    /// [`ConfigError::AlignedRequiresWallClock`] if a bandwidth is aligned and the clock does not
    /// tell civil time.
    pub fn new(config: BucketConfig<N>, clock: C) -> Result<Self, ConfigError> {
        check_bucket(&config, &clock)?;
        Ok(Self {
            bucket: Bucket::new(config, clock.now()),
            clock,
        })
    }

    /// A bucket with the state it has that reads `clock` from now on.
    ///
    /// # Errors
    ///
    /// As [`ClockedBucket::new`].
    pub fn with_bucket(bucket: Bucket<N>, clock: C) -> Result<Self, ConfigError> {
        check_bucket(bucket.config(), &clock)?;
        Ok(Self { bucket, clock })
    }

    /// As [`Bucket::try_consume`].
    #[must_use]
    #[inline]
    pub fn try_consume(&mut self, n: Tokens) -> bool {
        self.bucket.try_consume(n, self.clock.now())
    }

    /// As [`Bucket::try_consume_with_probe`].
    pub fn try_consume_with_probe(&mut self, n: Tokens) -> Probe {
        self.bucket.try_consume_with_probe(n, self.clock.now())
    }

    /// As [`Bucket::estimate`].
    pub fn estimate(&self, n: Tokens) -> Estimate {
        self.bucket.estimate(n, self.clock.now())
    }

    /// As [`Bucket::consume_up_to`].
    #[must_use = "fewer tokens than asked for may have been taken"]
    pub fn consume_up_to(&mut self, most: Tokens) -> u64 {
        self.bucket.consume_up_to(most, self.clock.now())
    }

    /// As [`Bucket::consume_ignoring_limits`].
    ///
    /// # Errors
    ///
    /// As [`Bucket::consume_ignoring_limits`].
    pub fn consume_ignoring_limits(&mut self, n: Tokens) -> Result<u64, ReserveError> {
        self.bucket.consume_ignoring_limits(n, self.clock.now())
    }

    /// As [`Bucket::reserve`].
    ///
    /// # Errors
    ///
    /// As [`Bucket::reserve`].
    pub fn reserve(&mut self, n: Tokens, max_wait: u64) -> Result<Reservation, ReserveError> {
        self.bucket.reserve(n, max_wait, self.clock.now())
    }

    /// As [`Bucket::cancel`].
    pub fn cancel(&mut self, reservation: Reservation) -> bool {
        self.bucket.cancel(reservation, self.clock.now())
    }

    /// As [`Bucket::add`].
    pub fn add(&mut self, n: Tokens) {
        self.bucket.add(n, self.clock.now());
    }

    /// As [`Bucket::force_add`].
    pub fn force_add(&mut self, n: Tokens) {
        self.bucket.force_add(n, self.clock.now());
    }

    /// As [`Bucket::reset`].
    pub fn reset(&mut self) {
        self.bucket.reset(self.clock.now());
    }

    /// As [`Bucket::available`].
    #[must_use]
    pub fn available(&self) -> i64 {
        self.bucket.available(self.clock.now())
    }

    /// As [`Bucket::available_of_each`].
    pub fn available_of_each(&self) -> impl ExactSizeIterator<Item = i64> {
        self.bucket.available_of_each(self.clock.now())
    }

    /// As [`Bucket::time_to_full`].
    #[must_use]
    pub fn time_to_full(&self) -> Wait {
        self.bucket.time_to_full(self.clock.now())
    }

    /// As [`Bucket::replace`].
    ///
    /// # Errors
    ///
    /// As [`ClockedBucket::new`]; nothing changes.
    pub fn replace(
        &mut self,
        config: BucketConfig<N>,
        inheritance: TokensInheritance,
    ) -> Result<(), ConfigError> {
        check_bucket(&config, &self.clock)?;
        self.bucket.replace(config, inheritance, self.clock.now());
        Ok(())
    }

    /// The bucket, for questions at another instant.
    #[must_use]
    pub const fn bucket(&self) -> &Bucket<N> {
        &self.bucket
    }

    /// The clock.
    #[must_use]
    pub const fn clock(&self) -> &C {
        &self.clock
    }
}

/// A [`CycleLimiter`] bound to a clock: the same operations, without `now`.
///
/// ```
/// use tokenweir::{ClockedCycle, CycleConfig, ManualClock, Permits};
///
/// let clock = ManualClock::new(0);
/// let mut limiter = ClockedCycle::new(CycleConfig::new(1, 100)?, &clock)?;
/// assert!(limiter.try_acquire(Permits::ONE));
/// assert!(!limiter.try_acquire(Permits::ONE));
/// clock.advance(100);
/// assert!(limiter.try_acquire(Permits::ONE));
/// # Ok::<(), tokenweir::CycleConfigError>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ClockedCycle<C> {
    limiter: CycleLimiter,
    clock: C,
}

impl<C: Clock> ClockedCycle<C> {
    /// A new limiter that reads `clock`, whose ticks are the unit of the configuration.
    ///
    /// # Errors
    ///
    /// [`CycleConfigError::AlignedRequiresWallClock`] if the cycles are aligned to an edge and the
    /// clock does not tell civil time.
    pub fn new(config: CycleConfig, clock: C) -> Result<Self, CycleConfigError> {
        check_cycle(&config, &clock)?;
        Ok(Self {
            limiter: CycleLimiter::new(config, clock.now()),
            clock,
        })
    }

    /// As [`CycleLimiter::try_acquire`].
    #[must_use]
    #[inline]
    pub fn try_acquire(&mut self, n: Permits) -> bool {
        self.limiter.try_acquire(n, self.clock.now())
    }

    /// As [`CycleLimiter::reserve`].
    ///
    /// # Errors
    ///
    /// As [`CycleLimiter::reserve`].
    pub fn reserve(&mut self, n: Permits) -> Result<Reservation<Permits>, CycleRefusal> {
        self.limiter.reserve(n, self.clock.now())
    }

    /// As [`CycleLimiter::cancel`].
    pub fn cancel(&mut self, reservation: Reservation<Permits>) -> bool {
        self.limiter.cancel(reservation, self.clock.now())
    }

    /// As [`CycleLimiter::drain`].
    pub fn drain(&mut self) -> u64 {
        self.limiter.drain(self.clock.now())
    }

    /// As [`CycleLimiter::available`].
    #[must_use]
    pub fn available(&self) -> i64 {
        self.limiter.available(self.clock.now())
    }

    /// As [`CycleLimiter::wait`].
    #[must_use]
    pub fn wait(&self, n: Permits) -> Wait {
        self.limiter.wait(n, self.clock.now())
    }

    /// As [`CycleLimiter::time_to_full`].
    #[must_use]
    pub fn time_to_full(&self) -> Wait {
        self.limiter.time_to_full(self.clock.now())
    }

    /// As [`CycleLimiter::cycle`].
    #[must_use]
    pub fn cycle(&self) -> u64 {
        self.limiter.cycle(self.clock.now())
    }

    /// As [`CycleLimiter::change_limit`].
    ///
    /// # Errors
    ///
    /// As [`CycleLimiter::change_limit`].
    pub fn change_limit(&mut self, limit: u64) -> Result<(), CycleConfigError> {
        self.limiter.change_limit(limit, self.clock.now())
    }

    /// As [`CycleLimiter::change_timeout`].
    ///
    /// # Errors
    ///
    /// As [`CycleLimiter::change_timeout`].
    pub fn change_timeout(&mut self, timeout: u64) -> Result<(), CycleConfigError> {
        self.limiter.change_timeout(timeout)
    }

    /// As [`CycleLimiter::replace`].
    ///
    /// # Errors
    ///
    /// As [`ClockedCycle::new`]; nothing changes.
    pub fn replace(&mut self, config: CycleConfig) -> Result<(), CycleConfigError> {
        check_cycle(&config, &self.clock)?;
        self.limiter.replace(config, self.clock.now());
        Ok(())
    }

    /// The limiter, for questions at another instant.
    #[must_use]
    pub const fn limiter(&self) -> &CycleLimiter {
        &self.limiter
    }

    /// The clock.
    #[must_use]
    pub const fn clock(&self) -> &C {
        &self.clock
    }
}

fn check_bucket<const N: usize>(
    config: &BucketConfig<N>,
    clock: &impl Clock,
) -> Result<(), ConfigError> {
    if config.is_aligned() && !clock.is_wall() {
        return Err(ConfigError::AlignedRequiresWallClock);
    }
    Ok(())
}

fn check_cycle(config: &CycleConfig, clock: &impl Clock) -> Result<(), CycleConfigError> {
    if config.edge().is_some() && !clock.is_wall() {
        return Err(CycleConfigError::AlignedRequiresWallClock);
    }
    Ok(())
}
