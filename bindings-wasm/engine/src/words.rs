//! The memory that arguments and results pass through: 64-bit words, which JavaScript sees as a
//! `BigInt64Array` and a `Float64Array`.
//!
//! Arguments are integers of two words, low and high: wide enough to hold what is out of range, so
//! that the core can say so. Results are pairs: the exact integer, and a float of it for callers who
//! count in floats, rounded down if it is an amount, up and in milliseconds if it is a time.

use std::cell::Cell;

use tokenweir::{FloatUnit, Wait};

/// How many words there are.
pub const LEN: usize = 224;
/// An amount.
pub(crate) const COST: usize = 0;
/// A reading of the clock.
pub(crate) const NOW: usize = 2;
/// The longest wait of a reservation.
pub(crate) const MAX_WAIT: usize = 4;
/// A small number, whose meaning depends on the function.
pub(crate) const NUMBER: usize = 6;
/// Results.
pub(crate) const RESULT: usize = 8;
/// From here on, records: a limit that is built, how each limit stands, levels.
pub(crate) const RECORDS: usize = 18;

thread_local! {
    static WORDS: [Cell<u64>; LEN] = const { [const { Cell::new(0) }; LEN] };
}

/// Where the words are in memory.
#[must_use]
pub fn address() -> usize {
    WORDS.with(|words| words.as_ptr().addr())
}

/// Copies the caller's words in, runs `f`, and copies the words back: for callers who have them in a
/// memory of their own.
pub fn exchanged<R>(caller: &mut [i64], f: impl FnOnce() -> R) -> R {
    WORDS.with(|words| {
        for (word, given) in words.iter().zip(&*caller) {
            word.set(given.cast_unsigned());
        }
        let result = f();
        for (word, place) in words.iter().zip(caller) {
            *place = word.get().cast_signed();
        }
        result
    })
}

/// The word at `at`.
#[inline(never)]
pub(crate) fn word(at: usize) -> u64 {
    WORDS.with(|words| words.get(at).map_or(0, Cell::get))
}

/// The integer of the two words at `at`.
#[inline(never)]
pub(crate) fn integer(at: usize) -> i128 {
    let wide = u128::from(word(at)) | u128::from(word(at + 1)) << 64;
    wide.cast_signed()
}

#[inline(never)]
fn set(at: usize, low: u64, high: u64) {
    WORDS.with(|words| {
        for (word, value) in words.iter().skip(at).zip([low, high]) {
            word.set(value);
        }
    });
}

/// Leaves an integer at `at`, exactly.
pub(crate) fn set_integer(at: usize, value: i128) {
    set(at, value as u64, (value >> 64) as u64);
}

/// How many bytes there is room for from the words at `at` on.
pub(crate) const fn byte_capacity(at: usize) -> usize {
    (LEN - at) * 8
}

/// Bytes from the words at `at` on: as many as there are, at most `length`.
pub(crate) fn bytes(at: usize, length: usize) -> Vec<u8> {
    WORDS.with(|words| {
        let bytes = words
            .iter()
            .skip(at)
            .flat_map(|word| word.get().to_ne_bytes());
        bytes.take(length).collect()
    })
}

/// Leaves bytes from the words at `at` on, as many as there is room for.
pub(crate) fn set_bytes(at: usize, bytes: &[u8]) {
    WORDS.with(|words| {
        for (word, chunk) in words.iter().skip(at).zip(bytes.chunks(8)) {
            let mut whole = [0; 8];
            for (byte, given) in whole.iter_mut().zip(chunk) {
                *byte = *given;
            }
            word.set(u64::from_ne_bytes(whole));
        }
    });
}

/// Leaves an amount at `at`.
#[inline(never)]
pub(crate) fn set_amount(at: usize, value: i64) {
    let nearest = value as f64;
    let below = if nearest as i128 > i128::from(value) {
        nearest.next_down()
    } else {
        nearest
    };
    set(at, value.cast_unsigned(), below.to_bits());
}

/// Leaves a number of nanoseconds at `at`.
#[inline(never)]
pub(crate) fn set_nanos(at: usize, nanos: u64) {
    set(at, nanos, FloatUnit::MILLIS.of_nanos_ceil(nanos).to_bits());
}

/// Leaves a wait at `at`; never is −1 and infinity.
pub(crate) fn set_wait(at: usize, wait: Wait) {
    match wait {
        Wait::Ticks(nanos) => set_nanos(at, nanos),
        Wait::Never => set(at, u64::MAX, f64::INFINITY.to_bits()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callers_words_come_in_and_go_back() {
        let mut caller = [0; LEN];
        caller[2] = -5;
        caller[3] = -1;
        exchanged(&mut caller, || {
            assert_eq!(integer(2), -5);
            set_amount(0, -7);
            set_wait(4, Wait::Never);
        });
        assert_eq!(caller[0], -7);
        assert_eq!(f64::from_bits(caller[1].cast_unsigned()), -7.0);
        assert_eq!(caller[4], -1);
    }

    #[test]
    fn an_amount_beyond_floats_is_rounded_down() {
        set_amount(0, i64::MAX);
        assert_eq!(word(0), i64::MAX as u64);
        assert_eq!(f64::from_bits(word(1)), 9_223_372_036_854_774_784.0);
        set_amount(0, (1 << 53) + 3);
        assert_eq!(f64::from_bits(word(1)), 9_007_199_254_740_994.0);
    }
}
