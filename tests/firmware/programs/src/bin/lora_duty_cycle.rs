//! The LoRa node of `core/examples`: a budget of time on air.

#![no_std]
#![no_main]

#[path = "../../../../../core/examples/lora_duty_cycle/scene.rs"]
mod scene;

board::report_panics!();

#[board::entry]
fn main() -> ! {
    scene::run(&mut board::Output).expect("the board's output takes any text");
    board::exit(0)
}
