//! Cortex-M: SysTick is both the periodic interrupt and the instruction counter (one at a time).

use cortex_m::peripheral::{SYST, syst::SystClkSource};

pub use cortex_m::asm::wfi as wait_for_interrupt;
pub use cortex_m_rt::entry;

/// Makes a function the handler of the periodic interrupt.
#[macro_export]
macro_rules! on_tick {
    ($handler:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn SysTick() {
            $crate::acknowledge_tick();
            $handler();
        }
    };
}

/// Starts the periodic interrupt, every `period` cycles of the timer's clock.
pub fn start_ticks(period: u32) {
    let mut timer = start_timer(period - 1);
    timer.enable_interrupt();
}

/// SysTick needs no acknowledgement.
#[doc(hidden)]
pub fn acknowledge_tick() {}

/// The longest the counter runs before it wraps: 24 bits.
pub(crate) const COUNTER_MASK: u32 = 0x00ff_ffff;

pub(crate) fn start_counter() {
    start_timer(COUNTER_MASK);
}

/// Timer cycles since some instant.
#[inline(always)]
pub(crate) fn counter() -> u32 {
    // SysTick counts down.
    COUNTER_MASK - SYST::get_current()
}

/// A loop of two instructions.
#[inline(never)]
pub(crate) fn spin(rounds: u32) {
    // SAFETY: only the given register and the flags change.
    unsafe {
        core::arch::asm!("2: subs {n}, #1", "bne 2b", n = inout(reg) rounds => _, options(nomem, nostack));
    }
}

fn start_timer(reload: u32) -> SYST {
    // SAFETY: nothing else in these single-threaded programs holds the timer's registers.
    let mut timer = unsafe { cortex_m::Peripherals::steal() }.SYST;
    timer.disable_interrupt();
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(reload);
    timer.clear_current();
    timer.enable_counter();
    timer
}
