//! Bytes that are no state.

use core::fmt;

use crate::error::coded_error;

/// Stored bytes that cannot be used. They are never taken for a fresh state: what to do with the key
/// is for the caller to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StateError {
    /// The bytes end too early.
    Truncated {
        /// How many there are.
        length: usize,
    },
    /// The bytes do not begin as a state does.
    Foreign {
        /// The first byte.
        first: u8,
    },
    /// The bytes have a layout of a later release.
    Newer {
        /// The number of the layout.
        layout: u8,
        /// The newest one this release knows.
        known: u8,
    },
    /// The bytes were changed, or hold values that no state has.
    Corrupt,
}

coded_error!(StateError {
    Self::Truncated { length } => "state_truncated",
        "the stored state ends too early, after {length} bytes";
    Self::Foreign { first } => "state_foreign",
        "the stored bytes are no state: they begin with {first:#04x}";
    Self::Newer { layout, known } => "state_newer",
        "the stored state has layout {layout}, the newest known is {known}";
    Self::Corrupt => "state_corrupt",
        "the stored state is corrupt: its checksum or a value does not fit";
});
