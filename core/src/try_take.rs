//! What all limiters have in common.

use core::num::NonZeroU32;

#[cfg(feature = "atomic")]
use crate::{AtomicBucket, AtomicCycleLimiter};
use crate::{Bucket, CycleLimiter, Permits, TinyBucket, Tokens};

/// A limiter: it takes an amount at an instant, or refuses and takes nothing.
///
/// For code that works with any of them, such as [`Suppressed`](crate::Suppressed); where the
/// limiter is known, its own method says the same.
pub trait TryTake {
    /// What is taken: [`Tokens`], [`Permits`] or, where 64 bits are too many, [`NonZeroU32`].
    type Amount;
    /// When: a count of ticks, which wraps if it has 32 bits.
    type Instant;

    /// Takes `n` if that much is there at `now`; otherwise takes nothing.
    #[must_use]
    fn try_take(&mut self, n: Self::Amount, now: Self::Instant) -> bool;
}

impl<const N: usize> TryTake for Bucket<N> {
    type Amount = Tokens;
    type Instant = u64;

    #[inline]
    fn try_take(&mut self, n: Tokens, now: u64) -> bool {
        self.try_consume(n, now)
    }
}

impl TryTake for CycleLimiter {
    type Amount = Permits;
    type Instant = u64;

    #[inline]
    fn try_take(&mut self, n: Permits, now: u64) -> bool {
        self.try_acquire(n, now)
    }
}

impl TryTake for TinyBucket {
    type Amount = NonZeroU32;
    type Instant = u32;

    #[inline]
    fn try_take(&mut self, n: NonZeroU32, now: u32) -> bool {
        self.try_consume(n, now)
    }
}

/// One that is shared, a `static` for example: each caller has a reference of its own.
#[cfg(feature = "atomic")]
impl TryTake for &AtomicBucket {
    type Amount = Tokens;
    type Instant = u64;

    #[inline]
    fn try_take(&mut self, n: Tokens, now: u64) -> bool {
        self.try_consume(n, now)
    }
}

/// As that of `&AtomicBucket`.
#[cfg(feature = "atomic")]
impl TryTake for &AtomicCycleLimiter {
    type Amount = Permits;
    type Instant = u64;

    #[inline]
    fn try_take(&mut self, n: Permits, now: u64) -> bool {
        self.try_acquire(n, now)
    }
}
