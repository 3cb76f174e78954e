//! What one bandwidth of a bucket remembers, and its arithmetic.

use crate::{Bandwidth, Style};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

/// The state of one bandwidth: `tokens + remainder / period` tokens as of the instant `last`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Whole tokens. Negative while reservations are owed, above the capacity after forced additions.
    pub tokens: BigInt,
    /// The part of the next token that has arrived, in units of one `period`-th. Always 0 unless greedy.
    pub remainder: BigInt,
    /// The instant up to which refills are accounted: for edges the last one, which may lie ahead.
    pub last: BigInt,
}

impl Level {
    /// The level of a new bandwidth.
    #[must_use]
    pub fn fresh(bandwidth: &Bandwidth, now: &BigInt) -> Self {
        let last = match bandwidth.style.first_refill() {
            Some(first) => first - &bandwidth.period,
            None => now.clone(),
        };
        let tokens = bandwidth
            .initial
            .clone()
            .unwrap_or_else(|| bandwidth.capacity.clone());
        let tokens = match &bandwidth.style {
            Style::Adaptive { first_refill } if now < first_refill => {
                let base = (&bandwidth.capacity - &bandwidth.tokens).max(BigInt::ZERO);
                let share = ((first_refill - now) * &bandwidth.tokens).div_floor(&bandwidth.period);
                (base + share).min(bandwidth.capacity.clone())
            }
            _ => tokens,
        };
        Self {
            tokens,
            remainder: BigInt::ZERO,
            last,
        }
    }

    /// Accounts for the refills up to `now`. A clock that went back refills nothing and loses nothing.
    pub fn refill(&mut self, bandwidth: &Bandwidth, now: &BigInt) {
        let mut elapsed = now - &self.last;
        if !bandwidth.style.is_greedy() {
            elapsed -= elapsed.mod_floor(&bandwidth.period);
        }
        if !elapsed.is_positive() {
            return;
        }
        self.last += &elapsed;
        if self.tokens >= bandwidth.capacity {
            return; // Nothing can arrive. What had arrived of the next token stays.
        }
        let arrived = elapsed * &bandwidth.tokens + &self.remainder;
        let (whole, remainder) = arrived.div_mod_floor(&bandwidth.period);
        self.tokens += whole;
        self.remainder = remainder;
        if self.tokens >= bandwidth.capacity {
            self.fill(bandwidth);
        }
    }

    /// Sets the level to exactly the capacity.
    pub fn fill(&mut self, bandwidth: &Bandwidth) {
        self.tokens.clone_from(&bandwidth.capacity);
        self.remainder.set_zero();
    }

    /// Tops up by `n`, to at most the capacity. A level that is already above it stays.
    pub fn add(&mut self, bandwidth: &Bandwidth, n: &BigInt) {
        if self.tokens >= bandwidth.capacity {
            return;
        }
        self.tokens += n;
        if self.tokens >= bandwidth.capacity {
            self.fill(bandwidth);
        }
    }

    /// Adds `n` beyond the capacity if need be; only `i64::MAX` stops it.
    pub fn force_add(&mut self, n: &BigInt) {
        self.tokens += n;
        let most = BigInt::from(i64::MAX);
        if self.tokens > most {
            self.tokens = most;
            self.remainder.set_zero();
        }
    }

    /// Ticks from `now` until there are `n` tokens, rounded up, or `None` (never) if that is not below `i64::MAX`.
    ///
    /// To be asked of a refilled level. Whether `n` exceeds the capacity is not looked at: a debt may.
    #[must_use]
    pub fn wait_for(&self, bandwidth: &Bandwidth, n: &BigInt, now: &BigInt) -> Option<BigInt> {
        let deficit = n - &self.tokens;
        if !deficit.is_positive() {
            return Some(BigInt::ZERO);
        }
        let due = if bandwidth.style.is_greedy() {
            let missing = deficit * &bandwidth.period - &self.remainder;
            &self.last + missing.div_ceil(&bandwidth.tokens)
        } else {
            &self.last + deficit.div_ceil(&bandwidth.tokens) * &bandwidth.period
        };
        // Counted from `now`, not from `last`: the lag of a clock that went back is part of the wait.
        let wait = due - now;
        (wait < BigInt::from(i64::MAX)).then_some(wait)
    }

    /// Ticks from `now` until full, rounded up, or `None` (never) if that is not below `i64::MAX`.
    #[must_use]
    pub fn time_to_full(&self, bandwidth: &Bandwidth, now: &BigInt) -> Option<BigInt> {
        self.wait_for(bandwidth, &bandwidth.capacity, now)
    }
}
