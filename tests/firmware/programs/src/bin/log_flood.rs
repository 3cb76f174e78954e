//! The log flood of `core/examples`: TinyBucket and what it suppressed.

#![no_std]
#![no_main]

#[path = "../../../../../core/examples/log_flood/scene.rs"]
mod scene;

board::report_panics!();

#[board::entry]
fn main() -> ! {
    scene::run(&mut board::Output).expect("the board's output takes any text");
    board::exit(0)
}
