//! Limits in a store: state as bytes, and commands on it as a pure function.
//!
//! A store adapter reads the bytes of a key, calls [`step`](fn@step), and writes what comes back,
//! if anything does; how it makes sure that nobody wrote in between is its affair. The layout of the
//! bytes is described in `docs/state.md`.

mod across;
mod bytes;
mod command;
mod entry;
mod error;
mod layout;
mod outage;
pub mod scripts;
mod step;

pub use across::{AcrossError, Key, deciding, step_across};
pub use command::{Command, Outcome};
pub use error::StateError;
pub use outage::{share_of, without_store};
pub use step::{Desired, Step, Write, step, step_batch};
