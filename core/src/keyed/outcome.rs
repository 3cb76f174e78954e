//! What a keyed limiter answers.

/// What becomes of a new key when all places are taken by keys that are not idle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum WhenFull {
    /// It is refused, with [`KeyedOutcome::NoRoom`]. A flood of new keys then gets nothing, and no
    /// known key suffers.
    Deny,
    /// It shares one more state, of the same configuration, with all others that find no place. What
    /// a key takes there is not counted when it has a place of its own later: all that new keys can
    /// get beyond their own limits is this one state's.
    Share,
}

/// The outcome of asking a keyed limiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
#[non_exhaustive]
pub enum KeyedOutcome {
    /// It was taken.
    Granted,
    /// The limit of the key, or of the shared state, refuses it.
    Refused,
    /// The key is new, no place is free or idle, and such keys are denied.
    NoRoom,
}

impl KeyedOutcome {
    /// Whether it was taken.
    #[must_use]
    pub const fn is_granted(self) -> bool {
        matches!(self, Self::Granted)
    }

    pub(super) const fn of(granted: bool) -> Self {
        if granted {
            Self::Granted
        } else {
            Self::Refused
        }
    }
}
