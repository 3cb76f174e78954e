//! What a keyed limiter keeps for each key.

use core::cmp::Ordering;
use core::num::NonZeroU32;

use crate::{
    BucketConfig, BucketState, CycleConfig, CycleState, Permits, TinyConfig, TinyState, Tokens,
    Wait,
};

/// The state of one caller, where many callers share one configuration.
///
/// What [`Keyed`](crate::Keyed) needs of it; implemented for [`BucketState`], [`CycleState`] and
/// [`TinyState`].
pub trait KeyedState: Sized {
    /// What the states share.
    type Config;
    /// What is taken.
    type Amount: Copy;
    /// When: `u64`, or `u32` for a counter that wraps.
    type Instant: Instant;

    /// The state of a caller seen for the first time.
    fn first_seen(config: &Self::Config, now: Self::Instant) -> Self;

    /// Takes `n` if that much is there at `now`; otherwise takes nothing.
    fn try_take(&mut self, config: &Self::Config, n: Self::Amount, now: Self::Instant) -> bool;

    /// How long until `n` can be taken if nobody else takes any; never for more than ever fits.
    fn wait_for(&self, config: &Self::Config, n: Self::Amount, now: Self::Instant) -> Wait;

    /// How long until the state holds all that one seen for the first time would hold, if nothing is
    /// taken meanwhile. From then on it can be forgotten: its caller gains nothing by it.
    ///
    /// Taking something MUST NOT make it shorter.
    fn time_to_idle(&self, config: &Self::Config, now: Self::Instant) -> Wait;
}

impl<const N: usize> KeyedState for BucketState<N> {
    type Config = BucketConfig<N>;
    type Amount = Tokens;
    type Instant = u64;

    fn first_seen(config: &BucketConfig<N>, now: u64) -> Self {
        Self::new(config, now)
    }

    #[inline]
    fn try_take(&mut self, config: &BucketConfig<N>, n: Tokens, now: u64) -> bool {
        self.try_consume(config, n, now)
    }

    fn wait_for(&self, config: &BucketConfig<N>, n: Tokens, now: u64) -> Wait {
        self.estimate(config, n, now).wait
    }

    fn time_to_idle(&self, config: &BucketConfig<N>, now: u64) -> Wait {
        // Initial tokens beyond the capacity do not come back: such a state would gain by being
        // forgotten as soon as it has taken any.
        let mut each = config
            .bandwidths()
            .iter()
            .zip(self.available_of_each(config, now));
        let spent_surplus = each.any(|(limit, there)| {
            let initial = limit.initial_tokens().unwrap_or(0);
            initial > limit.capacity() && there < initial.cast_signed()
        });
        if spent_surplus {
            Wait::Never
        } else {
            self.time_to_full(config, now)
        }
    }
}

impl KeyedState for CycleState {
    type Config = CycleConfig;
    type Amount = Permits;
    type Instant = u64;

    fn first_seen(config: &CycleConfig, now: u64) -> Self {
        Self::new(config, now)
    }

    #[inline]
    fn try_take(&mut self, config: &CycleConfig, n: Permits, now: u64) -> bool {
        self.try_acquire(config, n, now)
    }

    fn wait_for(&self, config: &CycleConfig, n: Permits, now: u64) -> Wait {
        match self.wait(config, n, now) {
            Wait::Ticks(1..) if n.get() > config.limit() => Wait::Never,
            wait => wait,
        }
    }

    fn time_to_idle(&self, config: &CycleConfig, now: u64) -> Wait {
        self.time_to_full(config, now)
    }
}

impl KeyedState for TinyState {
    type Config = TinyConfig;
    type Amount = NonZeroU32;
    type Instant = u32;

    fn first_seen(config: &TinyConfig, now: u32) -> Self {
        Self::new(config, now)
    }

    #[inline]
    fn try_take(&mut self, config: &TinyConfig, n: NonZeroU32, now: u32) -> bool {
        self.try_consume(config, n, now)
    }

    fn wait_for(&self, config: &TinyConfig, n: NonZeroU32, now: u32) -> Wait {
        self.wait(config, n, now)
    }

    fn time_to_idle(&self, _: &TinyConfig, now: u32) -> Wait {
        self.time_to_full(now)
    }
}

/// A reading of a clock: `u64` ticks, or `u32` ticks that wrap.
pub trait Instant: Copy + sealed::Sealed {
    /// The instant after this wait; the latest there is if that is out of range or never.
    #[doc(hidden)]
    fn after(self, wait: Wait) -> Self;

    /// The order in time.
    #[doc(hidden)]
    fn order(self, other: Self) -> Ordering;
}

impl Instant for u64 {
    fn after(self, wait: Wait) -> Self {
        match wait {
            Wait::Ticks(ticks) => self.saturating_add(ticks),
            Wait::Never => Self::MAX,
        }
    }

    fn order(self, other: Self) -> Ordering {
        self.cmp(&other)
    }
}

/// Distances are the shorter way round.
impl Instant for u32 {
    fn after(self, wait: Wait) -> Self {
        let furthest = i32::MAX.cast_unsigned();
        match wait {
            Wait::Ticks(ticks) => self.wrapping_add(u32::try_from(ticks).unwrap_or(furthest)),
            Wait::Never => self.wrapping_add(furthest),
        }
    }

    fn order(self, other: Self) -> Ordering {
        self.wrapping_sub(other).cast_signed().cmp(&0)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}
