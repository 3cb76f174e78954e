//! Calls every public operation of the core, and links only if none of them can panic (see
//! `board::forbid_panics!`). With the feature `planted-panic` it can, and must not link.
//!
//! Each is called by [`call!`] through an address the optimiser knows nothing about, so that it is compiled
//! for all arguments and not for those given here. `test.sh` compares the operations named here with those
//! that the core has. Left out is formatting: whether `core::fmt` can panic is for the
//! compiler's release to say.

#![no_std]
#![no_main]

mod atomic;
mod backoff;
mod bucket;
mod clock;
mod config;
mod cycle;
mod keyed;
mod saved;
mod shared;
mod tiny;

use core::hint::black_box;

use tokenweir::{Permits, Tokens};

board::forbid_panics!();

/// Calls a function that it names by its full path.
macro_rules! call {
    ($($function:ident)::+ $(::<$($of:tt),+>::$method:ident)? ($($argument:expr),* $(,)?)) => {{
        let function: fn($(call!(@any $argument)),*) -> _ =
            $($function)::+ $(::<$($of),+>::$method)?;
        core::hint::black_box(core::hint::black_box(function)($($argument),*))
    }};
    (@any $argument:expr) => { _ };
}
pub(crate) use call;

/// A number from who knows where.
fn number() -> u64 {
    black_box(7)
}

fn tokens() -> Tokens {
    black_box(Tokens::ONE)
}

fn permits() -> Permits {
    black_box(Permits::ONE)
}

fn exhaust(numbers: impl ExactSizeIterator<Item = i64>) {
    black_box(numbers.len());
    for number in numbers {
        black_box(number);
    }
}

#[cfg(feature = "planted-panic")]
fn planted() -> u32 {
    black_box([1, 2, 3, 4])[black_box(2_usize)]
}

#[board::entry]
fn main() -> ! {
    config::call_all();
    bucket::call_all::<1>();
    bucket::call_all::<2>();
    bucket::call_all::<3>();
    cycle::call_all();
    clock::call_all();
    tiny::call_all();
    atomic::call_all();
    keyed::call_all();
    saved::call_all();
    shared::call_all();
    backoff::call_all();
    #[cfg(feature = "planted-panic")]
    black_box(planted());
    board::print_text("no panic path\n");
    board::exit(0)
}
