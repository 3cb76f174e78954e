#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::float_arithmetic,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used
    )
)]
//! An exact rate limiter: a token bucket and a fixed-cycle limiter in integer arithmetic, without
//! `std`, without allocation and with an injected clock.
//!
//! ```
//! use tokenweir::{Bandwidth, Bucket, TickRate, Tokens, Wait};
//!
//! // 3 tokens a second, in nanoseconds. A token's time is not a whole number of them.
//! let mut bucket = Bucket::new(Bandwidth::per_second(3, TickRate::NANOS)?.into(), 0);
//! assert!(bucket.try_consume(Tokens::new(3)?, 0));
//! let probe = bucket.try_consume_with_probe(Tokens::ONE, 0);
//! // The promise: refused one tick before the wait is over, granted at it.
//! assert_eq!(probe.wait, Wait::Ticks(333_333_334));
//! assert!(!bucket.try_consume(Tokens::ONE, 333_333_333));
//! assert!(bucket.try_consume(Tokens::ONE, 333_333_334));
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! | to limit | use |
//! |---|---|
//! | a rate with a burst, or several at once | [`Bucket`] |
//! | a number per minute, hour or day, with reservations | [`CycleLimiter`] |
//! | the same in 8 bytes, on the smallest processors | [`TinyBucket`] |
//! | many callers by one configuration | [`BucketState`], [`CycleState`] |
//! | from many threads and interrupts, in a `static` | [`AtomicBucket`](https://docs.rs/tokenweir/latest/tokenweir/struct.AtomicBucket.html), feature `atomic` |
//! | each of a fixed number of keys, without allocation | [`Keyed`](https://docs.rs/tokenweir/latest/tokenweir/struct.Keyed.html), feature `keyed` |
//! | log lines, and count those left out | [`Suppressed`] |
//! | tasks that wait for their turn | [`SharedBucket`](https://docs.rs/tokenweir/latest/tokenweir/struct.SharedBucket.html), feature `async` |
//! | across power cycles | [`Bucket::save`] and [`Bucket::load`] |
//! | without passing `now` | [`ClockedBucket`], [`ClockedCycle`] over a [`Clock`] |
//!
//! # Time
//!
//! An instant is a `u64` count of ticks in a unit you choose, and periods and waits are in the same
//! ticks; [`TickRate`] converts durations, exactly or with an error. A reading that is earlier than
//! the one before refills nothing, loses nothing and grants nothing extra.
//!
//! The module `guide` of the documentation has a page for each thing a service needs.
//!
//! # Features
//!
//! None is on by default; all are additive.
//!
//! - `alloc`: the host layer: `Limits` as text and the `Limiter` over them, and the modules `stored`
//!   and `http`.
//! - `std`: clocks of the operating system; includes `alloc`.
//! - `float`: rates given as `f64`, kept as the simplest ratio that rounds to them.
//! - `atomic`: lock-free limiters in one 64-bit atomic word.
//! - `keyed`: a limiter of a fixed number of keys, in a hash map of fixed size.
//! - `async`: waiting for tokens with any delay of `embedded-hal-async`, such as embassy-time's.
//! - `defmt`: `defmt::Format` on configurations, states, amounts, answers and errors.

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod amount;
mod arith;
#[cfg(feature = "atomic")]
mod atomic;
pub mod backoff;
mod bandwidth;
mod bandwidth_id;
mod bucket;
mod checked;
mod checksum;
mod clock;
mod cycle;
mod error;
#[cfg(feature = "float")]
mod float;
mod float_unit;
#[cfg(all(any(doc, doctest), feature = "std"))]
pub mod guide;
#[cfg(feature = "alloc")]
mod host;
#[cfg(feature = "alloc")]
pub mod http;
#[cfg(feature = "keyed")]
mod keyed;
#[cfg(any(feature = "keyed", feature = "std"))]
mod overflow;
mod saved;
#[cfg(feature = "async")]
mod shared;
#[cfg(feature = "alloc")]
pub mod stored;
mod suppressed;
mod tick_rate;
mod tiny;
mod try_take;
mod wait;

pub use amount::{Permits, Tokens};
#[cfg(feature = "atomic")]
pub use atomic::{AtomicBucket, AtomicCycleLimiter, AtomicError};
pub use bandwidth::{Bandwidth, Refill};
pub use bandwidth_id::BandwidthId;
pub use bucket::Bucket;
pub use bucket::config::BucketConfig;
pub use bucket::inherit::TokensInheritance;
pub use bucket::outcome::{Estimate, Probe, Reservation};
pub use bucket::snapshot::{BucketSnapshot, LevelSnapshot};
pub use bucket::state::BucketState;
pub use clock::{Clock, ClockedBucket, ClockedCycle, ManualClock, Widening, WideningClock};
#[cfg(feature = "std")]
pub use clock::{MonotonicClock, SystemClock};
pub use cycle::CycleLimiter;
pub use cycle::config::CycleConfig;
pub use cycle::refusal::CycleRefusal;
pub use cycle::state::CycleState;
pub use error::{
    AmountError, BandwidthError, ConfigError, CycleConfigError, DurationError, FloatTimeError,
    ReserveError, SnapshotError,
};
#[cfg(feature = "float")]
pub use float::RateError;
pub use float_unit::FloatUnit;
#[cfg(feature = "std")]
pub use host::keyed::{KeyedLimiter, LockedKeys, TooManyKeys};
#[cfg(feature = "std")]
pub use host::shared::{AcquireError, SharedLimiter};
#[cfg(feature = "alloc")]
pub use host::{
    counters::Counters,
    decision::{Decision, LimitStatus},
    error::LimitsError,
    joint::{JointDecision, JointReserveError, Subject, decide_all, reserve_all},
    limit::{Limit, Rule},
    limiter::Limiter,
    limits::Limits,
    listener::{Decided, Listener},
    reserve::LimiterReservation,
    signed,
    state::LimiterState,
    text::error::LimitSyntaxError,
    waiting::{
        WaitQueue,
        outcome::{JoinError, Joined, Served, Ticket},
        waitable::Waitable,
    },
};
#[cfg(feature = "keyed")]
pub use keyed::Keyed;
#[cfg(feature = "keyed")]
pub use keyed::outcome::KeyedOutcome;
#[cfg(feature = "keyed")]
pub use keyed::state::{Instant, KeyedState};
#[cfg(any(feature = "keyed", feature = "std"))]
pub use overflow::Overflow;
pub use saved::SavedError;
#[cfg(feature = "async")]
pub use shared::{SharedBucket, SharedCycle};
pub use suppressed::Suppressed;
pub use tick_rate::TickRate;
pub use tiny::TinyBucket;
pub use tiny::config::TinyConfig;
pub use tiny::error::TinyConfigError;
pub use tiny::state::TinyState;
pub use try_take::TryTake;
pub use wait::Wait;

/// The examples of the README.
#[cfg(all(doctest, feature = "std", feature = "atomic"))]
#[doc = include_str!("../../README.md")]
struct Readme;
