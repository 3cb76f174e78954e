//! A limiter that threads and tasks share, and wait for.

use core::fmt;
use core::future::Future;
use core::time::Duration;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::decision::Decision;
use super::error::LimitsError;
use super::limiter::Limiter;
use super::limits::Limits;
use super::reserve::LimiterReservation;
use crate::{Clock, ReserveError, TickRate, Tokens, TokensInheritance, Wait};

/// A [`Limiter`] with its clock behind a lock, for threads and tasks that ask it or wait for it.
///
/// Who waits has reserved: the tokens are taken when the wait begins, so that waiting is first come,
/// first served, a large cost is not starved by small ones, and a wait that would be too long is
/// refused at once instead of being slept through. There is no timer and no thread behind it: a
/// thread sleeps by itself, a task by the sleep function it brings. A wait that is given up (a
/// future that is dropped) returns its tokens; the waits of those behind it stay as they were
/// promised.
///
/// ```
/// use std::time::Duration;
/// use tokenweir::{Limits, MonotonicClock, SharedLimiter, Tokens};
///
/// let limiter = SharedLimiter::new(Limits::parse("100/s burst 1")?, MonotonicClock::new())?;
/// assert!(limiter.try_acquire(Tokens::ONE));
/// // Waits for 10 ms.
/// limiter.acquire(Tokens::ONE, Duration::from_secs(1))?;
/// // Would have to wait for longer than is allowed: refused at once.
/// assert!(limiter.acquire(Tokens::ONE, Duration::from_millis(1)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SharedLimiter<C> {
    limiter: Mutex<Limiter>,
    clock: C,
}

/// Why a cost was not acquired; nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AcquireError {
    /// The wait would be longer than the timeout.
    NotInTime {
        /// How long it would be.
        retry_after: Duration,
        /// Which limit would have to be waited for longest: its place in the limits.
        scope: usize,
    },
    /// The cost is above what one of the limits can ever have, or the wait beyond counting.
    Never {
        /// Which limit.
        scope: usize,
    },
}

/// A cost that was taken ahead of time; gives it back if it is dropped before.
struct Pending<'a, C: Clock> {
    limiter: &'a SharedLimiter<C>,
    reservation: Option<LimiterReservation>,
}

impl<C: Clock> SharedLimiter<C> {
    /// A new limiter that reads `clock`, which must count nanoseconds.
    ///
    /// # Errors
    ///
    /// [`LimitsError::AlignedRequiresWallClock`] if a limit is aligned and the clock does not tell
    /// civil time, [`LimitsError::RequiresNanoseconds`] for a clock of another unit.
    pub fn new(limits: Limits, clock: C) -> Result<Self, LimitsError> {
        check_clock(&limits, &clock)?;
        Ok(Self {
            limiter: Mutex::new(Limiter::new(limits, clock.now())),
            clock,
        })
    }

    /// As [`Limiter::try_acquire`].
    #[must_use]
    pub fn try_acquire(&self, cost: Tokens) -> bool {
        self.with(|limiter, now| limiter.try_acquire(cost, now))
    }

    /// As [`Limiter::check`].
    pub fn check(&self, cost: Tokens) -> Decision {
        self.with(|limiter, now| limiter.check(cost, now))
    }

    /// Takes `cost`, and blocks this thread until it may be used, for `timeout` at most (inclusive).
    ///
    /// # Errors
    ///
    /// An [`AcquireError`], at once: nobody sleeps for a refusal that is sure.
    pub fn acquire(&self, cost: Tokens, timeout: Duration) -> Result<(), AcquireError> {
        let mut pending = self.begin(cost, timeout)?;
        while let Some(rest) = pending.rest() {
            thread::sleep(rest);
        }
        pending.finish();
        Ok(())
    }

    /// Takes `cost`, and waits by `sleep` until it may be used, for `timeout` at most (inclusive).
    ///
    /// `sleep` is your runtime's, such as `tokio::time::sleep`; it is called again if it ends early.
    /// Dropping the future gives the cost back.
    ///
    /// # Errors
    ///
    /// An [`AcquireError`], without waiting.
    pub async fn acquire_async<F: Future<Output = ()>>(
        &self,
        cost: Tokens,
        timeout: Duration,
        mut sleep: impl FnMut(Duration) -> F,
    ) -> Result<(), AcquireError> {
        let mut pending = self.begin(cost, timeout)?;
        while let Some(rest) = pending.rest() {
            sleep(rest).await;
        }
        pending.finish();
        Ok(())
    }

