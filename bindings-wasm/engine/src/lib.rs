#![forbid(unsafe_code)]
//! What both JavaScript builds of tokenweir call.
//!
//! JavaScript holds a limiter as a number, its slot, and calls functions of numbers: those that
//! decide take the slot, the amount and the milliseconds and return a number, which costs least in
//! WebAssembly as well as in Node-API. All others take their arguments from [`words`] and leave their
//! results there. Each returns [`fault::FAILED`] if it failed and says why in [`fault::text`].
//!
//! Limiters belong to the thread that made them, as everything in JavaScript does.

pub mod bandwidth;
pub mod bucket;
pub mod convert;
pub mod cycle;
pub mod fault;
mod functions;
mod slab;
pub mod words;
