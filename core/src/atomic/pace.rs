//! One greedy bandwidth in one word, and the transitions of that word.

use core::num::NonZeroU64;

use super::error::AtomicError;
use crate::{Bandwidth, Tokens, Wait, arith};

/// How much is refilled and what a token costs, in units.
///
/// With the rate as tokens/period in lowest terms, a tick refills `tokens` units and a token is
/// `period` units: nothing is rounded. Instants are in units as well, `tick × tokens`, and wrap.
///
/// The word is an instant too: the one at which the bucket would have been empty, less [`LAG`]. The
/// distance from it to `now`, the *age*, then says everything, without a sign and without a case:
///
/// | age | the bucket |
/// |---|---|
/// | below `LAG` | is empty, or `now` is earlier than a reading the word has seen |
/// | `LAG` to `LAG + capacity` | holds `age − LAG` units |
/// | above | is full |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Pace {
    per_tick: NonZeroU64,
    per_token: NonZeroU64,
    /// The age at which there is one token.
    one: u64,
    /// The age at which the bucket is full.
    full: u64,
    /// The capacity, in tokens.
    capacity: u64,
}

/// The largest capacity in units: a quarter of the word.
const FULLEST: u64 = 1 << 62;

/// By how much a reading may be late, in units: an eighth of the word. At least five eighths are
/// left for a bucket that nobody touches.
const LAG: u64 = 1 << 61;

/// For how many ticks a bucket must be able to stay untouched.
const LEAST_IDLE: u64 = 1 << 45;

impl Pace {
    /// The pace of a bandwidth, and the word of a new bucket at `now`.
    pub(super) const fn new(limit: &Bandwidth, now: u64) -> Result<(Self, u64), AtomicError> {
        if !limit.is_greedy() {
            return Err(AtomicError::NotGreedy);
        }
        let capacity = limit.capacity();
        let tokens = match limit.initial_tokens() {
            Some(tokens) => tokens,
            None => capacity,
        };
        if tokens > capacity {
            return Err(AtomicError::InitialTokensAboveCapacity { tokens, capacity });
        }
        let divisor = arith::gcd(limit.tokens, limit.period);
        let per_tick = arith::div_exact(limit.tokens, divisor);
        let per_token = arith::div_exact(limit.period, divisor);
        let largest = arith::div_rem(FULLEST as u128, per_token).0 as u64;
        if capacity > largest {
            return Err(AtomicError::CapacityTooLarge { capacity, largest });
        }
        // All products are at most FULLEST, as just checked, and FULLEST + LAG is below 2^63.
        let pace = Self {
            per_tick,
            per_token,
            one: LAG.wrapping_add(per_token.get()),
            full: LAG.wrapping_add(capacity.wrapping_mul(per_token.get())),
            capacity,
        };
        let ticks = pace.max_idle();
        if ticks < LEAST_IDLE {
            let least = LEAST_IDLE;
            return Err(AtomicError::HorizonTooShort { ticks, least });
        }
        let age = LAG.wrapping_add(tokens.wrapping_mul(per_token.get()));
        Ok((pace, pace.instant(now).wrapping_sub(age)))
    }

    /// An instant in units; wraps.
    #[inline(always)]
    pub(super) const fn instant(&self, now: u64) -> u64 {
        now.wrapping_mul(self.per_tick.get())
    }

    /// The age at which there are `n` tokens, or `None` for more than the capacity.
    #[inline(always)]
    pub(super) const fn due(&self, n: Tokens) -> Option<u64> {
        if n.get() == 1 {
            // Saves small processors a multiplication.
            Some(self.one)
        } else if n.get() <= self.capacity {
            Some(LAG.wrapping_add(n.get().wrapping_mul(self.per_token.get())))
        } else {
            None
        }
    }

    /// The word after the tokens that are there at the age `due` are taken, or `None` if they are
    /// not there.
    #[inline(always)]
    pub(super) const fn taken(&self, word: u64, now: u64, due: u64) -> Option<u64> {
        let age = now.wrapping_sub(word);
        if age < due {
            return None;
        }
        // Both words are computed before one is chosen: the comparison is then off the path from one
        // exchange to the next.
        let cost = due.wrapping_sub(LAG);
        Some(if age > self.full {
            now.wrapping_sub(self.full.wrapping_sub(cost))
        } else {
            word.wrapping_add(cost)
        })
    }

    /// The word after up to `n` tokens are given back, or `None` if the bucket is full.
    pub(super) const fn added(&self, word: u64, now: u64, n: u64) -> Option<u64> {
        let age = now.wrapping_sub(word);
        let Some(room) = self.full.checked_sub(age) else {
            return None;
        };
        let n = if n < self.capacity { n } else { self.capacity };
        // At most the capacity in units.
        let units = n.wrapping_mul(self.per_token.get());
        if room == 0 {
            None
        } else if units < room {
            Some(word.wrapping_sub(units))
        } else {
            Some(now.wrapping_sub(self.full))
        }
    }

