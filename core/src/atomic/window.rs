//! Fixed cycles in one word, and the transitions of that word.

use core::num::NonZeroU64;

use super::error::AtomicError;
use crate::{CycleConfig, Permits, Wait, arith};

/// The cycles of an [`AtomicCycleLimiter`](crate::AtomicCycleLimiter).
///
/// The word is the number of the cycle, counted from that of construction, above the permits left in
/// it, which take as many bits as the limit needs. The number wraps. Time counts from the beginning
/// of cycle 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Window {
    period: NonZeroU64,
    /// The largest balance that fits its bits.
    balance_mask: u64,
    /// The bits of the balance: 1 to 63.
    balance_bits: u32,
    /// When cycle 0 began.
    origin: u64,
    /// How long before tick 0 it did; one of the two is 0.
    before_zero: u64,
    limit: NonZeroU64,
}

impl Window {
    /// The cycles of a configuration, and the word of a new limiter at `now`.
    pub(super) const fn new(config: &CycleConfig, now: u64) -> Result<(Self, u64), AtomicError> {
        let (limit, period) = (config.limit, config.period);
        let largest = largest_limit(period);
        if limit.get() > largest {
            let limit = limit.get();
            return Err(AtomicError::LimitTooLarge { limit, largest });
        }
        let into = config.since_edge(now);
        let balance_bits = u64::BITS.wrapping_sub(limit.leading_zeros());
        let window = Self {
            period,
            balance_mask: u64::MAX.wrapping_shr(limit.leading_zeros()),
            balance_bits,
            origin: now.saturating_sub(into),
            before_zero: into.saturating_sub(now),
            limit,
        };
        // Cycle 0, with the whole limit.
        Ok((window, limit.get()))
    }

    /// How long cycle 0 has begun at `now`; 0 for a reading from before it.
    ///
    /// If it began before tick 0, the last instants of the clock, fewer than a period, do not fit and
    /// are taken for one.
    #[inline(always)]
    pub(super) const fn since(&self, now: u64) -> u64 {
        now.saturating_sub(self.origin)
            .saturating_add(self.before_zero)
    }

    /// Permits left in the cycle of the word.
    #[inline(always)]
    pub(super) const fn balance(&self, word: u64) -> u64 {
        word & self.balance_mask
    }

    /// The word in the cycle of `since`; that of an earlier one is as it is.
    #[inline(always)]
    pub(super) const fn refreshed(&self, word: u64, since: u64) -> u64 {
        // Not above an instant that has been seen. Where the number has wrapped, the product is
        // less than the beginning, and the division below decides; so it does for a late reading.
        let began = self.number_bits(word).wrapping_mul(self.period.get());
        if since.wrapping_sub(began) < self.period.get() {
            word
        } else {
            self.advanced(word, since)
        }
    }

    /// As [`Window::refreshed`]; divides.
    #[cold]
    #[inline(never)]
    const fn advanced(&self, word: u64, since: u64) -> u64 {
        let cycle = self.cycle_at(since);
        let ahead = cycle.wrapping_sub(self.number_bits(word));
        if self.signed(ahead) > 0 {
            cycle.wrapping_shl(self.balance_bits) | self.limit.get()
        } else {
            word
        }
    }

    /// The refreshed word, or `None` if it is the same.
    pub(super) const fn begun(&self, word: u64, since: u64) -> Option<u64> {
        let fresh = self.refreshed(word, since);
        if fresh == word { None } else { Some(fresh) }
    }

    /// The word after `n` permits of the cycle it is in are taken, or `None` if they are not left.
    #[inline(always)]
    pub(super) const fn taken(&self, word: u64, n: Permits) -> Option<u64> {
        if self.balance(word) < n.get() {
            None
        } else {
            // The balance is in the low bits.
            Some(word.wrapping_sub(n.get()))
        }
    }

    /// The number of the cycle of a refreshed word.
    pub(super) const fn number(&self, word: u64, since: u64) -> u64 {
        self.cycle_at(since).wrapping_add(self.lag(word, since))
    }

