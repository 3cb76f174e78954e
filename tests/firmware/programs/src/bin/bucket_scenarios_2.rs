//! The second half of the recorded bucket scenarios; no board's flash is too small for one half.

#![no_std]
#![no_main]

use conformance::{BUCKET, bucket};

board::report_panics!();

#[board::entry]
fn main() -> ! {
    let half = BUCKET[1];
    board::println!("Bucket, second half: {}", bucket::run(half));
    board::println!("AtomicBucket, second half: {}", bucket::run_atomic(half));
    board::println!("TinyBucket, second half: {}", bucket::run_tiny(half));
    board::exit(0)
}
