//! What happens where there is no room.

use core::fmt;

/// What happens to a new key where there is no room and nothing can be given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// It is refused.
    #[default]
    Deny,
    /// It shares one limiter, under the same limits, with all other keys that find no room.
    Share,
}

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
