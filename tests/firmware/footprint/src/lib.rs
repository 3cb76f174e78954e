//! What the programs to measure share, so that they differ from `empty` in the measured code only.
//!
//! ```ignore
//! footprint::measure!(Limiter = Limiter::new(), |limiter, now| limiter.decide(now), state Limiter);
//! ```
//!
//! The first line of a program, `//! NAME`, is its name in the table.

#![no_std]

#[doc(hidden)]
pub use board;

/// How often a decision is asked for, and at which ticks: 0, 1, 2 …
///
/// Configure what is measured so that some of these calls are granted and some are refused.
pub const CALLS: u32 = 64;

/// Makes a program that measures one decision of a limiter: its type, its initial value, and the decision,
/// which gets `&mut` the limiter and the tick.
///
/// - The initial value is a constant, as in a `static`, so that no constructor is measured. Where there is no
///   constant one, `new` before it has it made at run time, and counts the constructor as well.
/// - `state` is the type of what changes, which each further limiter of the same configuration needs.
#[macro_export]
macro_rules! measure {
    ($limiter:ty = new $initial:expr, $decide:expr, state $state:ty) => {
        $crate::measure!(@program $limiter, &mut $initial, $decide, $state);
    };
    ($limiter:ty = $initial:expr, $decide:expr, state $state:ty) => {
        static mut LIMITER: $limiter = $initial;
        // SAFETY: `main` runs once, and nothing else refers to it.
        $crate::measure!(@program $limiter, unsafe { &mut *(&raw mut LIMITER) }, $decide, $state);
    };
    (@program $limiter:ty, $initial:expr, $decide:expr, $state:ty) => {
        $crate::panic_handler!();

        /// Its own function, and the limiter comes by a reference the optimiser knows nothing about: the
        /// configuration is read at run time, as it is when it comes from elsewhere.
        #[inline(never)]
        fn decide(limiter: &mut $limiter, now: u32) -> bool {
            let decide: fn(&mut $limiter, u32) -> bool = $decide;
            decide(limiter, now)
        }

        #[$crate::board::entry]
        fn main() -> ! {
            let limiter: &mut $limiter = $initial;
            $crate::report([size_of::<$state>(), size_of::<$limiter>()], |now| {
                decide(
                    core::hint::black_box(&mut *limiter),
                    core::hint::black_box(now),
                )
            })
        }
    };
}

/// With messages, a panic would bring `core::fmt` along.
#[cfg(feature = "bare")]
#[doc(hidden)]
#[macro_export]
macro_rules! panic_handler {
    () => {
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
            $crate::board::exit(101)
        }
    };
}

#[cfg(not(feature = "bare"))]
#[doc(hidden)]
pub use board::report_panics as panic_handler;

/// Asks for the decisions.
#[cfg(feature = "bare")]
#[inline(always)]
pub fn report(_bytes: [usize; 2], mut decide: impl FnMut(u32) -> bool) -> ! {
    for now in 0..CALLS {
        core::hint::black_box(decide(now));
    }
    board::exit(0)
}

/// Prints the sizes of the state and of the limiter, and the largest number of instructions of a grant and of a refusal (0 if
/// there was none).
#[cfg(not(feature = "bare"))]
#[inline(always)]
pub fn report([state, limiter]: [usize; 2], mut decide: impl FnMut(u32) -> bool) -> ! {
    let counter = board::InstructionCounter::start();
    let (mut allow, mut deny) = (0, 0);
    for now in 0..CALLS {
        let mut granted = false;
        let instructions = counter.count(&mut || granted = decide(now));
        let worst = if granted { &mut allow } else { &mut deny };
        *worst = instructions.max(*worst);
    }
    board::println!("{state} {limiter} {allow} {deny}");
    board::exit(0)
}