    /// Replaces the limits, see [`Limiter::update`]. Those who wait keep what they were promised.
    ///
    /// # Errors
    ///
    /// As [`SharedLimiter::new`]; nothing changes.
    pub fn update(
        &self,
        limits: Limits,
        inheritance: TokensInheritance,
    ) -> Result<(), LimitsError> {
        check_clock(&limits, &self.clock)?;
        self.with(|limiter, now| limiter.update(limits, inheritance, now));
        Ok(())
    }

    /// Runs any operations on the limiter at the instant now, under one lock.
    pub fn with<R>(&self, run: impl FnOnce(&mut Limiter, u64) -> R) -> R {
        let mut limiter = self.lock();
        // Read under the lock, so that readings come in the order of the operations.
        run(&mut limiter, self.clock.now())
    }

    /// The clock.
    pub const fn clock(&self) -> &C {
        &self.clock
    }

    fn begin(&self, cost: Tokens, timeout: Duration) -> Result<Pending<'_, C>, AcquireError> {
        // What is beyond counting is no limit to the wait.
        let timeout = TickRate::NANOS.ticks_floor(timeout).unwrap_or(u64::MAX);
        self.with(|limiter, now| {
            let decision = limiter.check(cost, now);
            if decision.allowed {
                return Ok(None);
            }
            let scope = decision.scope;
            // Reservations may exceed what fits, a wait for them must not.
            if decision.never() {
                return Err(AcquireError::Never { scope });
            }
            let too_long = |wait: Wait| match wait {
                Wait::Ticks(ticks) => AcquireError::NotInTime {
                    retry_after: TickRate::NANOS.duration_ceil(ticks),
                    scope,
                },
                Wait::Never => AcquireError::Never { scope },
            };
            if timeout == 0 {
                return Err(too_long(decision.retry_after));
            }
            match limiter.reserve(cost, timeout, now) {
                Ok(reservation) => Ok(Some(reservation)),
                Err(ReserveError::NotInTime { wait }) => Err(too_long(wait)),
                Err(_) => Err(AcquireError::Never { scope }),
            }
        })
        .map(|reservation| Pending {
            limiter: self,
            reservation,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Limiter> {
        // A panic of a caller's `run` leaves a state that is still a state.
        self.limiter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Clock> Pending<'_, C> {
    /// How long is still to be waited, if at all.
    fn rest(&self) -> Option<Duration> {
        let ready_at = self.reservation.as_ref()?.ready_at();
        let rest = ready_at.checked_sub(self.limiter.clock.now())?;
        (rest > 0).then(|| TickRate::NANOS.duration_ceil(rest))
    }

    fn finish(&mut self) {
        self.reservation = None;
    }
}

impl<C: Clock> Drop for Pending<'_, C> {
    fn drop(&mut self) {
        if let Some(reservation) = self.reservation.take() {
            self.limiter
                .with(|limiter, now| limiter.cancel(reservation, now));
        }
    }
}

impl<C: fmt::Debug> fmt::Debug for SharedLimiter<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedLimiter")
            .field("limiter", &self.limiter)
            .field("clock", &self.clock)
            .finish()
    }
}

impl AcquireError {
    /// The stable code of this error: the same in every language and release.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotInTime { .. } => "not_in_time",
            Self::Never { .. } => "never",
        }
    }
}

impl fmt::Display for AcquireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInTime { retry_after, .. } => {
                write!(f, "the wait of {retry_after:?} is longer than the timeout")
            }
            Self::Never { .. } => f.write_str("the cost is above what a limit can ever have"),
        }
    }
}

impl core::error::Error for AcquireError {}

fn check_clock(limits: &Limits, clock: &impl Clock) -> Result<(), LimitsError> {
    if clock.rate() != TickRate::NANOS {
        return Err(LimitsError::RequiresNanoseconds {
            hz: clock.rate().hz(),
        });
    }
    limits.check_clock(clock.is_wall())
}
