//! One limit: how many tokens fit, and how they come back.

use core::num::NonZeroU64;
use core::time::Duration;

use crate::{BandwidthError, BandwidthId, TickRate, arith};

/// One limit of a bucket: a capacity and a refill of `tokens` every `period`.
///
/// Periods and instants are in ticks of a unit the caller chooses, see [`TickRate`]. The rate is
/// kept as the ratio tokens/period and never rounded to an interval. Capacity, tokens and period
/// go from 1 to `i64::MAX`; more than one token per tick is allowed.
///
/// In any window of `T` ticks a greedy bandwidth grants at most `capacity + ⌈T × tokens / period⌉`
/// tokens, any other `capacity + ⌈T / period⌉ × tokens` (forced and initial tokens above the capacity
/// aside): a full bucket can be emptied at once, and what is refilled meanwhile comes on top.
///
/// ```
/// use tokenweir::{Bandwidth, TickRate, checked};
///
/// // 10 tokens at most, 10 more each 60 000 ticks: one every 6 000 ticks.
/// let per_minute = Bandwidth::greedy(10, 10, 60_000)?;
/// // The same in nanoseconds, with a burst of 20.
/// let burst = Bandwidth::greedy(20, 10, 60 * TickRate::NANOS.hz())?;
/// // Known at compile time: a mistake does not compile.
/// const DAILY: Bandwidth = checked!(Bandwidth::interval(100, 100, 86_400));
/// # Ok::<(), tokenweir::BandwidthError>(())
/// ```
#[doc(alias = "limit")]
#[doc(alias = "quota")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Bandwidth {
    pub(crate) capacity: u64,
    pub(crate) tokens: NonZeroU64,
    pub(crate) period: NonZeroU64,
    pub(crate) refill: Refill,
    /// See [`narrow_bound`].
    pub(crate) narrow_bound: u64,
    /// Ticks after which an empty level is full, for levels below the bound.
    pub(crate) fills_in: u64,
    initial: Option<u64>,
    id: Option<BandwidthId>,
}

/// How the tokens of a [`Bandwidth`] come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Refill {
    /// As soon as possible: each token when its share of the period has passed.
    ///
    /// Also known as GCRA, or the leaky bucket as a meter.
    #[doc(alias = "GCRA")]
    #[doc(alias = "leaky bucket")]
    Greedy,
    /// All at once, at the end of each period counted from the creation of the bucket.
    #[doc(alias = "intervally")]
    Interval,
    /// All at once, at `first_refill` and every period after it.
    #[doc(alias = "fixed window")]
    Aligned {
        /// The first edge, in ticks of a wall clock.
        first_refill: u64,
    },
    /// As [`Refill::Aligned`], and a bucket created before the first edge starts with the share
    /// of the tokens that the rest of the period deserves.
    Adaptive {
        /// The first edge, in ticks of a wall clock.
        first_refill: u64,
    },
}

impl Bandwidth {
    /// `tokens` every `period` ticks, each as soon as its share of the period has passed.
    ///
    /// # Errors
    ///
    /// A [`BandwidthError`] for a value that is 0 or above `i64::MAX`, checked in the order of the
    /// arguments; so for the other constructors.
    pub const fn greedy(capacity: u64, tokens: u64, period: u64) -> Result<Self, BandwidthError> {
        Self::new(capacity, tokens, period, Refill::Greedy)
    }

    /// `tokens` at once at the end of each `period`, counted from the creation of the bucket.
    ///
    /// # Errors
    ///
    /// As [`Bandwidth::greedy`].
    #[doc(alias = "intervally")]
    pub const fn interval(capacity: u64, tokens: u64, period: u64) -> Result<Self, BandwidthError> {
        Self::new(capacity, tokens, period, Refill::Interval)
    }

    /// `tokens` at once at `first_refill` and every `period` ticks after it; needs a wall clock.
    ///
    /// # Errors
    ///
    /// As [`Bandwidth::greedy`].
    pub const fn aligned(
        capacity: u64,
        tokens: u64,
        period: u64,
        first_refill: u64,
    ) -> Result<Self, BandwidthError> {
        Self::new(capacity, tokens, period, Refill::Aligned { first_refill })
    }

