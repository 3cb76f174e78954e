//! A serial log that a broken sensor cannot flood, and that says what it left out.
//!
//! ```text
//! cargo run -p tokenweir --example log_flood
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
