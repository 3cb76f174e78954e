//! The short cut of the hot path.

use super::level::Level;
use crate::Tokens;
use crate::bandwidth::Bandwidth;

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
        match self.try_take_narrow(limit, n, now) {
            Some(taken) => taken,
            None => self.try_take_wide(limit, n, now),
        }
    }

    /// As [`Level::try_take`] where the short cut serves; otherwise nothing is done.
    #[inline(always)]
    pub(crate) const fn try_take_narrow(
        &mut self,
        limit: &Bandwidth,
        n: Tokens,
        now: u64,
    ) -> Option<bool> {
        match self.narrow(limit, n, now) {
            Narrow::Refused => Some(false),
            Narrow::Left(units) => {
                self.leave(units, now);
                Some(true)
            }
            Narrow::Unknown => None,
        }
    }

    /// Sets what [`Level::narrow`] found to be left at `now`; the high word was 0 then, and is.
    #[inline(always)]
    pub(crate) const fn leave(&mut self, units: u64, now: u64) {
        self.low = units;
        if now > self.last {
            self.last = now;
        }
    }

    /// The short cut for the usual case: a greedy bandwidth whose capacity in units fits one word,
    /// with a level that is neither in debt nor over-full.
    ///
    /// The benchmark `decide` measures it: without, a refusal takes 2.5 times as long as
    /// governor's. Few branches matter more than few additions here, and no product is of more than a
    /// word, which is what costs most in WebAssembly and on small processors. The bound is 0 for whatever
    /// the short cut cannot do.
    #[inline(always)]
    pub(crate) const fn narrow(&self, limit: &Bandwidth, n: Tokens, now: u64) -> Narrow {
        if self.low >= limit.narrow_bound || self.high != 0 {
            return Narrow::Unknown;
        }
        let n = n.get();
        if n > limit.capacity {
            return Narrow::Refused;
        }
        let units = if now > self.last {
            let full = limit.narrow_bound.wrapping_sub(1);
            let elapsed = now.wrapping_sub(self.last);
            // Sooner than the time to fill, it is less than `full` that is added, to at most `full`,
            // which is within 63 bits.
            let refilled = self
                .low
                .wrapping_add(elapsed.wrapping_mul(limit.tokens.get()));
            if elapsed < limit.fills_in && refilled < full {
                refilled
            } else {
                full
            }
        } else {
            self.low
        };
        // The product is at most the capacity in units.
        match units.checked_sub(n.wrapping_mul(limit.period.get())) {
            Some(rest) => Narrow::Left(rest),
            None => Narrow::Refused,
        }
    }
}
