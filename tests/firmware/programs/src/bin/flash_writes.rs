//! The flash memory of `core/examples`: a budget that outlives resets.

#![no_std]
#![no_main]

#[path = "../../../../../core/examples/flash_writes/scene.rs"]
mod scene;

board::report_panics!();

#[board::entry]
fn main() -> ! {
    scene::run(&mut board::Output).expect("the board's output takes any text");
    board::exit(0)
}
