//! A bucket of one bandwidth as 24 bytes.

use super::{Kind, SavedError, fingerprint, header, joined, numbers, pair, parts};
use crate::bucket::inherit::edge_before;
use crate::bucket::level::Level;
use crate::{Bandwidth, Bucket, BucketConfig, BucketState, Refill};

impl Bucket<1> {
    /// The state at `now` in 24 bytes, for memory that keeps it while the power is off.
    ///
    /// ```
    /// use tokenweir::{Bandwidth, Bucket, Tokens};
    ///
    /// // 100 a day, in seconds.
    /// let limit = Bandwidth::greedy(100, 100, 86_400)?.into();
    /// let mut bucket = Bucket::new(limit, 0);
    /// assert!(bucket.try_consume(Tokens::new(90)?, 3_600));
    /// let saved = bucket.save(3_600);
    ///
    /// // After a start, whose clock begins at 0 again: off for two hours, or for who knows how long.
    /// let after_two_hours = Bucket::load(limit, &saved, Some(7_200), 0)?;
    /// assert_eq!(after_two_hours.available(0), 18);
    /// let unknown = Bucket::load(limit, &saved, None, 0)?;
    /// assert_eq!(unknown.available(0), 10);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Form 1
    ///
    /// All numbers are little-endian.
    ///
    /// | bytes | content |
    /// |---|---|
    /// | 0 | 0x77 |
    /// | 1 | the form, 1, and in the high half the limiter: 0x11 for a bucket, 0x21 for a cycle limiter, 0x31 for a tiny bucket |
    /// | 2–3 | CRC-16/IBM-3740 of all other bytes |
    /// | 4–7 | FNV-1a hash in 32 bits of the configuration: the u64s listed below |
    /// | 8–15 | whole tokens, signed; negative while reservations are owed |
    /// | 16–23 | greedy: the part of the next token, in units of 1/period; interval: ticks since the last edge; aligned: 0 |
    ///
    /// The configuration is capacity, tokens, period, and the refill: 0 for greedy, 1 for interval, 2
    /// and the first refill for aligned and adaptive. Initial tokens and the id are not part of it.
    #[must_use]
    pub fn save(&self, now: u64) -> [u8; 24] {
        let ([limit], [level]) = (self.config().places(), &self.state().levels);
        let level = level.refilled(limit, now);
        let (tokens, remainder) = level.tokens(limit);
        let since = match limit.refill() {
            Refill::Greedy => remainder,
            Refill::Interval => {
                // With a clock that has gone back, as if it had not yet left the edge.
                u64::try_from(i128::from(now).saturating_sub(level.last(limit))).unwrap_or(0)
            }
            Refill::Aligned { .. } | Refill::Adaptive { .. } => 0,
        };
        let numbers = pair(tokens.cast_unsigned(), since);
        joined(
            header(Kind::Bucket, fingerprint_of(limit), &numbers),
            &numbers,
        )
    }

    /// The bucket that was saved, as it is after `off` ticks at `now`.
    ///
    /// `off` is how long ago [`Bucket::save`] was called, in ticks of the configuration, and the
    /// tokens of that time are refilled. `None` if nobody knows: then nothing is, so that switching
    /// off and on buys nothing. `now` is a reading of the present clock, which may have begun anew:
    /// from here on only the time since then counts. An aligned bandwidth has its edges by the wall
    /// clock that `now` is a reading of.
    ///
    /// # Errors
    ///
    /// A [`SavedError`] that says why these bytes are not the state of this configuration.
    pub fn load(
        config: BucketConfig<1>,
        saved: &[u8],
        off: Option<u64>,
        now: u64,
    ) -> Result<Self, SavedError> {
        let [limit] = config.places();
        let (tokens, since) = parts(numbers(saved, Kind::Bucket, fingerprint_of(limit))?);
        let below = match limit.refill() {
            Refill::Greedy | Refill::Interval => limit.period(),
            Refill::Aligned { .. } | Refill::Adaptive { .. } => 1,
        };
        if since >= below {
            return Err(SavedError::Corrupt);
        }
        let tokens = i128::from(tokens.cast_signed());
        let level = match limit.refill() {
            Refill::Greedy => greedy(limit, tokens, since, off, now),
            Refill::Interval => interval(limit, tokens, since, off, now),
            Refill::Aligned { .. } | Refill::Adaptive { .. } => aligned(limit, tokens, off, now),
        };
        let levels = [level];
        Ok(Self::from_state(config, BucketState { levels }))
    }
}

fn greedy(limit: &Bandwidth, tokens: i128, remainder: u64, off: Option<u64>, now: u64) -> Level {
    // At least -2^63 × 2^63 and at most 2^126.
    let units = tokens
        .saturating_mul(limit.period().into())
        .saturating_add(remainder.into());
    let off = off.unwrap_or(0).into();
    let refilled = Level::from_parts(limit, units, 0).credited(limit, off, 0);
    Level::from_parts(limit, refilled.units(limit), now.into())
}

fn interval(limit: &Bandwidth, tokens: i128, since: u64, off: Option<u64>, now: u64) -> Level {
    // As if the clock had been set so that it is at 0 now.
    let since = i128::from(since).saturating_add(off.unwrap_or(0).into());
    let level = Level::from_parts(limit, tokens, since.wrapping_neg()).refilled(limit, 0);
    let last = level.last(limit).saturating_add(now.into());
    Level::from_parts(limit, level.units(limit), last)
}

fn aligned(limit: &Bandwidth, tokens: i128, off: Option<u64>, now: u64) -> Level {
    let saved_at = i128::from(now).saturating_sub(off.unwrap_or(0).into());
    let last = edge_before(limit, saved_at);
    Level::from_parts(limit, tokens, last).refilled(limit, now)
}

fn fingerprint_of(limit: &Bandwidth) -> u32 {
    let [capacity, tokens, period] = [limit.capacity(), limit.tokens(), limit.period()];
    match limit.refill() {
        Refill::Greedy => fingerprint(&[capacity, tokens, period, 0]),
        Refill::Interval => fingerprint(&[capacity, tokens, period, 1]),
        Refill::Aligned { first_refill } | Refill::Adaptive { first_refill } => {
            fingerprint(&[capacity, tokens, period, 2, first_refill])
        }
    }
}
