//! `empty` with 100 instructions of two bytes more: shows that the numbers of the others can be believed.

#![no_std]
#![no_main]

/// Written out, as the compiler takes a block for as long as it has statements.
macro_rules! hundred_nops {
    ($ten:literal) => {
        // SAFETY: a hundred times nothing.
        unsafe {
            core::arch::asm!(
                $ten,
                $ten,
                $ten,
                $ten,
                $ten,
                $ten,
                $ten,
                $ten,
                $ten,
                $ten,
                options(nomem, nostack, preserves_flags)
            )
        }
    };
}

footprint::measure!(
    () = (),
    |_, now| {
        hundred_nops!("nop; nop; nop; nop; nop; nop; nop; nop; nop; nop");
        now & 1 != 0
    },
    state()
);
