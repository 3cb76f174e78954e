//! What a limiter says over HTTP, and what a client makes of it: fields as text, no I/O.
//!
//! A server describes its limits once as [`Policy`] values, makes a [`Quota`] of each at a reply, and
//! sends what [`fields`] gives and, on a refusal, the [`problem`] body. A client passes the fields of
//! a reply to [`Received::parse`] and gets an [`Advice`]. Durations are in nanoseconds, instants in
//! nanoseconds of Unix time.
//!
//! ```
//! use tokenweir::http::{Advice, Policy, Quota, Received, Style, fields};
//! use tokenweir::{Bandwidth, Bucket, TickRate, Tokens};
//!
//! const SECOND: u64 = TickRate::NANOS.hz();
//! let limit = Bandwidth::greedy(10, 10, 60 * SECOND)?;
//! let policy = Policy::new("per-minute", limit.capacity())?.with_window(limit.period())?;
//! let mut bucket = Bucket::new(limit.into(), 0);
//! let _ = bucket.consume_up_to(Tokens::MAX, 0);
//!
//! // The server refuses, in the most widespread style.
//! let probe = bucket.try_consume_with_probe(Tokens::ONE, 0);
//! let quota = Quota::new(&policy, probe.remaining, probe.reset).with_retry_after(probe.wait);
//! let sent: Vec<_> = fields(Style::XRateLimit, &[quota])
//!     .into_iter()
//!     .map(|field| (field.name, field.value))
//!     .collect();
//! let expected = [
//!     ("X-RateLimit-Limit", "10"),
//!     ("X-RateLimit-Remaining", "0"),
//!     ("X-RateLimit-Reset", "60"),
//!     ("Retry-After", "6"),
//! ];
//! assert!(sent.iter().map(|(name, value)| (*name, value.as_str())).eq(expected));
//!
//! // The client comes back in time, and is served.
//! let Advice::NotBefore(instant) = Received::parse(sent, 0).advice() else {
//!     panic!("an instant was sent");
//! };
//! assert!(bucket.try_consume(Tokens::ONE, instant));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! Sources: draft-ietf-httpapi-ratelimit-headers (revisions 10 and 11, which define the same fields;
//! 6 and 7 for the older ones), RFC 9651 (structured fields), RFC 9110 (`Retry-After`, HTTP-date),
//! RFC 9457 (problem details), RFC 7239 (`Forwarded`).

mod address;
mod advice;
mod date;
mod error;
mod fields;
mod forwarded;
mod limits;
mod lines;
mod policy;
mod problem;
mod quota;
mod received;
mod sfv;
mod style;

pub use address::{ClientAddress, ForwardedField};
pub use advice::Advice;
pub use date::parse_date;
pub use error::{AddressError, PolicyError, StyleError};
pub use fields::{Field, fields, retry_after};
pub use limits::{Standing, policies, quotas, standings, window};
pub use policy::{Policy, Unit};
pub use problem::{PROBLEM_MEDIA_TYPE, QUOTA_EXCEEDED, TOO_MANY_REQUESTS, problem};
pub use quota::Quota;
pub use received::{Received, ServiceLimit};
pub use style::Style;

/// Nanoseconds in a second.
const NANOS: u64 = 1_000_000_000;

/// Whole seconds, rounded up: the fields know no others.
const fn seconds(nanos: u64) -> u64 {
    nanos.div_ceil(NANOS)
}

/// Nanoseconds, clamped to `u64::MAX`.
const fn saturating_nanos(seconds: u64) -> u64 {
    seconds.saturating_mul(NANOS)
}
