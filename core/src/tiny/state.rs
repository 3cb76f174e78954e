//! The state of a tiny bucket.

use core::num::{NonZeroU32, NonZeroU64};

use super::config::TinyConfig;
use super::span::Span;
use crate::{Wait, arith};

/// How full a tiny bucket is: 8 bytes.
///
/// Kept apart from the [`TinyConfig`], so that many callers can share one; a
/// [`TinyBucket`](crate::TinyBucket) is a state together with its configuration, and there each
/// operation is described.
///
/// The one thing kept is the instant from which the bucket is full, in ticks and a fraction of one.
/// With each grant it moves on by the time of the tokens taken, and there are `n` tokens as long as it
/// is not further ahead than the time of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TinyState {
    full_at: u32,
    rest: u32,
}

impl TinyState {
    /// The state of a new bucket at `now`: full, or with the initial tokens of its bandwidth.
    #[must_use]
    pub const fn new(config: &TinyConfig, now: u32) -> Self {
        Self::lacking(config.initially_missing, now)
    }

    /// The state of a bucket that is full after this time.
    #[inline(always)]
    pub(crate) const fn lacking(missing: Span, now: u32) -> Self {
        Self {
            full_at: now.wrapping_add(missing.ticks),
            rest: missing.rest,
        }
    }

    /// As [`TinyBucket::try_consume_one`](crate::TinyBucket::try_consume_one).
    #[must_use]
    #[inline]
    pub const fn try_consume_one(&mut self, config: &TinyConfig, now: u32) -> bool {
        self.take(&config.one, &config.room, &config.unit, now)
    }

    /// As [`TinyBucket::try_consume`](crate::TinyBucket::try_consume).
    #[must_use]
    #[inline]
    pub const fn try_consume(&mut self, config: &TinyConfig, n: NonZeroU32, now: u32) -> bool {
        let room = match config.cost(n) {
            Some(cost) => match config.burst().minus(cost, config.unit) {
                Some(room) => Some((cost, room)),
                None => None,
            },
            None => None,
        };
        match room {
            Some((cost, room)) => self.take(&cost, &room, &config.unit, now),
            None => {
                // Of all refusals only this one can be of a full bucket, which has to be looked after.
                self.touch(now);
                false
            }
        }
    }

    /// As [`TinyBucket::consume_up_to`](crate::TinyBucket::consume_up_to).
    #[must_use = "fewer tokens than asked for may have been taken"]
    pub const fn consume_up_to(&mut self, config: &TinyConfig, most: NonZeroU32, now: u32) -> u32 {
        let available = self.available(config, now);
        let taken = if available < most.get() {
            available
        } else {
            most.get()
        };
        match NonZeroU32::new(taken) {
            Some(n) if self.try_consume(config, n, now) => taken,
            _ => 0,
        }
    }

    /// As [`TinyBucket::touch`](crate::TinyBucket::touch).
    #[inline]
    pub const fn touch(&mut self, now: u32) {
        if self.ahead(now) < 0 {
            *self = Self::lacking(Span::ZERO, now);
        }
    }

    /// As [`TinyBucket::available`](crate::TinyBucket::available).
    #[must_use]
    pub const fn available(&self, config: &TinyConfig, now: u32) -> u32 {
        let Some(there) = config.burst().minus(self.missing(now), config.unit) else {
            return 0;
        };
        let Some(token) = NonZeroU64::new(config.one.units(config.unit)) else {
            return config.capacity;
        };
        // At most the capacity, as `there` is at most the time of it.
        arith::div_rem(there.units(config.unit) as u128, token).0 as u32
    }

    /// As [`TinyBucket::wait`](crate::TinyBucket::wait).
    #[must_use]
    pub const fn wait(&self, config: &TinyConfig, n: NonZeroU32, now: u32) -> Wait {
        let Some(cost) = config.cost(n) else {
            return Wait::Never;
        };
        let Some(room) = config.burst().minus(cost, config.unit) else {
            return Wait::Never;
        };
        match self.missing(now).minus(room, config.unit) {
            Some(excess) => Wait::Ticks(excess.ticks_ceil() as u64),
            None => Wait::NONE,
        }
    }

    /// As [`TinyBucket::time_to_full`](crate::TinyBucket::time_to_full).
    #[must_use]
    pub const fn time_to_full(&self, now: u32) -> Wait {
        Wait::Ticks(self.missing(now).ticks_ceil() as u64)
    }

    /// Takes tokens that cost this time, if the bucket is full not further ahead than `room`.
    ///
    /// The order of the branches is that of the fewest instructions, and the words come by reference
    /// so that each is loaded only in the branch that needs it (`make footprint`).
    #[inline(always)]
    const fn take(&mut self, cost: &Span, room: &Span, unit: &u32, now: u32) -> bool {
        let ahead = self.ahead(now);
        if ahead < 0 {
            *self = Self::lacking(*cost, now);
            return true;
        }
        // Below 2^31.
        let allowed = room.ticks.cast_signed();
        if ahead > allowed || (ahead == allowed && self.rest > room.rest) {
            return false;
        }
        let full_at = Span {
            ticks: self.full_at,
            rest: self.rest,
        };
        let Span { ticks, rest } = full_at.plus(*cost, *unit);
        *self = Self {
            full_at: ticks,
            rest,
        };
        true
    }

    /// How far ahead of `now` the bucket is full, as the shorter way round, in ticks rounded down;
    /// negative if it is full already.
    #[inline(always)]
    const fn ahead(&self, now: u32) -> i32 {
        self.full_at.wrapping_sub(now).cast_signed()
    }

    /// How long the bucket still takes to be full.
    pub(crate) const fn missing(&self, now: u32) -> Span {
        match self.ahead(now) {
            ..0 => Span::ZERO,
            ahead => Span {
                ticks: ahead.cast_unsigned(),
                rest: self.rest,
            },
        }
    }
}
