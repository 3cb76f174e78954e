//! RISC-V, on QEMU's `virt` machine: the machine timer gives the periodic interrupt, `minstret` counts
//! instructions.

use core::sync::atomic::{AtomicU32, Ordering};

pub use riscv::asm::wfi as wait_for_interrupt;
pub use riscv_rt::entry;

/// Registers of the core-local interruptor, by the machine's memory map.
const MTIMECMP: *mut u32 = 0x0200_4000 as *mut u32;
const MTIME: *const u32 = 0x0200_bff8 as *const u32;

static PERIOD: AtomicU32 = AtomicU32::new(0);

/// Makes a function the handler of the periodic interrupt.
#[macro_export]
macro_rules! on_tick {
    ($handler:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn MachineTimer() {
            $crate::acknowledge_tick();
            $handler();
        }
    };
}

/// Starts the periodic interrupt, every `period` cycles of the timer's clock (10 MHz).
pub fn start_ticks(period: u32) {
    PERIOD.store(period, Ordering::Relaxed);
    acknowledge_tick();
    // SAFETY: the handler for the interrupt is in place since before the program started.
    unsafe {
        riscv::register::mie::set_mtimer();
        riscv::interrupt::enable();
    }
}

/// Sets the instant of the next interrupt, which also takes back this one's request.
#[doc(hidden)]
pub fn acknowledge_tick() {
    // SAFETY: both registers exist on this machine and are only used here. The high half is written
    // first with its largest value, so that no instant in between has passed.
    unsafe {
        let now =
            (u64::from(MTIME.add(1).read_volatile()) << 32) | u64::from(MTIME.read_volatile());
        let next = now + u64::from(PERIOD.load(Ordering::Relaxed));
        MTIMECMP.add(1).write_volatile(u32::MAX);
        MTIMECMP.write_volatile(next as u32);
        MTIMECMP.add(1).write_volatile((next >> 32) as u32);
    }
}

pub(crate) const COUNTER_MASK: u32 = u32::MAX;

/// `minstret` runs from the start.
pub(crate) fn start_counter() {}

#[inline(always)]
pub(crate) fn counter() -> u32 {
    riscv::register::minstret::read() as u32
}

/// A loop of two instructions.
#[inline(never)]
pub(crate) fn spin(rounds: u32) {
    // SAFETY: only the given register changes.
    unsafe {
        core::arch::asm!("2: addi {n}, {n}, -1", "bnez {n}, 2b", n = inout(reg) rounds => _, options(nomem, nostack));
    }
}
