//! The state of one bandwidth and its transitions: everything a bucket does is made of these.

use crate::bandwidth::{Bandwidth, Refill};
use crate::{Tokens, Wait, arith};

/// How full one bandwidth is, in 24 bytes.
///
/// The level counts *units*: one token is `period` units of a greedy bandwidth, so that each tick
/// refills a whole number of them and no call ever divides to decide; one token is one unit where
/// tokens come at edges. A level is negative while reservations are owed.
///
/// An instant before tick 0 exists in one place only: the edge before the first edge of an aligned
/// bandwidth. Such bandwidths count whole tokens, which need one word, and keep the high word of
/// their last edge in the other.
///
/// | | `low` | `high` | `last` |
/// |---|---|---|---|
/// | greedy | level, low word | level, high word | last refill |
/// | at edges | level (`i64`) | last edge, high word | last edge, low word |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) struct Level {
    pub(super) low: u64,
    pub(super) high: i64,
    pub(super) last: u64,
}

impl Level {
    /// Fills the places of a bucket that its configuration does not use.
    pub(crate) const UNUSED: Self = Self {
        low: 0,
        high: 0,
        last: 0,
    };

    /// A bandwidth that starts at `now`.
    pub(crate) const fn new(limit: &Bandwidth, now: u64) -> Self {
        let tokens = match (limit.initial_tokens(), limit.refill) {
            (Some(tokens), _) => tokens,
            (None, Refill::Adaptive { first_refill }) if now < first_refill => {
                adaptive_tokens(limit, first_refill.saturating_sub(now))
            }
            (None, _) => limit.capacity,
        };
        Self::from_parts(
            limit,
            arith::mul_signed(tokens, limit.unit().get()),
            first_edge_before(limit, now),
        )
    }

    /// A level in units and the instant of its last refill.
    pub(crate) const fn from_parts(limit: &Bandwidth, units: i128, last: i128) -> Self {
        if limit.is_greedy() {
            Self {
                low: units as u64,
                high: (units >> 64) as i64,
                last: last as u64,
            }
        } else {
            Self {
                low: units as u64,
                high: (last >> 64) as i64,
                last: last as u64,
            }
        }
    }

    /// The level in units.
    #[inline(always)]
    pub(crate) const fn units(&self, limit: &Bandwidth) -> i128 {
        if limit.is_greedy() {
            ((self.high as i128) << 64) | self.low as i128
        } else {
            self.low.cast_signed() as i128
        }
    }

    /// The instant of the last refill: negative before the first edge of an aligned bandwidth.
    pub(crate) const fn last(&self, limit: &Bandwidth) -> i128 {
        if limit.is_greedy() {
            self.last as i128
        } else {
            ((self.high as i128) << 64) | self.last as i128
        }
    }

    /// Whole tokens, rounded down, and the remainder in units of 1/period of a token.
    pub(crate) const fn tokens(&self, limit: &Bandwidth) -> (i64, u64) {
        let (tokens, remainder) = arith::div_floor(self.units(limit), limit.unit());
        (tokens as i64, remainder)
    }

    /// This level as it is at `now`: an earlier or equal reading changes nothing.
    #[inline]
    pub(crate) const fn refilled(&self, limit: &Bandwidth, now: u64) -> Self {
        if limit.is_greedy() {
            self.refilled_greedily(limit, now)
        } else {
            self.refilled_at_edges(limit, now)
        }
    }

    #[inline(always)]
    const fn refilled_greedily(&self, limit: &Bandwidth, now: u64) -> Self {
        if now <= self.last {
            return *self;
        }
        let gain = arith::mul(now.wrapping_sub(self.last), limit.tokens.get());
        let units = topped_up(
            self.units(limit),
            gain,
            arith::mul_signed(limit.capacity, limit.period.get()),
        );
        Self {
            low: units as u64,
            high: (units >> 64) as i64,
            last: now,
        }
    }

