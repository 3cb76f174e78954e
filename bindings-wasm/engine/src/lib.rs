//! What both JavaScript builds of tokenweir call.
//!
//! JavaScript holds limits and limiters as numbers. A [`group`] is some limits together with the
//! states of any number of subjects, its entries: a limiter is a group of one, a keyed limiter one
//! with an entry for each key. All that a limiter can do is [`run`](run::run), one operation on one
//! entry, whose arguments and results are in [`words`]; the calls that decide come also as
//! functions of numbers, which costs least in WebAssembly as well as in Node-API.
//!
//! A function that fails returns [`fault::FAILED`] and says why in [`fault::text`]. What is made in a
//! thread belongs to it, as everything in JavaScript does.

pub mod ask;
pub mod convert;
pub mod fault;
pub mod group;
pub mod limits;
pub mod reservation;
pub mod run;
#[cfg(feature = "shared")]
pub mod shared;
mod slab;
pub mod stored;
pub mod words;