    /// How long until a refreshed word has `n` permits; never above the limit.
    pub(super) const fn wait(&self, word: u64, n: u64, now: u64) -> Wait {
        if n <= self.balance(word) {
            return Wait::NONE;
        }
        if n > self.limit.get() {
            return Wait::Never;
        }
        let since = self.since(now);
        let (_, into) = arith::div_rem(since as u128, self.period);
        // At most 2^127, and the rest below 2^65.
        let wait = arith::mul(self.lag(word, since), self.period.get())
            .saturating_add(self.period.get().wrapping_sub(into) as u128)
            .saturating_add(self.origin.saturating_sub(now) as u128);
        Wait::from_wide(wait)
    }

    pub(super) const fn limit(&self) -> u64 {
        self.limit.get()
    }

    /// How long the word may stay as it is, in ticks: half of the numbers, less the cycle it is in.
    pub(super) const fn max_idle(&self) -> u64 {
        let cycles = (i64::MAX as u64).wrapping_shr(self.balance_bits);
        cycles.saturating_mul(self.period.get())
    }

    /// How many cycles earlier than the one of a refreshed word `since` is.
    const fn lag(&self, word: u64, since: u64) -> u64 {
        let ahead = self.number_bits(word).wrapping_sub(self.cycle_at(since));
        ahead & u64::MAX.wrapping_shr(self.balance_bits)
    }

    /// The number of a cycle, before it is cut to the bits of the word.
    const fn cycle_at(&self, since: u64) -> u64 {
        arith::div_rem_to_decide(since as u128, self.period).0 as u64
    }

    const fn number_bits(&self, word: u64) -> u64 {
        word.wrapping_shr(self.balance_bits)
    }

    /// A difference of numbers with its sign: of the bits that a word has for it.
    const fn signed(&self, difference: u64) -> i64 {
        difference.wrapping_shl(self.balance_bits).cast_signed()
    }
}

/// The largest limit that leaves 32 bits for the number of the cycle, or enough for every instant:
/// half of the numbers times the period cover the whole clock.
const fn largest_limit(period: NonZeroU64) -> u64 {
    let halves = period.get() >> 1;
    let covering = match halves.checked_ilog2() {
        Some(bits) => 1_u64.wrapping_shl(bits).wrapping_sub(1),
        None => 0,
    };
    if covering > u32::MAX as u64 {
        covering
    } else {
        u32::MAX as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(limit: u64, period: u64) -> Result<Window, AtomicError> {
        let config = CycleConfig::new(limit, period).unwrap();
        Window::new(&config, 0).map(|(window, _)| window)
    }

    #[test]
    fn the_largest_limit_leaves_32_bits_or_enough_for_every_instant() {
        let largest = u64::from(u32::MAX);
        assert!(new(largest, 1).is_ok());
        assert_eq!(
            new(largest + 1, 1),
            Err(AtomicError::LimitTooLarge {
                limit: largest + 1,
                largest
            })
        );
        // Four ticks for each permit.
        assert!(new((1 << 40) - 1, 1 << 42).is_ok());
        assert!(new((1 << 40) - 1, 1 << 41).is_ok());
        assert!(new((1 << 40) - 1, (1 << 41) - 1).is_err());
        assert!(new(i64::MAX as u64, i64::MAX as u64).is_err());
    }

    #[test]
    fn with_four_ticks_for_each_permit_every_instant_is_told_apart() {
        let window = new((1 << 40) - 1, 1 << 42).unwrap();
        let last = window.refreshed(1, u64::MAX);
        assert_eq!(window.balance(last), (1 << 40) - 1);
        assert_eq!(window.number(last, u64::MAX), u64::MAX >> 42);
        // And back: all of the clock is late.
        assert_eq!(window.refreshed(last, 0), last);
        assert_eq!(window.number(last, 0), u64::MAX >> 42);
    }
}
