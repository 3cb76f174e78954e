//! A tiny bucket as 16 bytes.

use super::{Kind, SavedError, fingerprint, header, joined, numbers};
use crate::tiny::span::Span;
use crate::{TinyBucket, TinyConfig, TinyState};

impl TinyBucket {
    /// The state at `now` in 16 bytes, for memory that keeps it while the power is off.
    ///
    /// ```
    /// use tokenweir::{Bandwidth, TinyBucket, TinyConfig};
    ///
    /// // 10 an hour, in seconds.
    /// let config = TinyConfig::new(Bandwidth::greedy(10, 10, 3_600)?)?;
    /// let mut bucket = TinyBucket::new(config, 50);
    /// assert!((0..10).all(|_| bucket.try_consume_one(50)));
    /// let saved = bucket.save(50);
    ///
    /// let mut bucket = TinyBucket::load(config, &saved, None, 0)?;
    /// assert!(!bucket.try_consume_one(359) && bucket.try_consume_one(360));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Form 1
    ///
    /// Bytes 0 to 7 as for [`Bucket::save`](crate::Bucket::save).
    ///
    /// | bytes | content |
    /// |---|---|
    /// | 8–11 | how long until the bucket is full, in whole ticks |
    /// | 12–15 | the fraction of a tick beyond them, in parts of 1/tokens of the rate in lowest terms |
    ///
    /// The configuration is capacity, the tokens of the rate in lowest terms, and the time of one
    /// token as whole ticks and such parts.
    #[must_use]
    pub fn save(&self, now: u32) -> [u8; 16] {
        let (missing, burst) = (self.state().missing(now), self.config().burst());
        // A late reading can be further from the time when it is full than an empty bucket is.
        let empty = burst.minus(missing, self.config().unit).is_none();
        let Span { ticks, rest } = if empty { burst } else { missing };
        let numbers = (u64::from(ticks) | (u64::from(rest) << 32)).to_le_bytes();
        let header = header(Kind::Tiny, fingerprint_of(self.config()), &numbers);
        joined(header, &numbers)
    }

    /// The bucket that was saved, as it is after `off` ticks at `now`.
    ///
    /// `off` and `now` are as for [`Bucket::load`](crate::Bucket::load); `off` does not wrap.
    ///
    /// # Errors
    ///
    /// A [`SavedError`] that says why these bytes are not the state of this configuration.
    pub fn load(
        config: TinyConfig,
        saved: &[u8],
        off: Option<u64>,
        now: u32,
    ) -> Result<Self, SavedError> {
        let numbers = numbers(saved, Kind::Tiny, fingerprint_of(&config))?;
        let numbers = u64::from_le_bytes(numbers);
        let missing = Span {
            ticks: numbers as u32,
            rest: (numbers >> 32) as u32,
        };
        if missing.rest >= config.unit || config.burst().minus(missing, config.unit).is_none() {
            return Err(SavedError::Corrupt);
        }
        let off = u32::try_from(off.unwrap_or(0)).unwrap_or(u32::MAX);
        let missing = match missing.ticks.checked_sub(off) {
            Some(ticks) => Span { ticks, ..missing },
            None => Span::ZERO,
        };
        Ok(Self::from_state(config, TinyState::lacking(missing, now)))
    }
}

fn fingerprint_of(config: &TinyConfig) -> u32 {
    let one = config.one;
    let numbers = [config.capacity(), config.unit, one.ticks, one.rest];
    fingerprint(&numbers.map(u64::from))
}
