//! Links only if it cannot panic; with the feature `planted-panic` it can, and must not link.

#![no_std]
#![no_main]

use core::hint::black_box;

board::forbid_panics!();

#[board::entry]
fn main() -> ! {
    let numbers = black_box([1_u32, 2, 3, 4]);
    let index = black_box(2_usize);
    #[cfg(feature = "planted-panic")]
    let number = numbers[index];
    #[cfg(not(feature = "planted-panic"))]
    let number = numbers.get(index).copied().unwrap_or(0);
    if number == 3 {
        board::print_text("no panic path\n");
        board::exit(0)
    }
    board::exit(1)
}