    /// As [`Bandwidth::aligned`], starting with the share of the tokens that the time until the
    /// first edge deserves, rounded down: `capacity − tokens` (at least 0) plus
    /// `⌊(first_refill − now) × tokens / period⌋`, at most the capacity.
    ///
    /// # Errors
    ///
    /// As [`Bandwidth::greedy`].
    pub const fn adaptive(
        capacity: u64,
        tokens: u64,
        period: u64,
        first_refill: u64,
    ) -> Result<Self, BandwidthError> {
        Self::new(capacity, tokens, period, Refill::Adaptive { first_refill })
    }

    /// `n` tokens each second, as soon as possible, with a burst of `n`.
    ///
    /// Always exact, also for rates whose interval is not a whole number of ticks.
    ///
    /// ```
    /// use tokenweir::{Bandwidth, TickRate};
    ///
    /// let limit = Bandwidth::per_second(7, TickRate::NANOS)?;
    /// assert_eq!((limit.tokens(), limit.period()), (7, 1_000_000_000));
    /// # Ok::<(), tokenweir::BandwidthError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Bandwidth::greedy`].
    pub const fn per_second(n: u64, rate: TickRate) -> Result<Self, BandwidthError> {
        Self::greedy(n, n, rate.hz())
    }

    /// `n` tokens each `period`, as soon as possible, with a burst of `n`.
    ///
    /// ```
    /// use core::time::Duration;
    /// use tokenweir::{Bandwidth, TickRate};
    ///
    /// let limit = Bandwidth::per(100, Duration::from_secs(60), TickRate::MILLIS)?;
    /// assert_eq!(limit.period(), 60_000);
    /// // A third of a millisecond is not a whole number of milliseconds:
    /// let error = Bandwidth::per(1, Duration::from_nanos(333_333), TickRate::MILLIS).unwrap_err();
    /// assert_eq!(error.code(), "inexact_duration");
    /// # Ok::<(), tokenweir::BandwidthError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Bandwidth::greedy`], and [`BandwidthError::InexactPeriod`] where the period is not a
    /// whole number of ticks.
    pub const fn per(n: u64, period: Duration, rate: TickRate) -> Result<Self, BandwidthError> {
        match rate.ticks(period) {
            Ok(ticks) => Self::greedy(n, n, ticks),
            Err(error) => Err(BandwidthError::InexactPeriod(error)),
        }
    }

    /// This bandwidth with `capacity` as its burst, the initial tokens included unless they were
    /// given.
    ///
    /// # Errors
    ///
    /// As [`Bandwidth::greedy`].
    pub const fn with_capacity(mut self, capacity: u64) -> Result<Self, BandwidthError> {
        match check_capacity(capacity) {
            Ok(()) => {
                self.capacity = capacity;
                Ok(self.with_narrow_bound())
            }
            Err(error) => Err(error),
        }
    }

    /// This bandwidth with `tokens` in a new bucket instead of its capacity; more than the
    /// capacity is allowed.
    ///
    /// # Errors
    ///
    /// [`BandwidthError::InitialTokensOverflow`] above `i64::MAX`,
    /// [`BandwidthError::AdaptiveConflictsWithInitialTokens`] on an adaptive bandwidth.
    pub const fn with_initial_tokens(mut self, tokens: u64) -> Result<Self, BandwidthError> {
        if tokens > arith::MAX {
            return Err(BandwidthError::InitialTokensOverflow {
                tokens: tokens as i128,
            });
        }
        if let Refill::Adaptive { .. } = self.refill {
            return Err(BandwidthError::AdaptiveConflictsWithInitialTokens);
        }
        self.initial = Some(tokens);
        Ok(self)
    }

    /// This bandwidth with an id.
    #[must_use]
    pub const fn with_id(mut self, id: BandwidthId) -> Self {
        self.id = Some(id);
        self
    }

