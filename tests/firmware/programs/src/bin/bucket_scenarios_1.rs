//! The first half of the recorded bucket scenarios; no board's flash is too small for one half.

#![no_std]
#![no_main]

use conformance::{BUCKET, bucket};

board::report_panics!();

#[board::entry]
fn main() -> ! {
    let half = BUCKET[0];
    board::println!("Bucket, first half: {}", bucket::run(half));
    board::println!("AtomicBucket, first half: {}", bucket::run_atomic(half));
    board::println!("TinyBucket, first half: {}", bucket::run_tiny(half));
    board::exit(0)
}
