//! What the emulated boards have in common, so that one program runs on all of them.
//!
//! ```ignore
//! #![no_std]
//! #![no_main]
//! board::report_panics!();
//!
//! #[board::entry]
//! fn main() -> ! {
//!     board::println!("hello");
//!     board::exit(0)
//! }
//! ```
//!
//! - [`entry`], [`println!`], [`Output`], [`exit`]: output and the exit code reach the host by semihosting.
//! - [`report_panics!`] or [`forbid_panics!`]: the panic handler. A program must choose one.
//! - [`on_tick!`] and [`start_ticks`]: a periodic interrupt, SysTick or the RISC-V machine timer.
//! - [`InstructionCounter`]: how many instructions something takes, as QEMU counts them.

#![no_std]

#[cfg(target_arch = "arm")]
#[path = "cortex_m.rs"]
mod arch;
#[cfg(target_arch = "riscv32")]
#[path = "riscv.rs"]
mod arch;

mod instructions;
mod panics;

pub use arch::{entry, start_ticks, wait_for_interrupt};
pub use instructions::InstructionCounter;
pub use semihosting::process::exit;
pub use semihosting::{print, println};

#[doc(hidden)]
pub use arch::acknowledge_tick;

/// The board's output, for what writes to a [`Write`](core::fmt::Write).
pub struct Output;

impl core::fmt::Write for Output {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        print_text(text);
        Ok(())
    }
}

/// Prints without formatting, for programs that must contain no panic path: `core::fmt` has some.
pub fn print_text(text: &str) {
    use semihosting::io::Write as _;
    if let Ok(mut out) = semihosting::io::stdout() {
        let _ = out.write_all(text.as_bytes());
    }
}
