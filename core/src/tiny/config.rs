//! The limit of a tiny bucket.

use core::num::NonZeroU32;

use super::span::Span;
use crate::{Bandwidth, TinyConfigError, arith};

/// One greedy bandwidth, prepared so that a decision needs neither a division nor 64 bits.
///
/// Made once, best as a constant, and shared by any number of [`TinyState`](crate::TinyState)s. The
/// rate stays the exact ratio tokens/period: the time of one token is kept as whole ticks and the
/// fraction that is left.
///
/// What fits, with the rate reduced to its lowest terms:
///
/// - an empty bucket is full in less than 2³¹ ticks: `capacity × period / tokens < 2³¹`;
/// - at most 2³¹ tokens a period;
/// - a capacity, and initial tokens up to it, of at most `u32::MAX`.
///
/// ```
/// use tokenweir::{Bandwidth, TinyConfig, checked};
///
/// // 20 at once, 7 a second, with a crystal of 32 768 Hz: one in 4681 1/7 ticks.
/// const CONFIG: TinyConfig =
///     checked!(TinyConfig::new(checked!(Bandwidth::greedy(20, 7, 32_768))));
/// assert_eq!(CONFIG.time_to_fill(), 93_623);
///
/// // A month of milliseconds is too long.
/// let month = Bandwidth::greedy(1, 1, 30 * 86_400_000)?;
/// assert_eq!(TinyConfig::new(month).unwrap_err().code(), "tiny_burst_too_long");
/// # Ok::<(), tokenweir::BandwidthError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TinyConfig {
    /// The time of one token.
    pub(crate) one: Span,
    /// How far ahead of now the bucket may be full for one token to be there: the time of the
    /// capacity less that of one token.
    pub(super) room: Span,
    /// Into how many parts a tick is divided: the tokens of the rate in lowest terms.
    pub(crate) unit: u32,
    pub(super) capacity: u32,
    /// The time of the tokens that a new bucket lacks.
    pub(super) initially_missing: Span,
}

impl TinyConfig {
    /// The configuration of a greedy bandwidth.
    ///
    /// # Errors
    ///
    /// A [`TinyConfigError`] that says what does not fit.
    pub const fn new(limit: Bandwidth) -> Result<Self, TinyConfigError> {
        if !limit.is_greedy() {
            return Err(TinyConfigError::NotGreedy);
        }
        let capacity = limit.capacity();
        if capacity > u32::MAX as u64 {
            return Err(TinyConfigError::CapacityTooLarge { capacity });
        }
        let initial = match limit.initial_tokens() {
            Some(tokens) => tokens,
            None => capacity,
        };
        if initial > capacity {
            let tokens = initial;
            return Err(TinyConfigError::InitialTokensAboveCapacity { tokens, capacity });
        }
        let divisor = arith::gcd(limit.tokens, limit.period);
        let tokens = arith::div_exact(limit.tokens, divisor);
        let period = arith::div_exact(limit.period, divisor);
        if tokens.get() > 1 << 31 {
            return Err(TinyConfigError::RateTooFine {
                tokens: tokens.get(),
            });
        }
        let (ticks, _) = arith::div_rem(arith::mul(capacity, period.get()), tokens);
        if ticks > i32::MAX as u128 {
            return Err(TinyConfigError::BurstTooLong {
                ticks: if ticks > u64::MAX as u128 {
                    u64::MAX
                } else {
                    ticks as u64
                },
            });
        }
        // The time of one token is at most that of the capacity: it fits.
        let (ticks, rest) = arith::div_rem(period.get() as u128, tokens);
        let one = Span {
            ticks: ticks as u32,
            rest: rest as u32,
        };
        let unit = tokens.get() as u32;
        let others = (capacity as u32).wrapping_sub(1);
        let missing = (capacity as u32).wrapping_sub(initial as u32);
        Ok(Self {
            one,
            room: one.times(others, unit),
            unit,
            capacity: capacity as u32,
            initially_missing: one.times(missing, unit),
        })
    }

    /// The largest number of tokens the refill leads to.
    #[must_use]
    #[doc(alias = "burst")]
    pub const fn capacity(&self) -> u32 {
        self.capacity
    }

    /// How long an empty bucket takes to become full, in ticks, rounded up: at most 2³¹.
    #[must_use]
    pub const fn time_to_fill(&self) -> u32 {
        self.burst().ticks_ceil()
    }

    /// By how much a reading of the clock may be late and still be known as late, in ticks: what is
    /// left of 2³¹ − 1 beside the time to fill, rounded down. See [`TinyBucket`](crate::TinyBucket).
    #[must_use]
    pub const fn max_lag(&self) -> u32 {
        // The ticks of a burst are below 2^31.
        i32::MAX.cast_unsigned().wrapping_sub(self.burst().ticks)
    }

    /// The time of the whole capacity.
    #[inline]
    pub(crate) const fn burst(&self) -> Span {
        self.room.plus(self.one, self.unit)
    }

    /// The time of `n` tokens, if they fit the capacity.
    #[inline]
    pub(super) const fn cost(&self, n: NonZeroU32) -> Option<Span> {
        if n.get() > self.capacity {
            None
        } else {
            Some(self.one.times(n.get(), self.unit))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(capacity: u64, tokens: u64, period: u64) -> Result<TinyConfig, TinyConfigError> {
        TinyConfig::new(Bandwidth::greedy(capacity, tokens, period).unwrap())
    }

    #[test]
    fn what_fits_is_the_reduced_rate() {
        // 2^40 ticks for 2^33 tokens is 128 ticks for one.
        assert_eq!(config(5, 1 << 33, 1 << 40), config(5, 1, 128));
        assert_eq!(config(1, 1, (1 << 31) - 1).unwrap().max_lag(), 0);
        assert_eq!(
            config(1, 1, 1 << 31).unwrap_err(),
            TinyConfigError::BurstTooLong { ticks: 1 << 31 }
        );
        assert!(config(1, 1 << 31, 1).is_ok());
        assert_eq!(
            config(1, (1 << 31) + 1, 1).unwrap_err(),
            TinyConfigError::RateTooFine {
                tokens: (1 << 31) + 1
            }
        );
        let most = u64::from(u32::MAX);
        assert!(config(most, 1, 1).is_err());
        // 2^31 - 1 ticks and a half.
        let longest = config(most, 2, 1).unwrap();
        assert_eq!((longest.time_to_fill(), longest.max_lag()), (1 << 31, 0));
    }

    #[test]
    fn each_error_has_its_code() {
        let limit = |capacity| Bandwidth::greedy(capacity, 1, 1).unwrap();
        let codes = [
            TinyConfig::new(Bandwidth::interval(1, 1, 1).unwrap()),
            TinyConfig::new(limit(1 << 32)),
            TinyConfig::new(limit(5).with_initial_tokens(6).unwrap()),
            config(1, (1 << 33) + 1, 1),
            config(1 << 31, 1, i64::MAX as u64),
        ]
        .map(|result| result.unwrap_err().code());
        assert_eq!(
            codes,
            [
                "tiny_not_greedy",
                "tiny_capacity_too_large",
                "tiny_initial_tokens_too_many",
                "tiny_rate_too_fine",
                "tiny_burst_too_long",
            ]
        );
    }
}
