//! A LoRa node that keeps the duty cycle of its band, whatever it is asked to send.
//!
//! ```text
//! cargo run -p tokenweir --example lora_duty_cycle
//! ```
//!
//! The scene itself needs no operating system: the firmware in `tests/firmware` shows the same one.

#[path = "scene.rs"]
mod scene;

fn main() {
    let mut text = String::new();
    scene::run(&mut text).expect("a string takes any text");
    print!("{text}");
}
