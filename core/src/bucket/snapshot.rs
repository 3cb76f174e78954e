//! State as numbers, to be kept and restored.

use super::config::BucketConfig;
use super::level::Level;
use super::state::BucketState;
use crate::{Bandwidth, SnapshotError, arith};

/// The state of one bandwidth as numbers that do not depend on how it is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct LevelSnapshot {
    /// Whole tokens; negative while reservations are owed.
    pub tokens: i64,
    /// The part of the next token that has been refilled, in units of 1/period: from 0 to
    /// period − 1, and 0 for refills at edges.
    pub remainder: u64,
    /// The instant of the last refill, in ticks. Negative only before the first edge of an aligned
    /// bandwidth, or of one that took over from it, as the previous edge may lie before tick 0.
    pub last_refill: i128,
}

/// The state of a bucket as numbers: one [`LevelSnapshot`] for each bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BucketSnapshot<const N: usize> {
    levels: [LevelSnapshot; N],
    len: usize,
}

impl<const N: usize> BucketSnapshot<N> {
    /// A snapshot made of its numbers, one entry for each bandwidth.
    ///
    /// # Errors
    ///
    /// [`SnapshotError::BandwidthCount`] for more than `N` entries.
    pub fn from_slice(given: &[LevelSnapshot]) -> Result<Self, SnapshotError> {
        if given.len() > N {
            return Err(SnapshotError::BandwidthCount {
                given: given.len(),
                expected: N,
            });
        }
        let mut levels = [LevelSnapshot::default(); N];
        for (place, level) in levels.iter_mut().zip(given) {
            *place = *level;
        }
        Ok(Self {
            levels,
            len: given.len(),
        })
    }

    /// The numbers, one entry for each bandwidth in the order of the configuration.
    #[must_use]
    pub fn levels(&self) -> &[LevelSnapshot] {
        self.levels.get(..self.len).unwrap_or_default()
    }

    pub(crate) fn of(config: &BucketConfig<N>, state: &BucketState<N>) -> Self {
        let mut levels = [LevelSnapshot::default(); N];
        let parts = config.bandwidths().iter().zip(&state.levels);
        for (place, (limit, level)) in levels.iter_mut().zip(parts) {
            *place = snapshot_of(limit, level);
        }
        Self {
            levels,
            len: config.bandwidths().len(),
        }
    }
}

/// The levels with these numbers.
pub(crate) fn restored<const N: usize>(
    limits: &[Bandwidth],
    given: &[LevelSnapshot],
) -> Result<[Level; N], SnapshotError> {
    if limits.len() != given.len() {
        return Err(SnapshotError::BandwidthCount {
            given: given.len(),
            expected: limits.len(),
        });
    }
    let mut levels = [Level::UNUSED; N];
    for ((place, limit), level) in levels.iter_mut().zip(limits).zip(given) {
        *place = restored_level(limit, level)?;
    }
    Ok(levels)
}

/// The numbers of one level.
pub(crate) const fn snapshot_of(limit: &Bandwidth, level: &Level) -> LevelSnapshot {
    let (tokens, remainder) = level.tokens(limit);
    LevelSnapshot {
        tokens,
        remainder,
        last_refill: level.last(limit),
    }
}

/// The level with these numbers, if they fit its bandwidth.
pub(crate) fn restored_level(
    limit: &Bandwidth,
    snapshot: &LevelSnapshot,
) -> Result<Level, SnapshotError> {
    let unit = limit.unit().get();
    if snapshot.remainder >= unit {
        return Err(SnapshotError::Remainder {
            remainder: snapshot.remainder,
            below: unit,
        });
    }
    let earliest = if limit.is_greedy() {
        0
    } else {
        // The edge before the first can lie a period before tick 0: of this bandwidth, or of one that
        // it took over from and whose period was longer.
        (arith::MAX as i128).wrapping_neg()
    };
    let latest = u64::MAX as i128;
    if snapshot.last_refill < earliest || snapshot.last_refill > latest {
        return Err(SnapshotError::LastRefill {
            instant: snapshot.last_refill,
        });
    }
    // |tokens| × unit is at most 2^126 and the remainder below one unit.
    let whole = arith::mul_signed(snapshot.tokens.unsigned_abs(), unit);
    let whole = if snapshot.tokens < 0 {
        whole.wrapping_neg()
    } else {
        whole
    };
    let units = whole.wrapping_add(snapshot.remainder as i128);
    Ok(Level::from_parts(limit, units, snapshot.last_refill))
}
