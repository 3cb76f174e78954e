//! Structured Field Values (RFC 9651), as far as the rate limit fields need them.
//!
//! Our own, because the crates there are need `std` (sfv, and httpdate for dates), and a browser pays
//! for every byte; a test compares it with sfv. Parsing is strict: a field that breaks the grammar
//! anywhere is ignored as a whole, as RFC 9651 section 4.2 asks.

mod bare;
pub(super) mod base64;
pub(super) mod parse;
pub(super) mod write;

/// The largest integer of a structured field: 15 digits.
pub(super) const MAX_INTEGER: u64 = 999_999_999_999_999;