    /// The word of the same bucket at `now`, or `None` if it is not full and thus up to date.
    pub(super) const fn touched(&self, word: u64, now: u64) -> Option<u64> {
        if now.wrapping_sub(word) > self.full {
            Some(now.wrapping_sub(self.full))
        } else {
            None
        }
    }

    /// Whole tokens there are, rounded down.
    pub(super) const fn available(&self, word: u64, now: u64) -> u64 {
        let age = now.wrapping_sub(word);
        let age = if age < self.full { age } else { self.full };
        arith::div_rem(age.saturating_sub(LAG) as u128, self.per_token).0 as u64
    }

    /// How long until the age `due`.
    pub(super) const fn wait(&self, word: u64, now: u64, due: u64) -> Wait {
        let missing = due.saturating_sub(now.wrapping_sub(word));
        Wait::from_wide(arith::div_ceil(missing as u128, self.per_tick))
    }

    /// How long until the bucket is full.
    pub(super) const fn time_to_full(&self, word: u64, now: u64) -> Wait {
        self.wait(word, now, self.full)
    }

    pub(super) const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// How long the word may stay as it is, in ticks: until the age of a full bucket wraps.
    pub(super) const fn max_idle(&self) -> u64 {
        let units = u64::MAX.wrapping_sub(self.full);
        arith::div_rem(units as u128, self.per_tick).0 as u64
    }

    /// How late a reading may be, in ticks.
    pub(super) const fn max_lag(&self) -> u64 {
        arith::div_rem(LAG as u128, self.per_tick).0 as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;
    const YEAR: u64 = 365 * 86_400;

    /// The horizon, in seconds at `hz` ticks, of a bucket of `capacity`.
    fn max_idle(capacity: u64, tokens: u64, period: u64, hz: u64) -> Result<u64, AtomicError> {
        let limit = Bandwidth::greedy(capacity, tokens, period).unwrap();
        Pace::new(&limit, 0).map(|(pace, _)| pace.max_idle() / hz)
    }

    #[test]
    fn ordinary_limits_fit_and_keep_for_years() {
        for (capacity, tokens, period, hz, years) in [
            (1_000, 1_000, SECOND, SECOND, 511),
            (5_000_000, 1_000, SECOND, SECOND, 511),
            (7, 7, SECOND, SECOND, 73),
            (5_000_000, 7_000_000, SECOND, SECOND, 73),
            (10, 30, 60 * SECOND, SECOND, 511),
            (1, 1, 86_400 * SECOND, SECOND, 511),
            (50_000, 1, 86_400 * SECOND, SECOND, 374),
            (1_000, 44_100, SECOND, SECOND, 1),
            (10, 7, 32_768, 32_768, 2_000_000),
            (1_000_000, 10_000, 1_000, 1_000, 50_000_000),
        ] {
            let seconds = max_idle(capacity, tokens, period, hz).unwrap();
            assert!(
                seconds / YEAR >= years,
                "{capacity}, {tokens} in {period}: {}",
                seconds / YEAR
            );
        }
    }

    #[test]
    fn limits_that_do_not_fit_say_why() {
        let code = |result: Result<(Pace, u64), AtomicError>| result.unwrap_err().code();
        let interval = Bandwidth::interval(1, 1, 10).unwrap();
        assert_eq!(code(Pace::new(&interval, 0)), "atomic_not_greedy");
        let overfull = Bandwidth::greedy(5, 1, 10)
            .and_then(|limit| limit.with_initial_tokens(6))
            .unwrap();
        assert_eq!(
            code(Pace::new(&overfull, 0)),
            "atomic_initial_tokens_too_many"
        );
        // The largest capacity, and one more.
        assert!(max_idle(1 << 42, 1, 1 << 20, 1).is_ok());
        assert_eq!(
            max_idle((1 << 42) + 1, 1, 1 << 20, 1),
            Err(AtomicError::CapacityTooLarge {
                capacity: (1 << 42) + 1,
                largest: 1 << 42
            })
        );
        // ⅞ of 2^64 in 2^45 ticks are 458 752 units a tick; the capacity takes a bit.
        assert_eq!(
            max_idle(1, 458_751, 2, 1),
            Ok((1 << 45) + (1 << 45) / 458_751)
        );
        assert_eq!(
            max_idle(1, 458_753, 2, 1),
            Err(AtomicError::HorizonTooShort {
                ticks: (1 << 45) - (1 << 45) / 458_753 - 1,
                least: 1 << 45
            })
        );
    }
}
