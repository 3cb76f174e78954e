//! What the programs to measure share, so that they differ from `empty` in the measured code only.
//!
//! ```ignore
//! footprint::measure!(Limiter = Limiter::new(), |limiter, now| limiter.decide(now));
//! ```

#![no_std]

#[doc(hidden)]
pub use board;

use board::InstructionCounter;

/// How often a decision is asked for, and at which ticks: 0, 1, 2 …
///
/// Configure what is measured so that some of these calls are granted and some are refused.
pub const CALLS: u32 = 64;

/// Makes a program that measures one decision of a limiter: its type, its initial value (a constant, so
/// that no constructor is measured), and the decision, which gets `&mut` the limiter and the tick.
#[macro_export]
macro_rules! measure {
    ($limiter:ty = $initial:expr, $decide:expr) => {
        $crate::board::report_panics!();

        /// Its own function, and the limiter comes by a reference the optimiser knows nothing about: the
        /// configuration is read at run time, as it is when it comes from elsewhere.
        #[inline(never)]
        fn decide(limiter: &mut $limiter, now: u32) -> bool {
            let decide: fn(&mut $limiter, u32) -> bool = $decide;
            decide(limiter, now)
        }

        #[$crate::board::entry]
        fn main() -> ! {
            let mut limiter: $limiter = const { $initial };
            $crate::report(size_of::<$limiter>(), |now| {
                decide(
                    core::hint::black_box(&mut limiter),
                    core::hint::black_box(now),
                )
            })
        }
    };
}

/// Prints the size of the state, and the largest number of instructions of a grant and of a refusal (0 if
/// there was none).
#[inline(always)]
pub fn report(state_bytes: usize, mut decide: impl FnMut(u32) -> bool) -> ! {
    let counter = InstructionCounter::start();
    let (mut allow, mut deny) = (0, 0);
    for now in 0..CALLS {
        let mut granted = false;
        let instructions = counter.count(&mut || granted = decide(now));
        let worst = if granted { &mut allow } else { &mut deny };
        *worst = instructions.max(*worst);
    }
    print(state_bytes, allow, deny)
}

#[inline(never)]
fn print(state_bytes: usize, allow: u32, deny: u32) -> ! {
    board::println!("{state_bytes} {allow} {deny}");
    board::exit(0)
}
