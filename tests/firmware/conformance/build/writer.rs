//! Numbers as bytes; see `src/format.rs`.

use crate::format::ERRORS;

pub(crate) fn unsigned(out: &mut Vec<u8>, value: u64) {
    wide(out, value.into());
}

pub(crate) fn signed(out: &mut Vec<u8>, value: i64) {
    signed_wide(out, value.into());
}

pub(crate) fn signed_wide(out: &mut Vec<u8>, value: i128) {
    wide(out, ((value << 1) ^ (value >> 127)) as u128);
}

/// The difference from the instant before; any two are at most one turn apart.
pub(crate) fn instant(out: &mut Vec<u8>, before: &mut i64, now: i64) {
    signed(out, now.wrapping_sub(*before));
    *before = now;
}

/// A wait, given as the file does: `never` is the word for never.
pub(crate) fn wait(out: &mut Vec<u8>, ticks: u64, never: u64) {
    unsigned(out, if ticks == never { 0 } else { ticks + 1 });
}

/// What may be absent.
pub(crate) fn optional(out: &mut Vec<u8>, value: Option<u64>) {
    unsigned(out, value.map_or(0, |value| value + 1));
}

pub(crate) fn error(out: &mut Vec<u8>, code: &str) {
    let place = ERRORS.iter().position(|known| *known == code);
    let place = place.unwrap_or_else(|| panic!("the error {code} is not in src/format.rs"));
    out.push(place as u8 + 1);
}

fn wide(out: &mut Vec<u8>, mut value: u128) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
