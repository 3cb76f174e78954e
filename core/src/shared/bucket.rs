//! A bucket to wait for.

use core::cell::Cell;

use embedded_hal_async::delay::DelayNs;

use super::turn::{Turn, Turns};
use crate::{
    Bucket, BucketConfig, Clock, ClockedBucket, ConfigError, Reservation, ReserveError, Tokens,
};

/// A [`Bucket`] and its clock, shared by `&self` by the tasks of one executor, which can wait for
/// tokens.
///
/// It is not `Sync`: tasks of one thread, or of one executor of embassy, share it by reference. The
/// waiting itself is done by any delay of `embedded-hal-async`, such as `embassy_time::Delay`.
///
/// ```
/// # use tokenweir::Clock;
/// use tokenweir::{Bandwidth, ManualClock, SharedBucket, TickRate, Tokens};
/// # struct Delay<'a>(&'a ManualClock);
/// # impl embedded_hal_async::delay::DelayNs for Delay<'_> {
/// #     async fn delay_ns(&mut self, ns: u32) { self.0.advance(u64::from(ns) / 1_000_000); }
/// # }
/// # pollster::block_on(async {
/// # let clock = ManualClock::with_rate(0, TickRate::MILLIS);
/// # let mut delay = Delay(&clock);
///
/// // Two at once, and one each 500 ms.
/// let bucket = SharedBucket::new(Bandwidth::greedy(2, 2, 1_000)?.into(), &clock)?;
/// for _ in 0..5 {
///     bucket.acquire(Tokens::ONE, 10_000, &mut delay).await?;
/// }
/// // Two were there, three had to be waited for.
/// assert_eq!(clock.now(), 1_500);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct SharedBucket<const N: usize, C> {
    bucket: Cell<Bucket<N>>,
    clock: C,
}

impl<const N: usize, C: Clock> SharedBucket<N, C> {
    /// A new bucket that reads `clock`, whose ticks are the unit of the configuration.
    ///
    /// # Errors
    ///
    /// As [`ClockedBucket::new`].
    pub fn new(config: BucketConfig<N>, clock: C) -> Result<Self, ConfigError> {
        let bucket = *ClockedBucket::new(config, &clock)?.bucket();
        let bucket = Cell::new(bucket);
        Ok(Self { bucket, clock })
    }

    /// Takes `n` tokens and waits until they may be used, at most `max_wait` ticks (inclusive).
    ///
    /// Callers are served first come, first served: the tokens are taken at once, as a debt if need
    /// be, and each later caller waits for the debt of the earlier ones. `n` may be above the
    /// capacity. The wait is over when the clock says so, at the promised tick; how much later the
    /// task runs is up to the delay, which rounds up, and the executor.
    ///
    /// Dropping the future before its time has come gives the tokens back.
    ///
    /// # Errors
    ///
    /// As [`Bucket::reserve`], at once and without waiting; nothing is taken.
    pub async fn acquire(
        &self,
        n: Tokens,
        max_wait: u64,
        delay: &mut impl DelayNs,
    ) -> Result<(), ReserveError> {
        let reservation = self.with(|bucket, now| bucket.reserve(n, max_wait, now))?;
        Turn::new(self, reservation).wait(&self.clock, delay).await;
        Ok(())
    }

    /// As [`Bucket::try_consume`]: takes `n` tokens if they are there, without waiting.
    #[must_use]
    pub fn try_consume(&self, n: Tokens) -> bool {
        self.with(|bucket, now| bucket.try_consume(n, now))
    }

    /// As [`Bucket::available`].
    #[must_use]
    pub fn available(&self) -> i64 {
        self.bucket.get().available(self.clock.now())
    }

    /// Changes the bucket itself, at the instant that is the second argument: for all its other
    /// operations. The waits of callers that wait already stay as they are.
    ///
    /// A change that `change` makes through another reference to this bucket is lost.
    pub fn with<R>(&self, change: impl FnOnce(&mut Bucket<N>, u64) -> R) -> R {
        let now = self.clock.now();
        let mut bucket = self.bucket.get();
        let result = change(&mut bucket, now);
        self.bucket.set(bucket);
        result
    }

    /// The clock.
    #[must_use]
    pub const fn clock(&self) -> &C {
        &self.clock
    }
}

impl<const N: usize, C: Clock> Turns<Tokens> for SharedBucket<N, C> {
    fn cancel(&self, reservation: Reservation) {
        self.with(|bucket, now| bucket.cancel(reservation, now));
    }
}
