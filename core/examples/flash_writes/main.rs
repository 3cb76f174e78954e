//! A budget of writes to flash memory that a device in a reset loop cannot exceed.
//!
//! ```text
//! cargo run -p tokenweir --example flash_writes
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
