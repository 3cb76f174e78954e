//! Counting instructions with the board's timer.
//!
//! QEMU is told that every instruction takes 2^10 ns of the board's time. On the Cortex-M boards that is
//! more than ten cycles of SysTick, so that its reading gives the exact number of instructions. The ratio
//! differs between boards; it is measured, on a loop of known length.

use crate::arch::{COUNTER_MASK, counter, spin, start_counter};

/// Counts the instructions a piece of code executes.
pub struct InstructionCounter {
    /// Timer cycles of a call that does nothing.
    overhead: u32,
    /// Timer cycles of 500 instructions.
    cycles_of_500: u32,
}

impl InstructionCounter {
    /// Takes the timer, which then no longer gives a periodic interrupt.
    pub fn start() -> Self {
        start_counter();
        let overhead = cycles(&mut || ());
        // The difference leaves only the loop: 250 rounds of two instructions.
        let [longer, shorter] = [255, 5].map(|rounds| cycles(&mut || spin(rounds)));
        Self {
            overhead,
            cycles_of_500: longer - shorter,
        }
    }

    /// The number of instructions in `work`, which must be fewer than 500 000.
    pub fn count(&self, work: &mut dyn FnMut()) -> u32 {
        let cycles = cycles(work) - self.overhead;
        // To the nearest: the timer may be read up to a cycle late.
        let scaled = u64::from(cycles) * 500 + u64::from(self.cycles_of_500 / 2);
        (scaled / u64::from(self.cycles_of_500)) as u32
    }
}

/// Not inlined, and `work` is called by its address: otherwise the optimiser moves instructions from
/// elsewhere in between the two readings.
#[inline(never)]
fn cycles(work: &mut dyn FnMut()) -> u32 {
    let start = counter();
    work();
    counter().wrapping_sub(start) & COUNTER_MASK
}
