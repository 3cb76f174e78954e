//! The recorded cycle scenarios.

#![no_std]
#![no_main]

board::report_panics!();

#[board::entry]
fn main() -> ! {
    let tally = conformance::cycle::run(conformance::CYCLE);
    board::println!("cycle: {tally}");
    board::exit(0)
}
