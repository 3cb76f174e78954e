//! Limits as text.

mod build;
pub(crate) mod error;
pub(crate) mod format;
pub(crate) mod parse;
pub(crate) mod scan;
pub(crate) mod units;
