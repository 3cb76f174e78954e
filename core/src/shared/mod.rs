//! Limiters shared by the tasks of one executor, which wait for their turn.

mod bucket;
mod cycle;
mod turn;

pub use bucket::SharedBucket;
pub use cycle::SharedCycle;
