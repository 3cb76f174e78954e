//! State as a few bytes that outlive a power cycle: what all of them begin with.

mod bucket;
mod cycle;
mod error;
mod tiny;

use crate::checksum::crc16;
pub use error::SavedError;

/// The first byte.
const MAGIC: u8 = 0x77;
/// The form described with `Bucket::save`, the only one so far.
const VERSION: u8 = 1;

/// Whose state it is; the numbers are part of the form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bucket = 1,
    Cycle = 2,
    Tiny = 3,
}

impl Kind {
    /// The second byte.
    const fn tag(self) -> u8 {
        ((self as u8) << 4) | VERSION
    }
}

/// The 8 bytes that precede `numbers`.
fn header(kind: Kind, fingerprint: u32, numbers: &[u8]) -> [u8; 8] {
    let found @ [f0, f1, f2, f3] = fingerprint.to_le_bytes();
    let [c0, c1] = checksum(kind, found, numbers).to_le_bytes();
    [MAGIC, kind.tag(), c0, c1, f0, f1, f2, f3]
}

/// The numbers that follow the header, if it is right.
fn numbers<const N: usize>(
    saved: &[u8],
    kind: Kind,
    fingerprint: u32,
) -> Result<[u8; N], SavedError> {
    let length = SavedError::Length {
        given: saved.len(),
        expected: N.saturating_add(8),
    };
    match saved {
        [] => return Err(length),
        [MAGIC, tag, ..] => check(*tag, kind)?,
        [MAGIC] => return Err(length),
        _ => return Err(SavedError::Foreign),
    }
    let Some(([_, _, c0, c1, found @ ..], numbers)) = saved.split_first_chunk::<8>() else {
        return Err(length);
    };
    let Ok(numbers) = <[u8; N]>::try_from(numbers) else {
        return Err(length);
    };
    if u16::from_le_bytes([*c0, *c1]) != checksum(kind, *found, &numbers) {
        return Err(SavedError::Corrupt);
    }
    if u32::from_le_bytes(*found) != fingerprint {
        return Err(SavedError::OtherConfiguration);
    }
    Ok(numbers)
}

fn check(tag: u8, kind: Kind) -> Result<(), SavedError> {
    let known = [Kind::Bucket, Kind::Cycle, Kind::Tiny].map(Kind::tag);
    let version = tag & 0xf;
    if tag == kind.tag() {
        Ok(())
    } else if known.contains(&tag) {
        Err(SavedError::OtherLimiter)
    } else if version > VERSION {
        Err(SavedError::Newer { version })
    } else {
        Err(SavedError::Foreign)
    }
}

/// The checksum of everything but itself.
fn checksum(kind: Kind, fingerprint: [u8; 4], numbers: &[u8]) -> u16 {
    let head = [MAGIC, kind.tag()];
    crc16(head.iter().chain(&fingerprint).chain(numbers))
}

/// The FNV-1a hash of the little-endian bytes of the numbers that make up a configuration.
fn fingerprint(numbers: &[u64]) -> u32 {
    fnv(numbers.iter().flat_map(|number| number.to_le_bytes()))
}

fn fnv(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Two numbers of 64 bits as they are saved.
fn pair(first: u64, second: u64) -> [u8; 16] {
    (u128::from(first) | (u128::from(second) << 64)).to_le_bytes()
}

/// What [`pair`] was made of.
fn parts(pair: [u8; 16]) -> (u64, u64) {
    let pair = u128::from_le_bytes(pair);
    (pair as u64, (pair >> 64) as u64)
}

/// The header and the numbers behind it.
fn joined<const N: usize>(header: [u8; 8], numbers: &[u8]) -> [u8; N] {
    let mut saved = [0; N];
    for (place, byte) in saved.iter_mut().zip(header.iter().chain(numbers)) {
        *place = *byte;
    }
    saved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv(b"foobar".iter().copied()), 0xbf9c_f968);
    }
}
