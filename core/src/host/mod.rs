//! The host layer: what every service, store and language binding needs on top of the limiters.
//!
//! Still pure: no clock is read and nothing is stored here. Instants are in nanoseconds. Only what is
//! shared between threads needs `std`.

pub(crate) mod acquire;
pub(crate) mod counters;
pub(crate) mod decision;
pub(crate) mod error;
mod explain;
pub(crate) mod joint;
#[cfg(feature = "std")]
pub(crate) mod keyed;
pub(crate) mod limit;
pub(crate) mod limiter;
pub(crate) mod limits;
pub(crate) mod listener;
mod most;
pub(crate) mod refund;
pub(crate) mod reserve;
#[cfg(feature = "std")]
pub(crate) mod shared;
pub mod signed;
pub(crate) mod slots;
mod snapshot;
pub(crate) mod state;
pub(crate) mod text;
pub(crate) mod update;
pub(crate) mod waiting;
