//! A bucket's levels as they are at one instant, before anything is stored.

use crate::{Bandwidth, Level};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

/// The levels of a bucket with all refills up to `now`, worked out on the side.
pub(crate) struct Settled<'a> {
    bandwidths: &'a [Bandwidth],
    now: BigInt,
    /// One per bandwidth, in their order.
    pub(crate) levels: Vec<Level>,
}

impl<'a> Settled<'a> {
    /// Refills stored levels.
    pub(crate) fn new(bandwidths: &'a [Bandwidth], stored: &[Level], now: BigInt) -> Self {
        let mut levels = stored.to_vec();
        for (level, bandwidth) in levels.iter_mut().zip(bandwidths) {
            level.refill(bandwidth, &now);
        }
        Self {
            bandwidths,
            now,
            levels,
        }
    }

    /// What all levels hold.
    pub(crate) fn available(&self) -> BigInt {
        self.levels
            .iter()
            .map(|level| level.tokens.clone())
            .min()
            .unwrap_or_default()
    }

    /// Whether no level is in a debt that is too deep for tokenweir.
    pub(crate) fn is_bearable(&self) -> bool {
        self.available().to_i64().is_some()
    }

    /// Takes `n` tokens from each level, whether they are there or not.
    pub(crate) fn take(&mut self, n: &BigInt) {
        self.levels.iter_mut().for_each(|level| level.tokens -= n);
    }

    /// Changes each level.
    pub(crate) fn change(&mut self, change: impl Fn(&mut Level, &Bandwidth)) {
        for (level, bandwidth) in self.levels.iter_mut().zip(self.bandwidths) {
            change(level, bandwidth);
        }
    }

    /// The wait of a request that may go into debt: until every level holds the tokens.
    pub(crate) fn wait(&self, n: &BigInt) -> Option<BigInt> {
        self.longest(|bandwidth, level| level.wait_for(bandwidth, n, &self.now))
    }

    /// The wait of a request that may not: never, where a capacity is too small for it. A level above its
    /// capacity that holds the tokens now will still hold them when the others do.
    pub(crate) fn wait_without_debt(&self, n: &BigInt) -> Option<BigInt> {
        let mut both = self.bandwidths.iter().zip(&self.levels);
        if both.any(|(bandwidth, level)| *n > bandwidth.capacity && *n > level.tokens) {
            return None;
        }
        self.wait(n)
    }

    /// Until every level is at its capacity.
    pub(crate) fn time_to_full(&self) -> Option<BigInt> {
        self.longest(|bandwidth, level| level.time_to_full(bandwidth, &self.now))
    }

    /// The longest of the waits of the levels; "never" is longer than any.
    fn longest(&self, wait: impl Fn(&Bandwidth, &Level) -> Option<BigInt>) -> Option<BigInt> {
        let waits = self
            .bandwidths
            .iter()
            .zip(&self.levels)
            .map(|(b, level)| wait(b, level));
        waits.collect::<Option<Vec<_>>>()?.into_iter().max()
    }
}
