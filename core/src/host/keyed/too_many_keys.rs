//! The refusal of a key for which there is no room.

use core::fmt;

/// A new key found no room; nothing was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TooManyKeys {
    /// The largest number of keys, all of which are in use.
    pub max_keys: usize,
}

impl TooManyKeys {
    /// The stable code of this error: the same in every language and release.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "too_many_keys"
    }
}

impl fmt::Display for TooManyKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "all {} keys are in use", self.max_keys)
    }
}

impl core::error::Error for TooManyKeys {}
