//! Limits in a store: state as bytes, and commands on it as a pure function.

mod across;
mod command;
mod desired;
mod outage;
mod reservation;
mod run;
mod scripts;

pub(crate) use across::step_across;
pub(crate) use command::PyCommand;
pub(crate) use desired::PyDesired;
pub(crate) use outage::{degraded, share_of, without_store};
pub(crate) use reservation::PyStoredReservation;
pub(crate) use run::{PyStep, PyWrite, step, step_batch};
pub(crate) use scripts::hash_slot;
