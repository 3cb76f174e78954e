//! The limit of a fixed-cycle limiter.

use core::num::NonZeroU64;

use crate::{CycleConfigError, arith};

/// `limit` permits in each cycle of `period` ticks, and how long a reservation may wait.
///
/// A cycle limiter counts permits in cycles that follow one another without a gap. Just before and
/// just after an edge it can grant twice the limit in a short time: where that matters, use a
/// [`Bandwidth`](crate::Bandwidth).
///
/// ```
/// use tokenweir::{CycleConfig, checked};
///
/// // 10 permits a minute in milliseconds; reservations may wait for 5 s.
/// const CONFIG: CycleConfig =
///     checked!(checked!(CycleConfig::new(10, 60_000)).with_timeout(5_000));
/// // Cycles that begin at full minutes of a wall clock that counts from midnight.
/// const MINUTES: CycleConfig = CONFIG.aligned_to(0);
/// ```
#[doc(alias = "fixed window")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct CycleConfig {
    pub(crate) limit: NonZeroU64,
    pub(crate) period: NonZeroU64,
    pub(super) timeout: u64,
    pub(crate) edge: Option<u64>,
}

impl CycleConfig {
    /// `limit` permits in each cycle of `period` ticks, counted from construction, and a timeout
    /// of 0: reservations are then granted only if they need no wait.
    ///
    /// # Errors
    ///
    /// A [`CycleConfigError`] for a limit or a period that is 0 or above `i64::MAX`.
    pub const fn new(limit: u64, period: u64) -> Result<Self, CycleConfigError> {
        let limit = match checked_limit(limit) {
            Ok(limit) => limit,
            Err(error) => return Err(error),
        };
        let Some(nonzero) = NonZeroU64::new(period) else {
            return Err(CycleConfigError::PeriodTooShort { period: 0 });
        };
        if period > arith::MAX {
            return Err(CycleConfigError::PeriodTooLarge {
                period: period as i128,
            });
        }
        Ok(Self {
            limit,
            period: nonzero,
            timeout: 0,
            edge: None,
        })
    }

    /// This configuration with another limit.
    ///
    /// # Errors
    ///
    /// As [`CycleConfig::new`].
    pub const fn with_limit(mut self, limit: u64) -> Result<Self, CycleConfigError> {
        match checked_limit(limit) {
            Ok(limit) => {
                self.limit = limit;
                Ok(self)
            }
            Err(error) => Err(error),
        }
    }

    /// This configuration with reservations that may wait for `timeout` ticks (inclusive).
    ///
    /// # Errors
    ///
    /// [`CycleConfigError::TimeoutTooLarge`] above `i64::MAX`.
    pub const fn with_timeout(mut self, timeout: u64) -> Result<Self, CycleConfigError> {
        if timeout > arith::MAX {
            return Err(CycleConfigError::TimeoutTooLarge {
                timeout: timeout as i128,
            });
        }
        self.timeout = timeout;
        Ok(self)
    }

    /// This configuration with cycles whose edges are at `edge` and every period before and after
    /// it, instead of cycles counted from construction.
    #[must_use]
    pub const fn aligned_to(mut self, edge: u64) -> Self {
        self.edge = Some(edge);
        self
    }

    /// This configuration without a timeout.
    #[cfg(feature = "alloc")]
    pub(crate) const fn without_timeout(mut self) -> Self {
        self.timeout = 0;
        self
    }

    /// Permits in each cycle.
    #[must_use]
    pub const fn limit(&self) -> u64 {
        self.limit.get()
    }

    /// The length of a cycle, in ticks.
    #[must_use]
    pub const fn period(&self) -> u64 {
        self.period.get()
    }

    /// How long a reservation may wait, in ticks.
    #[must_use]
    pub const fn timeout(&self) -> u64 {
        self.timeout
    }

    /// An edge the cycles are aligned to, in ticks of a wall clock.
    #[must_use]
    pub const fn edge(&self) -> Option<u64> {
        self.edge
    }

    /// How far into its cycle `now` is, in ticks: 0 where cycles are counted from construction.
    pub(crate) const fn since_edge(&self, now: u64) -> u64 {
        match self.edge {
            None => 0,
            Some(edge) if now >= edge => {
                arith::div_rem_to_decide(now.wrapping_sub(edge) as u128, self.period).1
            }
            Some(edge) => {
                let (_, to_edge) =
                    arith::div_rem_to_decide(edge.wrapping_sub(now) as u128, self.period);
                // The distance back to the edge before: `period - to_edge`, or none on an edge.
                if to_edge == 0 {
                    0
                } else {
                    self.period.get().wrapping_sub(to_edge)
                }
            }
        }
    }

    /// Whether `other` has the same cycles.
    pub(super) fn same_cycles(&self, other: &Self) -> bool {
        self.period == other.period && self.edge == other.edge
    }
}

const fn checked_limit(limit: u64) -> Result<NonZeroU64, CycleConfigError> {
    match NonZeroU64::new(limit) {
        None => Err(CycleConfigError::LimitTooSmall { limit: 0 }),
        Some(_) if limit > arith::MAX => Err(CycleConfigError::LimitTooLarge {
            limit: limit as i128,
        }),
        Some(limit) => Ok(limit),
    }
}
