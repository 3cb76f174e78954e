//! The bucket for the smallest processors.

pub(crate) mod config;
pub(crate) mod error;
pub(crate) mod span;
pub(crate) mod state;

use core::num::NonZeroU32;

use crate::Wait;
use config::TinyConfig;
use state::TinyState;

/// A token bucket of one greedy bandwidth with 8 bytes of state and a clock of 32 bits that wraps.
///
/// For processors without 64-bit arithmetic and without a division: a decision needs neither, only
/// [`TinyBucket::available`] and [`TinyBucket::consume_up_to`] divide. It decides exactly as a
/// [`Bucket`](crate::Bucket) of the same bandwidth does, as long as the clock does not go back.
///
/// ```
/// use tokenweir::{Bandwidth, TinyBucket, TinyConfig, Wait, checked};
///
/// // 3 a second in milliseconds: one in 333⅓.
/// const CONFIG: TinyConfig = checked!(TinyConfig::new(checked!(Bandwidth::greedy(3, 3, 1_000))));
/// // A counter of milliseconds that is about to wrap.
/// let now = u32::MAX - 99;
/// let mut bucket = TinyBucket::new(CONFIG, now);
/// assert!((0..3).all(|_| bucket.try_consume_one(now)));
/// assert_eq!(bucket.wait(core::num::NonZeroU32::MIN, now), Wait::Ticks(334));
/// assert!(!bucket.try_consume_one(233));
/// assert!(bucket.try_consume_one(234));
/// ```
///
/// # The clock
///
/// Instants are readings of a counter that goes from `u32::MAX` on to 0.
///
/// **Ask or [`touch`](TinyBucket::touch) the bucket at least once within 2³¹ ticks** (24.8 days of
/// milliseconds, 18 hours of a 32 768 Hz crystal, 35 minutes of microseconds): 32 bits cannot tell a
/// longer silence from a clock that went back. Any decision counts as a touch, a query does not. After
/// a longer silence the bucket may take itself for one that is not full yet, for up to 2³¹ ticks; it never
/// grants more than the burst and its refill. Where nothing can be relied on to ask, use a
/// [`Bucket`](crate::Bucket) with a [`WideningClock`](crate::WideningClock), or call `touch` from a
/// timer.
///
/// A reading earlier than the one before, by up to [`TinyConfig::max_lag`], grants nothing extra: the
/// bucket refills to the same instants as ever, so that at an earlier reading it holds the fewer
/// tokens of that time, and the wait counts the lag.
#[doc(alias = "GCRA")]
#[doc(alias = "throttle")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TinyBucket {
    config: TinyConfig,
    state: TinyState,
}

impl TinyBucket {
    /// A new bucket at `now`: full, or with the initial tokens of its bandwidth.
    #[must_use]
    pub const fn new(config: TinyConfig, now: u32) -> Self {
        let state = TinyState::new(&config, now);
        Self { config, state }
    }

    /// A bucket in this state.
    pub(crate) const fn from_state(config: TinyConfig, state: TinyState) -> Self {
        Self { config, state }
    }

    /// Takes a token if there is one; otherwise nothing changes.
    ///
    /// The shortest decision: one comparison, one addition and a carry.
    #[must_use]
    #[inline]
    pub const fn try_consume_one(&mut self, now: u32) -> bool {
        self.state.try_consume_one(&self.config, now)
    }

    /// Takes `n` tokens if they are there; otherwise takes none.
    ///
    /// Adds the time of the tokens up in at most 31 rounds, one for each binary digit of `n`.
    ///
    /// ```
    /// use core::num::NonZeroU32;
    /// use tokenweir::{Bandwidth, TinyBucket, TinyConfig};
    ///
    /// let config = TinyConfig::new(Bandwidth::greedy(10, 10, 1_000)?).unwrap();
    /// let mut bucket = TinyBucket::new(config, 0);
    /// let eight = NonZeroU32::new(8).unwrap();
    /// assert!(bucket.try_consume(eight, 0));
    /// assert!(!bucket.try_consume(eight, 599));
    /// assert!(bucket.try_consume(eight, 600));
    /// # Ok::<(), tokenweir::BandwidthError>(())
    /// ```
    #[must_use]
    #[inline]
    pub const fn try_consume(&mut self, n: NonZeroU32, now: u32) -> bool {
        self.state.try_consume(&self.config, n, now)
    }

    /// Takes the tokens there are, at most `most`, and returns how many that were. Divides.
    #[must_use = "fewer tokens than asked for may have been taken"]
    pub const fn consume_up_to(&mut self, most: NonZeroU32, now: u32) -> u32 {
        self.state.consume_up_to(&self.config, most, now)
    }

    /// Tells a bucket that nobody asks how late it is: at least once within 2³¹ ticks.
    #[inline]
    pub const fn touch(&mut self, now: u32) {
        self.state.touch(now);
    }

    /// The tokens there are now, rounded down. Divides.
    #[must_use]
    pub const fn available(&self, now: u32) -> u32 {
        self.state.available(&self.config, now)
    }

    /// How long until there are `n` tokens if nobody takes any, in ticks, rounded up: granted at that
    /// tick, refused one tick before. [`Wait::Never`] for more than the capacity.
    #[must_use]
    pub const fn wait(&self, n: NonZeroU32, now: u32) -> Wait {
        self.state.wait(&self.config, n, now)
    }

    /// How long until the bucket is at capacity, in ticks, rounded up.
    #[must_use]
    pub const fn time_to_full(&self, now: u32) -> Wait {
        self.state.time_to_full(now)
    }

    /// The configuration.
    #[must_use]
    pub const fn config(&self) -> &TinyConfig {
        &self.config
    }

    /// The state, which can be kept with [`TinyBucket::config`] elsewhere.
    #[must_use]
    pub const fn state(&self) -> &TinyState {
        &self.state
    }
}
