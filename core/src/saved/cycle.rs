//! A fixed-cycle limiter as 24 bytes.

use super::{Kind, SavedError, fingerprint, header, joined, numbers, pair, parts};
use crate::cycle::state::CycleState;
use crate::{CycleConfig, CycleLimiter, arith};

impl CycleLimiter {
    /// The state at `now` in 24 bytes, for memory that keeps it while the power is off.
    ///
    /// ```
    /// use tokenweir::{CycleConfig, CycleLimiter, Permits};
    ///
    /// // 100 a day, in seconds.
    /// let config = CycleConfig::new(100, 86_400)?;
    /// let mut limiter = CycleLimiter::new(config, 0);
    /// assert!(limiter.try_acquire(Permits::new(90)?, 3_600));
    /// let saved = limiter.save(3_600);
    ///
    /// let limiter = CycleLimiter::load(config, &saved, None, 0)?;
    /// assert_eq!(limiter.available(0), 10);
    /// // The first hour of the day has passed, the other 23 are still to come.
    /// assert_eq!((limiter.available(82_799), limiter.available(82_800)), (10, 100));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Form 1
    ///
    /// Bytes 0 to 7 as for [`Bucket::save`](crate::Bucket::save).
    ///
    /// | bytes | content |
    /// |---|---|
    /// | 8–15 | permits left in the cycle, signed; negative while reservations are owed |
    /// | 16–23 | ticks since the cycle began; 0 where cycles are aligned to an edge |
    ///
    /// The configuration is limit and period, and where the cycles are aligned, the remainder of the
    /// edge by the period. The timeout is not part of it; the number of the cycle is not saved.
    #[must_use]
    pub fn save(&self, now: u64) -> [u8; 24] {
        let config = self.config();
        let (balance, since) = self.state().progress(config, now);
        let since = if config.edge().is_some() { 0 } else { since };
        let numbers = pair(balance.cast_unsigned(), since);
        joined(
            header(Kind::Cycle, fingerprint_of(config), &numbers),
            &numbers,
        )
    }

    /// The limiter that was saved, as it is after `off` ticks at `now`, in cycle 0.
    ///
    /// `off` and `now` are as for [`Bucket::load`](crate::Bucket::load): with an `off` of `None` the
    /// cycle goes on where it was, and no other has begun meanwhile.
    ///
    /// # Errors
    ///
    /// A [`SavedError`] that says why these bytes are not the state of this configuration.
    pub fn load(
        config: CycleConfig,
        saved: &[u8],
        off: Option<u64>,
        now: u64,
    ) -> Result<Self, SavedError> {
        let (balance, since) = parts(numbers(saved, Kind::Cycle, fingerprint_of(&config))?);
        let below = if config.edge().is_some() {
            1
        } else {
            config.period()
        };
        if since >= below {
            return Err(SavedError::Corrupt);
        }
        let off = u128::from(off.unwrap_or(0));
        let (edges, since) = match config.edge() {
            None => arith::div_rem(off.saturating_add(since.into()), config.period),
            Some(_) => {
                // From the edge before the start, so that all of it is positive.
                let into = config.since_edge(now);
                let back = off.saturating_sub(into.into());
                (arith::div_ceil(back, config.period), into)
            }
        };
        let state = CycleState::resumed(&config, balance.cast_signed(), edges, since, now);
        Ok(Self::from_state(config, state))
    }
}

fn fingerprint_of(config: &CycleConfig) -> u32 {
    let (limit, period) = (config.limit(), config.period());
    match config.edge() {
        None => fingerprint(&[limit, period]),
        Some(edge) => {
            let (_, phase) = arith::div_rem(edge.into(), config.period);
            fingerprint(&[limit, period, phase])
        }
    }
}
