//! What a keyed limiter answers.

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