    /// The largest number of tokens the refill leads to.
    #[must_use]
    #[doc(alias = "burst")]
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The tokens refilled each period.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.tokens.get()
    }

    /// The period, in ticks.
    #[must_use]
    pub const fn period(&self) -> u64 {
        self.period.get()
    }

    /// How the tokens come back.
    #[must_use]
    pub const fn refill(&self) -> Refill {
        self.refill
    }

    /// The first edge of an aligned refill.
    #[cfg(feature = "alloc")]
    pub(crate) const fn first_refill(&self) -> Option<u64> {
        match self.refill {
            Refill::Aligned { first_refill } | Refill::Adaptive { first_refill } => {
                Some(first_refill)
            }
            Refill::Greedy | Refill::Interval => None,
        }
    }

    /// The initial tokens, where they were given.
    #[must_use]
    pub const fn initial_tokens(&self) -> Option<u64> {
        self.initial
    }

    /// The id, where one was given.
    #[must_use]
    pub const fn id(&self) -> Option<BandwidthId> {
        self.id
    }

    /// Whether the refill happens at instants of a wall clock.
    #[must_use]
    pub const fn is_aligned(&self) -> bool {
        matches!(
            self.refill,
            Refill::Aligned { .. } | Refill::Adaptive { .. }
        )
    }

    /// Whether a new bucket has exactly the capacity, whenever it is made.
    #[cfg(feature = "alloc")]
    pub(crate) const fn starts_full(&self) -> bool {
        match (self.initial, self.refill) {
            (Some(tokens), _) => tokens == self.capacity,
            (None, Refill::Adaptive { .. }) => false,
            (None, _) => true,
        }
    }

    /// Into how many units a token is divided: the refill of one tick is then whole.
    #[inline(always)]
    pub(crate) const fn unit(&self) -> NonZeroU64 {
        match self.refill {
            Refill::Greedy => self.period,
            _ => NonZeroU64::MIN,
        }
    }

    /// Whether tokens come in part, tick by tick.
    #[inline(always)]
    pub(crate) const fn is_greedy(&self) -> bool {
        matches!(self.refill, Refill::Greedy)
    }

    /// This bandwidth without an id.
    #[cfg(feature = "alloc")]
    pub(crate) const fn without_id(mut self) -> Self {
        self.id = None;
        self
    }

    /// This bandwidth with another first edge, if it is aligned.
    #[cfg(feature = "alloc")]
    pub(crate) const fn with_first_refill(mut self, instant: u64) -> Self {
        match &mut self.refill {
            Refill::Aligned { first_refill } | Refill::Adaptive { first_refill } => {
                *first_refill = instant;
            }
            Refill::Greedy | Refill::Interval => {}
        }
        self
    }

    const fn new(
        capacity: u64,
        tokens: u64,
        period: u64,
        refill: Refill,
    ) -> Result<Self, BandwidthError> {
        if let Err(error) = check_capacity(capacity) {
            return Err(error);
        }
        let Some(refill_tokens) = NonZeroU64::new(tokens) else {
            return Err(BandwidthError::NonPositiveRefillTokens { tokens: 0 });
        };
        if tokens > arith::MAX {
            return Err(BandwidthError::RefillTokensOverflow {
                tokens: tokens as i128,
            });
        }
        let Some(refill_period) = NonZeroU64::new(period) else {
            return Err(BandwidthError::NonPositivePeriod { period: 0 });
        };
        if period > arith::MAX {
            return Err(BandwidthError::PeriodOverflow {
                period: period as i128,
            });
        }
        let bandwidth = Self {
            capacity,
            tokens: refill_tokens,
            period: refill_period,
            refill,
            narrow_bound: 0,
            fills_in: 0,
            initial: None,
            id: None,
        };
        Ok(bandwidth.with_narrow_bound())
    }

    /// Works out what the short cut of the hot path goes by.
    const fn with_narrow_bound(mut self) -> Self {
        if self.is_greedy() {
            self.narrow_bound = narrow_bound(self.capacity, self.period);
            let full = self.narrow_bound.saturating_sub(1);
            // No more than `full`, which is a word.
            self.fills_in = arith::div_ceil(full as u128, self.tokens) as u64;
        }
        self
    }
}

/// Below what a level is a single word that the short cut of the hot path can decide: one more than
/// the capacity in units, if that is within 63 bits, otherwise 0. 0 for refills at edges as well.
const fn narrow_bound(capacity: u64, unit: NonZeroU64) -> u64 {
    let full = arith::mul(capacity, unit.get());
    if full < arith::MAX as u128 {
        (full as u64).wrapping_add(1)
    } else {
        0
    }
}

const fn check_capacity(capacity: u64) -> Result<(), BandwidthError> {
    if capacity == 0 {
        Err(BandwidthError::NonPositiveCapacity { capacity: 0 })
    } else if capacity > arith::MAX {
        Err(BandwidthError::CapacityOverflow {
            capacity: capacity as i128,
        })
    } else {
        Ok(())
    }
}
