//! The short cut of the hot path.

use super::level::Level;
use crate::bandwidth::Bandwidth;
use crate::{Tokens, arith};

/// What the short cut of the hot path finds.
pub(crate) enum Narrow {
    /// The tokens are not there.
    Refused,
    /// The units that are left after the tokens are taken.
    Left(u64),
    /// Not a case for the short cut.
    Unknown,
}

impl Level {
    /// Whether `n` tokens are there at `now`.
    #[inline(always)]
    pub(crate) const fn can_take(&self, limit: &Bandwidth, n: Tokens, now: u64) -> bool {
        match self.narrow(limit, n, now) {
            Narrow::Refused => false,
            Narrow::Left(_) => true,
            Narrow::Unknown => self.refilled(limit, now).units_after(limit, n) >= 0,
        }
    }

    /// Takes `n` tokens at `now` if they are there.
    ///
    /// Words are stored one by one, since a copy of the whole level is loaded by vector
    /// instructions that have to wait for the words stored by the call before.
    #[inline(always)]
    pub(crate) const fn try_take(&mut self, limit: &Bandwidth, n: Tokens, now: u64) -> bool {
        match self.narrow(limit, n, now) {
            Narrow::Refused => false,
            Narrow::Left(units) => {
                self.leave(units, now);
                true
            }
            Narrow::Unknown => self.try_take_wide(limit, n, now),
        }
    }

    /// Sets what [`Level::narrow`] found to be left at `now`.
    #[inline(always)]
    pub(crate) const fn leave(&mut self, units: u64, now: u64) {
        self.low = units;
        self.high = 0;
        if now > self.last {
            self.last = now;
        }
    }

    /// The short cut for the usual case: a greedy bandwidth whose capacity in units fits one word,
    /// with a level that is neither in debt nor over-full.
    ///
    /// The benchmark `decide` measures it: without, a refusal takes 2.5 times as long as
    /// governor's. Few branches matter more than few additions here. The bound is 0 for whatever the
    /// short cut cannot do, and one test of the high word covers a debt and a gap of years.
    #[inline(always)]
    pub(crate) const fn narrow(&self, limit: &Bandwidth, n: Tokens, now: u64) -> Narrow {
        if self.low >= limit.narrow_bound {
            return Narrow::Unknown;
        }
        let elapsed = now.saturating_sub(self.last);
        // At most 2^126 + 2^127: exact as an unsigned sum, in which a debt has its high word set.
        let units = (((self.high as i128) << 64) | self.low as i128)
            .cast_unsigned()
            .wrapping_add(arith::mul_to_decide(elapsed, limit.tokens.get()));
        let need = arith::checked_mul_to_decide(n.get(), limit.period.get());
        let (0, Some(need)) = (units >> 64, need) else {
            return Narrow::Unknown;
        };
        let units = units as u64;
        if units < need {
            return Narrow::Refused;
        }
        let full = limit.narrow_bound.wrapping_sub(1);
        match (if units < full { units } else { full }).checked_sub(need) {
            Some(rest) => Narrow::Left(rest),
            None => Narrow::Refused,
        }
    }
}
