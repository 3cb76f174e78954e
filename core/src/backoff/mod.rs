//! How long to wait before trying again: exponential back-off that listens to the server.
//!
//! Nothing here sleeps, reads a clock or makes random numbers: the time since the first try and 64
//! random bits are arguments, the delay is the answer. All intervals are in ticks of a unit of your
//! choice.
//!
//! ```
//! use tokenweir::Wait;
//! use tokenweir::backoff::{Backoff, Jitter, Ratio, Retry};
//!
//! // In milliseconds: 500, 750, 1125, ... at most 10 s, three retries, all within 30 s.
//! let backoff = Backoff::exponential(500, Ratio::new(3, 2)?)?
//!     .with_max(10_000)?
//!     .with_jitter(Jitter::Equal)?
//!     .with_max_retries(3)
//!     .with_budget(30_000);
//! let mut retry = Retry::new(&backoff);
//! let random = u64::MAX; // From a generator of yours.
//! assert_eq!(retry.next_delay(&backoff, 0, random, Wait::NONE), Ok(500));
//! // The server said `Retry-After: 6`: not a moment earlier.
//! assert_eq!(retry.next_delay(&backoff, 600, random, Wait::Ticks(6_000)), Ok(6_000));
//! // It asks for more than is left.
//! let refused = retry.next_delay(&backoff, 6_700, random, Wait::Ticks(60_000)).unwrap_err();
//! assert_eq!(refused.code(), "retry_budget_exhausted");
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```

mod error;
mod jitter;
mod ratio;
mod retry;

pub use error::{BackoffError, GiveUp, RatioError};
pub use jitter::Jitter;
pub use ratio::Ratio;
pub use retry::Retry;

use crate::arith;

/// When to try again, and when to give up: a configuration, shared by all calls.
///
/// The interval before the k-th retry is the one before it times the multiplier, rounded down to
/// the tick as in Resilience4j, with two differences: a multiplier above one always adds at least
/// one tick (1 ms × 1.5 would stay 1 ms for ever), and an interval never falls below one tick (a
/// multiplier below one would end in a busy loop). Intervals stop at the maximum, at most
/// `i64::MAX`.
#[doc(alias = "retry")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Backoff {
    initial: u64,
    multiplier: Ratio,
    max: u64,
    jitter: Jitter,
    max_retries: Option<u32>,
    budget: Option<u64>,
    longest_retry_after: Option<u64>,
}

impl Backoff {
    /// The same interval each time, in ticks.
    ///
    /// # Errors
    ///
    /// [`BackoffError::NonPositiveInitial`] for 0, [`BackoffError::InitialOverflow`] above
    /// `i64::MAX`.
    pub const fn fixed(interval: u64) -> Result<Self, BackoffError> {
        Self::exponential(interval, Ratio::ONE)
    }

    /// `initial` ticks before the first retry, `multiplier` times more before each later one;
    /// without jitter, and without an end.
    ///
    /// # Errors
    ///
    /// As [`Backoff::fixed`], and [`BackoffError::NonPositiveMultiplier`] for 0.
    pub const fn exponential(initial: u64, multiplier: Ratio) -> Result<Self, BackoffError> {
        if initial == 0 {
            return Err(BackoffError::NonPositiveInitial);
        }
        if initial > arith::MAX {
            return Err(BackoffError::InitialOverflow { initial });
        }
        if multiplier.numerator() == 0 {
            return Err(BackoffError::NonPositiveMultiplier);
        }
        Ok(Self {
            initial,
            multiplier,
            max: arith::MAX,
            jitter: Jitter::None,
            max_retries: None,
            budget: None,
            longest_retry_after: None,
        })
    }

    /// No interval is longer than `max` ticks, jitter included; the server may ask for more. A
    /// maximum below the first interval shortens that as well.
    ///
    /// # Errors
    ///
    /// [`BackoffError::NonPositiveMax`] for 0, [`BackoffError::MaxOverflow`] above `i64::MAX`.
    pub const fn with_max(mut self, max: u64) -> Result<Self, BackoffError> {
        if max == 0 {
            return Err(BackoffError::NonPositiveMax);
        }
        if max > arith::MAX {
            return Err(BackoffError::MaxOverflow { max });
        }
        self.max = max;
        Ok(self)
    }

    /// Randomises each interval.
    ///
    /// An interval is cut to the maximum first and randomised afterwards, within the maximum: cut
    /// afterwards, as in Resilience4j, all long intervals would be the maximum exactly, and clients
    /// that failed together would come back together.
    ///
    /// # Errors
    ///
    /// [`BackoffError::JitterAboveOne`].
    pub const fn with_jitter(mut self, jitter: Jitter) -> Result<Self, BackoffError> {
        match jitter.check() {
            Ok(()) => {
                self.jitter = jitter;
                Ok(self)
            }
            Err(error) => Err(error),
        }
    }

    /// At most this many retries: tries after the first.
    #[must_use]
    pub const fn with_max_retries(mut self, retries: u32) -> Self {
        self.max_retries = Some(retries);
        self
    }

    /// No retry later than `ticks` after the first try (inclusive).
    #[must_use]
    pub const fn with_budget(mut self, ticks: u64) -> Self {
        self.budget = Some(ticks);
        self
    }

    /// Gives up when the server asks for more than `ticks` (inclusive).
    #[must_use]
    pub const fn with_longest_retry_after(mut self, ticks: u64) -> Self {
        self.longest_retry_after = Some(ticks);
        self
    }

    /// The interval before retry `attempt`, counted from 1, without jitter, in ticks.
    ///
    /// Takes up to `attempt` steps, fewer once the maximum is reached; [`Retry`] takes one.
    ///
    /// # Errors
    ///
    /// [`BackoffError::NonPositiveAttempt`] for 0.
    pub const fn interval(&self, attempt: u32) -> Result<u64, BackoffError> {
        let Some(mut steps) = attempt.checked_sub(1) else {
            return Err(BackoffError::NonPositiveAttempt);
        };
        let mut interval = self.first();
        while let Some(left) = steps.checked_sub(1) {
            let next = self.after(interval);
            if next == interval {
                break;
            }
            (interval, steps) = (next, left);
        }
        Ok(interval)
    }

    /// An interval with its jitter, in ticks: from 1 to the maximum. `random` are 64 random bits.
    #[must_use]
    pub const fn jittered(&self, interval: u64, random: u64) -> u64 {
        let (low, high) = self.jitter.bounds(interval, self.max);
        arith::between(low, high, random)
    }

    /// The interval before the first retry.
    const fn first(&self) -> u64 {
        if self.initial > self.max {
            self.max
        } else {
            self.initial
        }
    }

    /// The interval after one of `interval` ticks.
    const fn after(&self, interval: u64) -> u64 {
        let (numerator, denominator) = (self.multiplier.numerator(), self.multiplier.denominator());
        let scaled = arith::scale_floor(interval, numerator, denominator);
        let least = if self.multiplier.is_above_one() {
            interval.saturating_add(1)
        } else {
            1
        };
        let next = if scaled < least { least } else { scaled };
        if next > self.max { self.max } else { next }
    }
}

/// A wait in nanoseconds as what a timer takes: whole milliseconds, rounded up, at most 2³¹ − 1.
///
/// JavaScript's timers fire at once when asked for more. A longer wait, some 24.8 days, is waited
/// for in parts: ask again how long is left when the timer fires.
///
/// ```
/// use tokenweir::backoff::timer_millis;
///
/// assert_eq!(timer_millis(1), 1);
/// assert_eq!(timer_millis(u64::MAX), 2_147_483_647);
/// ```
#[must_use]
pub const fn timer_millis(wait_ns: u64) -> u32 {
    let millis = wait_ns.div_ceil(1_000_000);
    let longest = i32::MAX.cast_unsigned();
    if millis > longest as u64 {
        longest
    } else {
        millis as u32
    }
}
