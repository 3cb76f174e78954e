//! What cannot be sent or configured. Nothing that is received is ever an error.

use core::fmt;

use crate::error::coded_error;

/// A [`Policy`](super::Policy) that no field can carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PolicyError {
    /// The name is empty.
    EmptyName,
    /// The name has a character that a quoted string cannot carry.
    NameCharacter {
        /// The character.
        character: char,
        /// Its byte position in the name.
        position: usize,
    },
    /// The window is zero.
    NonPositiveWindow,
}

coded_error!(PolicyError {
    Self::EmptyName => "empty_policy_name",
        "the policy's name is empty, at least one character is needed";
    Self::NameCharacter { character, position } => "policy_name_character",
        "the policy's name has {character:?} at {position}, only printable ASCII can be sent";
    Self::NonPositiveWindow => "non_positive_window",
        "the policy's window is 0 ns, at least 1 is needed";
});

/// A [`Style`](super::Style) that has no such name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StyleError {
    /// No style has this name.
    Unknown,
}

coded_error!(StyleError {
    Self::Unknown => "unknown_field_style",
        "the style is none of `draft`, `draft-7`, `legacy`, `x-ratelimit` and `none`";
});

/// [`ClientAddress`](super::ClientAddress) rules that cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AddressError {
    /// IPv6 addresses would be grouped by too many or too few bits.
    Ipv6Prefix {
        /// What was given, in bits.
        prefix: u32,
    },
    /// No field of forwarded addresses has this name.
    UnknownField,
}

coded_error!(AddressError {
    Self::Ipv6Prefix { prefix } => "ipv6_prefix_out_of_range",
        "an IPv6 prefix of {prefix} bits is out of range, it must be from 32 to 128";
    Self::UnknownField => "unknown_forwarded_field",
        "the field is neither `x-forwarded-for` nor `forwarded`";
});
