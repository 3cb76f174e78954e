//! The first half of the recorded bucket scenarios; no board's flash is too small for one half.

#![no_std]
#![no_main]

board::report_panics!();

#[board::entry]
fn main() -> ! {
    let tally = conformance::bucket::run(conformance::BUCKET[0]);
    board::println!("bucket, first half: {tally}");
    board::exit(0)
}
