//! The fixed-cycle limiter in one atomic word.

use super::error::AtomicError;
use super::window::Window;
use super::word::{Word, const_fn};
use crate::{CycleConfig, Permits, Wait};

/// Grants a fixed number of permits in each cycle, shared by `&self`: lock-free, 8 bytes of state, for
/// threads and interrupt handlers, in a `static`.
///
/// ```
/// use tokenweir::{AtomicCycleLimiter, CycleConfig, Permits, Wait, checked};
///
/// // 100 writes a day in milliseconds, days beginning at midnight of the clock.
/// const DAILY: CycleConfig = checked!(CycleConfig::new(100, 86_400_000)).aligned_to(0);
/// static FLASH: AtomicCycleLimiter = checked!(AtomicCycleLimiter::new(DAILY, 0));
///
/// let evening = 86_400_000 - 1;
/// assert!(FLASH.try_acquire(checked!(Permits::new(100)), evening));
/// assert!(!FLASH.try_acquire(Permits::ONE, evening));
/// assert_eq!(FLASH.wait(Permits::ONE, evening), Wait::Ticks(1));
/// assert!(FLASH.try_acquire(Permits::ONE, evening + 1));
/// assert_eq!(FLASH.cycle(evening + 1), 1);
/// ```
///
/// Its decisions are exactly those of a [`CycleLimiter`](crate::CycleLimiter), whatever the order in
/// which callers arrive. It has no reservations, hence no debt and no use for the timeout, and its
/// limit and period are for good: more permits than the limit are never granted. A reading earlier
/// than one it has seen, in an earlier cycle, neither takes nor gives permits.
///
/// A decision divides only when a new cycle has begun, on 32-bit targets without a division routine.
///
/// # The horizon
///
/// The word holds the number of the cycle beside the permits, and that number may wrap. Where a period
/// has at least four ticks for each permit, it never does. Otherwise the limiter may be left untouched
/// for [`max_idle`](Self::max_idle) ticks, in which 2⁶² permits or more would have been due: 146 years at
/// 10⁹ a second. If it is left for longer, it stays in its old cycle, for as long again at most; so does
/// a reading that is late, and one later than `max_idle` is taken for the next cycle.
///
/// On which targets, see [`AtomicBucket`](crate::AtomicBucket#targets).
#[doc(alias = "fixed window")]
#[doc(alias = "lock-free")]
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct AtomicCycleLimiter {
    word: Word,
    window: Window,
}

impl AtomicCycleLimiter {
    /// Whether no caller ever waits for another: false where `portable-atomic` uses a lock or a
    /// critical section that may take one.
    pub const IS_LOCK_FREE: bool = Word::IS_LOCK_FREE;

    const_fn! {
        /// A new limiter at `now`, with the whole limit.
        ///
        /// # Errors
        ///
        /// [`AtomicError::LimitTooLarge`] for more than `u32::MAX` permits, unless a period has at
        /// least four ticks for each of them.
        ///
        /// ```
        /// use tokenweir::{AtomicCycleLimiter, CycleConfig};
        ///
        /// // 10 GB a day fit in nanoseconds, and in seconds they do not.
        /// let daily = |hz: u64| CycleConfig::new(10_000_000_000, 86_400 * hz);
        /// assert!(AtomicCycleLimiter::new(daily(1_000_000_000)?, 0).is_ok());
        /// let error = AtomicCycleLimiter::new(daily(1)?, 0).unwrap_err();
        /// assert_eq!(error.code(), "atomic_limit_too_large");
        /// # Ok::<(), tokenweir::CycleConfigError>(())
        /// ```
        pub fn new(config: CycleConfig, now: u64) -> Result<Self, AtomicError> {
            match Window::new(&config, now) {
                Ok((window, word)) => Ok(Self {
                    word: Word::new(word),
                    window,
                }),
                Err(error) => Err(error),
            }
        }
    }

    /// Takes `n` permits if they are left in the current cycle; otherwise takes none.
    ///
    /// A refusal writes nothing, unless it finds a new cycle.
    #[must_use]
    #[inline]
    pub fn try_acquire(&self, n: Permits, now: u64) -> bool {
        let since = self.window.since(now);
        if n.get() > self.window.limit() {
            self.word.update(|word| self.window.begun(word, since));
            return false;
        }
        // A new cycle grants what is not above the limit: a refusal never has one to write.
        self.word
            .update(move |word| self.window.taken(self.window.refreshed(word, since), n))
    }

    /// Takes the permits left in the current cycle and returns how many that were.
    #[must_use = "this is the only way to know how many permits were taken"]
    pub fn drain(&self, now: u64) -> u64 {
        let since = self.window.since(now);
        let mut drained = 0;
        self.word.update(|word| {
            let fresh = self.window.refreshed(word, since);
            drained = self.window.balance(fresh);
            let empty = fresh.wrapping_sub(drained);
            if empty == word { None } else { Some(empty) }
        });
        drained
    }

    /// Permits left in the current cycle.
    #[must_use]
    pub fn available(&self, now: u64) -> u64 {
        self.window.balance(self.refreshed(now))
    }

    /// How long until there are `n` permits if nobody takes any, in ticks; never for more than the
    /// limit.
    #[must_use]
    pub fn wait(&self, n: Permits, now: u64) -> Wait {
        self.window.wait(self.refreshed(now), n.get(), now)
    }

    /// How long until the whole limit is there, in ticks.
    #[must_use]
    pub fn time_to_full(&self, now: u64) -> Wait {
        self.window
            .wait(self.refreshed(now), self.window.limit(), now)
    }

    /// The number of the current cycle; the limiter was created in cycle 0.
    #[must_use]
    pub fn cycle(&self, now: u64) -> u64 {
        self.window
            .number(self.refreshed(now), self.window.since(now))
    }

    /// Permits in each cycle.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.window.limit()
    }

    /// How long the limiter may stay untouched, in ticks.
    #[must_use]
    pub const fn max_idle(&self) -> u64 {
        self.window.max_idle()
    }

    fn refreshed(&self, now: u64) -> u64 {
        self.window
            .refreshed(self.word.get(), self.window.since(now))
    }
}
