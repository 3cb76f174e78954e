//! The parts of a state as numbers.

use alloc::vec::Vec;

use super::limits::Limits;
use super::state::LimiterState;
use crate::bucket::snapshot;
use crate::{CycleState, LevelSnapshot, SnapshotError};

impl LimiterState {
    /// The numbers of each bandwidth, in the order of the limits.
    ///
    /// ```
    /// use tokenweir::{LimiterState, Limits, Tokens};
    ///
    /// let limits = Limits::parse("10/s")?;
    /// let mut state = LimiterState::new(&limits, 0);
    /// assert!(state.try_acquire(&limits, Tokens::ONE, 0));
    /// let levels: Vec<_> = state.levels(&limits).collect();
    /// assert_eq!(levels[0].tokens, 9);
    /// assert_eq!(LimiterState::restore(&limits, &levels, state.cycles()), Ok(state));
    /// # Ok::<(), tokenweir::LimitSyntaxError>(())
    /// ```
    pub fn levels(&self, limits: &Limits) -> impl ExactSizeIterator<Item = LevelSnapshot> {
        let levels = limits.bandwidths().iter().zip(self.slots().levels);
        levels.map(|(limit, level)| snapshot::snapshot_of(limit, level))
    }

    /// The state of each cycle, in the order of the limits.
    #[must_use]
    pub fn cycles(&self) -> &[CycleState] {
        self.slots().cycles
    }

    /// The state with these parts, in the order of the limits.
    ///
    /// # Errors
    ///
    /// A [`SnapshotError`] if the numbers do not fit the limits.
    pub fn restore(
        limits: &Limits,
        levels: &[LevelSnapshot],
        cycles: &[CycleState],
    ) -> Result<Self, SnapshotError> {
        let (given, expected) = (
            levels.len().saturating_add(cycles.len()),
            limits
                .bandwidths()
                .len()
                .saturating_add(limits.cycles().len()),
        );
        if levels.len() != limits.bandwidths().len() || given != expected {
            return Err(SnapshotError::BandwidthCount { given, expected });
        }
        let parts = limits.bandwidths().iter().zip(levels);
        let restored = parts.map(|(limit, level)| snapshot::restored_level(limit, level));
        let restored = restored.collect::<Result<Vec<_>, _>>()?;
        Ok(Self::of(restored.into_iter(), cycles.iter().copied()))
    }
}
