//! What tokenweir must answer, computed the slow and obvious way.
//!
//! Every quantity is an unbounded integer, so nothing here can wrap, saturate or round by accident: where a
//! bound exists (a wait beyond `i64::MAX` ticks is "never", a debt beyond `i64::MIN` tokens is an error) it is
//! written down as a rule. Property tests and fuzz targets compare the real crate with this one, which is why
//! the two share no code.
//!
//! * [`Bucket`]: one or more [`Bandwidth`]s, four refill styles, debt, forced tokens, replacement.
//! * [`CycleLimiter`]: permits per fixed cycle, reservations over future cycles, drain, change of limit.
//! * [`vectors`]: runs the recorded scenarios against both.
//!
//! An instant is a signed count of ticks. Vectors use nanoseconds; the models do not care.

mod bandwidth;
mod bucket;
mod cycle;
mod error;
mod level;
mod outcome;
mod replace;
mod settled;

pub mod vectors;

pub use bandwidth::{Bandwidth, Style};
pub use bucket::Bucket;
pub use cycle::CycleLimiter;
pub use error::Error;
pub use level::Level;
pub use outcome::{Estimate, Permit, Probe, Reservation};
pub use replace::Inheritance;
