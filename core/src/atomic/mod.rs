//! Limiters in one atomic word: shared by `&self`, lock-free, for threads and interrupt handlers.

mod bucket;
mod cycle;
mod error;
mod pace;
mod window;
mod word;

pub use bucket::AtomicBucket;
pub use cycle::AtomicCycleLimiter;
pub use error::AtomicError;