    /// A greedy level refilled for the ticks before tick 0 and those up to `now`.
    pub(crate) const fn credited(&self, limit: &Bandwidth, before_zero: u128, now: u64) -> Self {
        // At most (2^63 + 2^64) × 2^63, which fits 128 bits.
        let gain = before_zero
            .saturating_add(now as u128)
            .saturating_mul(limit.tokens.get() as u128);
        let capacity = arith::mul_signed(limit.capacity, limit.period.get());
        Self::from_parts(
            limit,
            topped_up(self.units(limit), gain, capacity),
            now as i128,
        )
    }

    const fn refilled_at_edges(&self, limit: &Bandwidth, now: u64) -> Self {
        // `last` is above -2^63, `now` below 2^64 and the period below 2^63: these fit 66 bits.
        let next = self.last(limit).wrapping_add(limit.period.get() as i128);
        let since = (now as i128).wrapping_sub(next);
        if since < 0 {
            return *self;
        }
        let (more, into_period) = arith::div_rem_to_decide(since.cast_unsigned(), limit.period);
        // Only periods that have passed count. Where the gain saturates, the level is full long since.
        let gain = more
            .saturating_add(1)
            .saturating_mul(limit.tokens.get() as u128);
        let units = topped_up(self.units(limit), gain, limit.capacity as i128);
        Self::from_parts(
            limit,
            units,
            (now as i128).wrapping_sub(into_period as i128),
        )
    }

    /// Out of line and marked cold, so that the short cut is laid out as one straight run.
    #[cold]
    #[inline(never)]
    pub(super) const fn try_take_wide(&mut self, limit: &Bandwidth, n: Tokens, now: u64) -> bool {
        let refilled = self.refilled(limit, now);
        let units = refilled.units_after(limit, n);
        if units < 0 {
            return false;
        }
        *self = refilled.with_units(limit, units);
        true
    }

    /// The level after `n` tokens are owed, or `None` if the debt would exceed `i64::MIN` tokens.
    pub(crate) const fn owe(&self, limit: &Bandwidth, n: Tokens) -> Option<Self> {
        let units = self.units_after(limit, n);
        if units < lowest(limit) {
            None
        } else {
            Some(self.with_units(limit, units))
        }
    }

    /// The level with `n` tokens more, up to the capacity; a fuller one is left as it is.
    pub(crate) const fn add(&self, limit: &Bandwidth, n: Tokens) -> Self {
        let units = topped_up(
            self.units(limit),
            arith::mul(n.get(), limit.unit().get()),
            arith::mul_signed(limit.capacity, limit.unit().get()),
        );
        self.with_units(limit, units)
    }

    /// The level with `n` tokens more, up to `i64::MAX` tokens.
    pub(crate) const fn force_add(&self, limit: &Bandwidth, n: Tokens) -> Self {
        let unit = limit.unit().get();
        // Both are below 2^126.
        let units = self
            .units(limit)
            .wrapping_add(arith::mul_signed(n.get(), unit));
        let highest = arith::mul_signed(arith::MAX, unit);
        if units.wrapping_sub(highest) >= unit as i128 {
            self.with_units(limit, highest)
        } else {
            self.with_units(limit, units)
        }
    }

    /// The level at capacity.
    pub(crate) const fn full(&self, limit: &Bandwidth) -> Self {
        self.with_units(limit, arith::mul_signed(limit.capacity, limit.unit().get()))
    }

    /// Whether the level at `now` is exactly the capacity.
    #[cfg(feature = "alloc")]
    pub(crate) const fn is_full(&self, limit: &Bandwidth, now: u64) -> bool {
        let full = arith::mul_signed(limit.capacity, limit.unit().get());
        self.refilled(limit, now).units(limit) == full
    }

