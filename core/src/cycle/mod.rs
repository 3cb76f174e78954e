//! The fixed-cycle limiter.

#[cfg(feature = "alloc")]
mod composite;
pub(crate) mod config;
pub(crate) mod refusal;
pub(crate) mod state;

use crate::{CycleConfigError, CycleRefusal, Permits, Reservation, Wait};
use config::CycleConfig;
use state::CycleState;

/// Grants a fixed number of permits in each cycle.
///
/// Permits left at the end of a cycle are not carried over; reservations can take permits of later
/// cycles, which are then a debt that each cycle repays by its limit. Every operation takes the
/// instant `now`; a reading earlier than the one before neither takes nor gives permits. A query
/// changes nothing; a refused call takes nothing, but the limiter remembers that its cycle had come.
///
/// ```
/// use tokenweir::{CycleConfig, CycleLimiter, Permits, Wait};
///
/// let mut limiter = CycleLimiter::new(CycleConfig::new(2, 1_000)?, 500);
/// assert!(limiter.try_acquire(Permits::new(2)?, 600));
/// assert!(!limiter.try_acquire(Permits::ONE, 1_499));
/// assert_eq!(limiter.wait(Permits::ONE, 1_499), Wait::Ticks(1));
/// assert!(limiter.try_acquire(Permits::ONE, 1_500));
/// assert_eq!(limiter.cycle(1_500), 1);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[doc(alias = "fixed window")]
#[doc(alias = "quota")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CycleLimiter {
    config: CycleConfig,
    state: CycleState,
}

impl CycleLimiter {
    /// A new limiter at `now`, with the whole limit.
    #[must_use]
    pub const fn new(config: CycleConfig, now: u64) -> Self {
        let state = CycleState::new(&config, now);
        Self { config, state }
    }

    /// A limiter in this state.
    pub(crate) const fn from_state(config: CycleConfig, state: CycleState) -> Self {
        Self { config, state }
    }

    /// Takes `n` permits if they are left in the current cycle; otherwise takes none.
    #[must_use]
    #[inline]
    pub const fn try_acquire(&mut self, n: Permits, now: u64) -> bool {
        self.state.try_acquire(&self.config, n, now)
    }

    /// Takes `n` permits, to be used after a wait of at most the timeout (inclusive).
    ///
    /// `n` may be above the limit: such a reservation takes the permits of several cycles.
    ///
    /// ```
    /// use tokenweir::{CycleConfig, CycleLimiter, Permits, Wait};
    ///
    /// let config = CycleConfig::new(10, 1_000)?.with_timeout(1_000)?;
    /// let mut limiter = CycleLimiter::new(config, 0);
    /// let reservation = limiter.reserve(Permits::new(15)?, 400)?;
    /// assert_eq!((reservation.wait(), limiter.available(400)), (600, -5));
    /// // Six more come at 2 000, which is within the timeout from 1 000 on.
    /// let refusal = limiter.reserve(Permits::new(6)?, 400).unwrap_err();
    /// assert_eq!((refusal.wait, refusal.remaining), (Wait::Ticks(600), 0));
    /// assert!(limiter.reserve(Permits::new(6)?, 999).is_err());
    /// assert!(limiter.reserve(Permits::new(6)?, 1_000).is_ok());
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`CycleRefusal`] if the wait would exceed the timeout, or the debt `i64::MIN` permits; no
    /// permits are taken. It says when to ask again, which is [`Wait::Never`] where `n` permits can
    /// never pass within the timeout.
    pub const fn reserve(
        &mut self,
        n: Permits,
        now: u64,
    ) -> Result<Reservation<Permits>, CycleRefusal> {
        self.state.reserve(&self.config, n, now)
    }

    /// Gives the permits of a reservation back, up to the limit, if its time has not come; returns
    /// whether it did.
    pub const fn cancel(&mut self, reservation: Reservation<Permits>, now: u64) -> bool {
        self.state.cancel(&self.config, reservation, now)
    }

    /// Takes the permits left in the current cycle and returns how many that were; a debt stays.
    pub const fn drain(&mut self, now: u64) -> u64 {
        self.state.drain(&self.config, now)
    }

    /// Permits left in the current cycle; negative while reservations are owed, above the limit
    /// in a cycle whose limit was lowered.
    #[must_use]
    pub const fn available(&self, now: u64) -> i64 {
        self.state.available(&self.config, now)
    }

    /// How long until there are `n` permits if nobody takes any, in ticks; the timeout aside.
    #[must_use]
    pub const fn wait(&self, n: Permits, now: u64) -> Wait {
        self.state.wait(&self.config, n, now)
    }

    /// How long until the whole limit is there, in ticks.
    #[must_use]
    pub const fn time_to_full(&self, now: u64) -> Wait {
        self.state.time_to_full(&self.config, now)
    }

    /// The number of the current cycle; the limiter was created in cycle 0. Wraps after 2⁶⁴ cycles.
    #[must_use]
    pub const fn cycle(&self, now: u64) -> u64 {
        self.state.cycle(&self.config, now)
    }

    /// Changes the limit. Cycles that have ended are settled under the old limit first; the permits
    /// of the current one stay as they are until it ends.
    ///
    /// # Errors
    ///
    /// A [`CycleConfigError`] if the limit is 0 or above `i64::MAX`; nothing changes.
    pub fn change_limit(&mut self, limit: u64, now: u64) -> Result<(), CycleConfigError> {
        let config = self.config.with_limit(limit)?;
        self.replace(config, now);
        Ok(())
    }

    /// Changes how long reservations may wait, in ticks.
    ///
    /// # Errors
    ///
    /// [`CycleConfigError::TimeoutTooLarge`] above `i64::MAX`; nothing changes.
    pub fn change_timeout(&mut self, timeout: u64) -> Result<(), CycleConfigError> {
        self.config = self.config.with_timeout(timeout)?;
        Ok(())
    }

    /// Changes limit, period, timeout and alignment in one step.
    ///
    /// Cycles that have ended are settled under the old configuration first. The permits left, or
    /// the debt, stay as they are. If the period or the alignment changes, the current cycle goes
    /// on, under the same number, to the next edge of the new cycles: these are counted from `now`,
    /// or from the edge they are aligned to.
    pub fn replace(&mut self, config: CycleConfig, now: u64) {
        self.state = self.state.replaced(&self.config, &config, now);
        self.config = config;
    }

    /// The configuration.
    #[must_use]
    pub const fn config(&self) -> &CycleConfig {
        &self.config
    }

    /// The state, which can be kept with [`CycleLimiter::config`] elsewhere.
    #[must_use]
    pub const fn state(&self) -> &CycleState {
        &self.state
    }
}
