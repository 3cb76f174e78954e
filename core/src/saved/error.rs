//! Saved bytes that cannot be loaded.

use core::fmt;

use crate::error::coded_error;

/// Bytes that are not a saved state of this limiter with this configuration.
///
/// Whoever gets one decides what to begin with: a new limiter on the first start, an empty one where
/// losing the bytes must not buy a fresh budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SavedError {
    /// Not saved by this library: erased memory, for instance.
    Foreign,
    /// Saved by another kind of limiter.
    OtherLimiter,
    /// Saved by a later version of this library, in a form that this one does not know.
    Newer {
        /// The version of the form; this one knows up to 1.
        version: u8,
    },
    /// Too few or too many bytes.
    Length {
        /// How many were given.
        given: usize,
        /// How many there must be.
        expected: usize,
    },
    /// The checksum is wrong, or a number is out of range.
    Corrupt,
    /// Saved with another configuration, under which the numbers meant something else.
    OtherConfiguration,
}

coded_error!(SavedError {
    Self::Foreign => "saved_foreign",
        "these bytes were not saved by this library";
    Self::OtherLimiter => "saved_other_limiter",
        "these bytes were saved by another kind of limiter";
    Self::Newer { version } => "saved_newer",
        "these bytes have the form {version}, the newest that is known is {}", super::VERSION;
    Self::Length { given, expected } => "saved_length",
        "{given} bytes were given, the saved state has {expected}";
    Self::Corrupt => "saved_corrupt",
        "the saved bytes are corrupt";
    Self::OtherConfiguration => "saved_other_configuration",
        "these bytes were saved with another configuration";
});
