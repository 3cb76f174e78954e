//! A panic on a board must be seen by whoever runs the tests; `test.sh` runs this one and expects failure.

#![no_std]
#![no_main]

board::report_panics!();

#[board::entry]
fn main() -> ! {
    panic!("on purpose")
}
