//! What can be wrong with a set of limits.

use alloc::boxed::Box;
use core::fmt;

use super::limits::Limits;

/// [`Limits`] that cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitsError {
    /// At least one limit is needed.
    NoLimits,
    /// More limits than [`Limits::MAX`].
    TooManyLimits,
    /// Two limits have the same name.
    DuplicateName {
        /// The name.
        name: Box<str>,
    },
    /// A name is empty or longer than [`Limits::MAX_NAME`] bytes.
    NameLength {
        /// The length that was given, in bytes.
        length: usize,
    },
    /// A limit is aligned to a wall clock, and the clock does not tell the time of day.
    AlignedRequiresWallClock,
    /// The clock does not count nanoseconds.
    RequiresNanoseconds {
        /// Its ticks per second.
        hz: u64,
    },
}

impl LimitsError {
    /// The stable code of this error: the same in every language and release.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoLimits => "no_bandwidths",
            Self::TooManyLimits => "too_many_bandwidths",
            Self::DuplicateName { .. } => "duplicate_bandwidth_id",
            Self::NameLength { .. } => "limit_name_length",
            Self::AlignedRequiresWallClock => "aligned_requires_wall_clock",
            Self::RequiresNanoseconds { .. } => "requires_nanoseconds",
        }
    }
}

impl fmt::Display for LimitsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLimits => f.write_str("there are no limits, at least 1 is needed"),
            Self::TooManyLimits => {
                write!(
                    f,
                    "there are too many limits, at most {} are allowed",
                    Limits::MAX
                )
            }
            Self::DuplicateName { name } => {
                write!(f, "two limits have the name {name:?}, names must differ")
            }
            Self::NameLength { length } => write!(
                f,
                "a name of {length} bytes is out of range, 1 to {} are allowed",
                Limits::MAX_NAME
            ),
            Self::RequiresNanoseconds { hz } => write!(
                f,
                "the clock counts {hz} ticks a second, limits need nanoseconds"
            ),
            Self::AlignedRequiresWallClock => {
                f.write_str("an aligned limit needs a wall clock, this clock is monotonic")
            }
        }
    }
}

impl core::error::Error for LimitsError {}
