//! The most that limits grant in a window of time, wherever the window lies.

use core::num::NonZeroU64;

use super::limit::{Limit, Rule};
use super::limits::Limits;
use crate::{Bandwidth, arith};

impl Limit {
    /// The most tokens that this limit grants in any window of `window` nanoseconds, both ends
    /// included; `u64::MAX` if they are more than that.
    ///
    /// Exact: who finds it full and takes all there is, as soon as it is there, at the worst time
    /// gets just as many, and nobody gets more. Tokens that are given from outside (refunds, resets,
    /// forced tokens, other limits) and debts come on top.
    ///
    /// - A greedy bandwidth: the capacity, and what comes back in the window,
    ///   `capacity + ⌊window × tokens / period⌋` (less where a bucket is too small to hold the parts of
    ///   a token that come within one nanosecond).
    /// - Any other bandwidth: the capacity, and the tokens of each edge the window can have, at most
    ///   the capacity each: `capacity + ⌈window / period⌉ × tokens`.
    /// - A cycle: the limit of each cycle the window can touch, `(⌈window / period⌉ + 1) × limit`: twice
    ///   the limit in two nanoseconds, just before and just after an edge.
    ///
    /// Initial tokens above the capacity take its place, since a window may begin with a new state.
    ///
    /// ```
    /// use tokenweir::Limit;
    ///
    /// const SECOND: u64 = 1_000_000_000;
    /// let bucket: Limit = "100/s burst 200".parse()?;
    /// assert_eq!(bucket.most_within(0), 200);
    /// assert_eq!(bucket.most_within(60 * SECOND), 6_200);
    /// let cycle: Limit = "cycle 10/min".parse()?;
    /// assert_eq!(cycle.most_within(SECOND), 20);
    /// # Ok::<(), tokenweir::LimitSyntaxError>(())
    /// ```
    #[must_use]
    pub fn most_within(&self, window: u64) -> u64 {
        let most = match self.rule() {
            Rule::Bandwidth(bandwidth) => {
                let initial = bandwidth.initial_tokens().unwrap_or(0);
                let first = initial.max(bandwidth.capacity());
                refilled_within(bandwidth, window).saturating_add(first.into())
            }
            Rule::Cycle(config) => at_edges(config.limit(), config.period, window)
                .saturating_add(config.limit().into()),
        };
        u64::try_from(most).unwrap_or(u64::MAX)
    }
}

impl Limits {
    /// The most tokens that these limits grant together in any window of `window` nanoseconds, both
    /// ends included: no more than the strictest of them, see [`Limit::most_within`].
    ///
    /// Exact for one limit. Of several, the worst times need not fall together, and then fewer are
    /// granted.
    ///
    /// ```
    /// use tokenweir::Limits;
    ///
    /// const HOUR: u64 = 3_600_000_000_000;
    /// let limits = Limits::parse("100/s burst 200; 10000/day aligned")?;
    /// assert_eq!(limits.most_within(1_000_000_000), 300);
    /// // Up to midnight, and from midnight on.
    /// assert_eq!(limits.most_within(HOUR), 20_000);
    /// # Ok::<(), tokenweir::LimitSyntaxError>(())
    /// ```
    #[must_use]
    pub fn most_within(&self, window: u64) -> u64 {
        self.strictest_within(window).1
    }

    /// Which limit grants the fewest in any such window, and how many.
    pub(crate) fn strictest_within(&self, window: u64) -> (usize, u64) {
        let each = self.iter().map(|limit| limit.most_within(window));
        // There is at least one limit; of equals, the first.
        let least = each.enumerate().min_by_key(|(_, most)| *most);
        least.unwrap_or((0, 0))
    }
}

/// What comes back within so many nanoseconds to a bucket that was full and whose tokens are taken
/// as soon as they are there.
fn refilled_within(bandwidth: &Bandwidth, window: u64) -> u128 {
    let (capacity, tokens, period) = (bandwidth.capacity(), bandwidth.tokens, bandwidth.period);
    if !bandwidth.is_greedy() {
        return at_edges(tokens.get().min(capacity), period, window);
    }
    let (whole, part) = arith::div_rem(tokens.get().into(), period);
    if whole >= capacity.into() {
        // Full again at each nanosecond.
        return arith::mul(capacity, window);
    }
    if whole.saturating_add(1) < capacity.into() {
        // There is always room for what comes within a nanosecond and the part of a token that was
        // left.
        return arith::div_rem(arith::mul(tokens.get(), window), period).0;
    }
    // `whole` at each nanosecond leave room for one token, whose parts come by themselves. What is
    // beyond it in the nanosecond that completes it is lost.
    let parts = NonZeroU64::new(part).map_or(0, |part| {
        let each = arith::div_ceil(period.get().into(), part);
        // At most the period, which fits.
        let each = u64::try_from(each).ok().and_then(NonZeroU64::new);
        each.map_or(0, |each| arith::div_rem(window.into(), each).0)
    });
    // Below 2^63 × 2^64.
    whole.saturating_mul(window.into()).saturating_add(parts)
}

/// `amount` at each edge that a window can have within it, beyond its first instant.
fn at_edges(amount: u64, period: NonZeroU64, window: u64) -> u128 {
    // At most 2^64 edges of less than 2^63 each.
    arith::div_ceil(window.into(), period).saturating_mul(amount.into())
}