    /// How long after `now` there are `n` tokens if nobody takes any, whatever the capacity.
    ///
    /// `self` is the level refilled at `now`; where the clock has gone back behind the last refill,
    /// that lag is part of the wait.
    pub(crate) const fn wait_for(&self, limit: &Bandwidth, n: u64, now: u64) -> Wait {
        // The need is at most 2^126 and the level at least -2^126.
        let missing = arith::mul_signed(n, limit.unit().get()).wrapping_sub(self.units(limit));
        if missing <= 0 {
            return Wait::NONE;
        }
        // Ticks for a greedy bandwidth, edges for the others; below 2^127.
        let steps = arith::div_ceil(missing.cast_unsigned(), limit.tokens);
        let last = self.last(limit);
        if limit.is_greedy() {
            let lag = last.saturating_sub(now as i128);
            let lag = if lag > 0 { lag.cast_unsigned() } else { 0 };
            bounded(steps.saturating_add(lag))
        } else {
            let to_edge = last
                .saturating_add(limit.period.get() as i128)
                .saturating_sub(now as i128);
            let more = steps
                .saturating_sub(1)
                .saturating_mul(limit.period.get() as u128);
            // A refilled level has its next edge after `now`.
            bounded(to_edge.cast_unsigned().saturating_add(more))
        }
    }

    /// How long after `now` the level is at capacity if nobody takes any.
    pub(crate) const fn time_to_full(&self, limit: &Bandwidth, now: u64) -> Wait {
        self.wait_for(limit, limit.capacity, now)
    }

    #[inline(always)]
    pub(super) const fn units_after(&self, limit: &Bandwidth, n: Tokens) -> i128 {
        // The level is at least -2^126 and the need at most 2^126.
        self.units(limit)
            .wrapping_sub(arith::mul_signed(n.get(), limit.unit().get()))
    }

    #[inline(always)]
    const fn with_units(&self, limit: &Bandwidth, units: i128) -> Self {
        if limit.is_greedy() {
            Self {
                low: units as u64,
                high: (units >> 64) as i64,
                last: self.last,
            }
        } else {
            Self {
                low: units as u64,
                ..*self
            }
        }
    }
}

/// The lowest level: a debt of `i64::MIN` tokens.
pub(crate) const fn lowest(limit: &Bandwidth) -> i128 {
    // -2^63 × unit, and unit is below 2^63.
    (i64::MIN as i128).wrapping_mul(limit.unit().get() as i128)
}

/// `units + gain`, but not above `capacity`; a level above it already stays.
#[inline(always)]
const fn topped_up(units: i128, gain: u128, capacity: i128) -> i128 {
    // capacity ≤ 2^126 and units ≥ -2^126, so the room fits.
    let room = capacity.wrapping_sub(units);
    if room <= 0 {
        units
    } else if gain >= room.cast_unsigned() {
        capacity
    } else {
        units.wrapping_add(gain.cast_signed())
    }
}

/// A bucket's wait: `i64::MAX` ticks, the reference's word for never, is never as well.
const fn bounded(ticks: u128) -> Wait {
    if ticks == arith::MAX as u128 {
        Wait::Never
    } else {
        Wait::from_wide(ticks)
    }
}

/// The edge from which the first refill counts.
pub(crate) const fn first_edge_before(limit: &Bandwidth, now: u64) -> i128 {
    match limit.refill {
        Refill::Greedy | Refill::Interval => now as i128,
        Refill::Aligned { first_refill } | Refill::Adaptive { first_refill } => {
            (first_refill as i128).wrapping_sub(limit.period.get() as i128)
        }
    }
}

/// What an adaptive bandwidth starts with `until_first` ticks before its first edge.
const fn adaptive_tokens(limit: &Bandwidth, until_first: u64) -> u64 {
    let base = limit.capacity.saturating_sub(limit.tokens.get());
    let (share, _) =
        arith::div_rem_to_decide(arith::mul(until_first, limit.tokens.get()), limit.period);
    let tokens = share.saturating_add(base as u128);
    if tokens > limit.capacity as u128 {
        limit.capacity
    } else {
        tokens as u64
    }
}
