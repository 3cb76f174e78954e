//! A fixed-cycle limiter to wait for.

use core::cell::Cell;

use embedded_hal_async::delay::DelayNs;

use super::turn::{Turn, Turns};
use crate::{
    Clock, ClockedCycle, CycleConfig, CycleConfigError, CycleLimiter, CycleRefusal, Permits,
    Reservation,
};

/// A [`CycleLimiter`] and its clock, shared by `&self` by the tasks of one executor, which can wait
/// for permits; otherwise as a [`SharedBucket`](crate::SharedBucket).
///
/// ```
/// # use tokenweir::Clock;
/// use tokenweir::{CycleConfig, ManualClock, Permits, SharedCycle, TickRate};
/// # struct Delay<'a>(&'a ManualClock);
/// # impl embedded_hal_async::delay::DelayNs for Delay<'_> {
/// #     async fn delay_ns(&mut self, ns: u32) { self.0.advance(u64::from(ns) / 1_000_000); }
/// # }
/// # pollster::block_on(async {
/// # let clock = ManualClock::with_rate(0, TickRate::MILLIS);
/// # let mut delay = Delay(&clock);
///
/// // 10 a minute; whoever would have to wait for more than a minute is refused.
/// let config = CycleConfig::new(10, 60_000)?.with_timeout(60_000)?;
/// let limiter = SharedCycle::new(config, &clock)?;
/// limiter.acquire(Permits::new(10)?, &mut delay).await?;
/// limiter.acquire(Permits::ONE, &mut delay).await?;
/// assert_eq!(clock.now(), 60_000);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct SharedCycle<C> {
    limiter: Cell<CycleLimiter>,
    clock: C,
}

impl<C: Clock> SharedCycle<C> {
    /// A new limiter that reads `clock`, whose ticks are the unit of the configuration.
    ///
    /// # Errors
    ///
    /// As [`ClockedCycle::new`].
    pub fn new(config: CycleConfig, clock: C) -> Result<Self, CycleConfigError> {
        let limiter = *ClockedCycle::new(config, &clock)?.limiter();
        let limiter = Cell::new(limiter);
        Ok(Self { limiter, clock })
    }

    /// Takes `n` permits and waits until they may be used, at most the timeout (inclusive).
    ///
    /// As [`SharedBucket::acquire`](crate::SharedBucket::acquire): first come, first served, and
    /// dropping the future before its time has come gives the permits back.
    ///
    /// # Errors
    ///
    /// As [`CycleLimiter::reserve`], at once and without waiting; nothing is taken.
    pub async fn acquire(&self, n: Permits, delay: &mut impl DelayNs) -> Result<(), CycleRefusal> {
        let reservation = self.with(|limiter, now| limiter.reserve(n, now))?;
        Turn::new(self, reservation).wait(&self.clock, delay).await;
        Ok(())
    }

    /// As [`CycleLimiter::try_acquire`]: takes `n` permits if they are left, without waiting.
    #[must_use]
    pub fn try_acquire(&self, n: Permits) -> bool {
        self.with(|limiter, now| limiter.try_acquire(n, now))
    }

    /// As [`CycleLimiter::available`].
    #[must_use]
    pub fn available(&self) -> i64 {
        self.limiter.get().available(self.clock.now())
    }

    /// Changes the limiter itself, at the instant that is the second argument: for all its other
    /// operations. The waits of callers that wait already stay as they are.
    ///
    /// A change that `change` makes through another reference to this limiter is lost.
    pub fn with<R>(&self, change: impl FnOnce(&mut CycleLimiter, u64) -> R) -> R {
        let now = self.clock.now();
        let mut limiter = self.limiter.get();
        let result = change(&mut limiter, now);
        self.limiter.set(limiter);
        result
    }

    /// The clock.
    #[must_use]
    pub const fn clock(&self) -> &C {
        &self.clock
    }
}

impl<C: Clock> Turns<Permits> for SharedCycle<C> {
    fn cancel(&self, reservation: Reservation<Permits>) {
        self.with(|limiter, now| limiter.cancel(reservation, now));
    }
}
