//! The harness itself: start, print a formatted line, exit.

#![no_std]
#![no_main]

use core::fmt::Write;

board::report_panics!();

#[board::entry]
fn main() -> ! {
    let mut line = heapless::String::<32>::new();
    write!(line, "hello from {} bits", usize::BITS).expect("the line has room");
    board::println!("{line}");
    board::exit(0)
}
