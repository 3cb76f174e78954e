//! Numbers as bytes: little-endian base 128, the sign in the lowest bit.

use alloc::vec::Vec;

use super::error::StateError;

/// Appends numbers to bytes.
#[derive(Debug, Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Seven bits a byte, the lowest first; all but the last have the highest bit set.
    pub(super) fn unsigned(&mut self, mut value: u128) {
        while value > 0x7f {
            self.byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8);
    }

    /// A value between -2^126 and 2^126, its sign in the lowest bit.
    pub(super) fn signed(&mut self, value: i128) {
        self.unsigned(((value << 1) ^ (value >> 127)).cast_unsigned());
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Takes numbers from the front of bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    length: usize,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            length: bytes.len(),
        }
    }

    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn byte(&mut self) -> Result<u8, StateError> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], StateError> {
        let (array, rest) = self.rest.split_first_chunk().ok_or(StateError::Truncated {
            length: self.length,
        })?;
        self.rest = rest;
        Ok(*array)
    }

    pub(super) fn slice(&mut self, length: usize) -> Result<&'a [u8], StateError> {
        let (slice, rest) = self
            .rest
            .split_at_checked(length)
            .ok_or(StateError::Truncated {
                length: self.length,
            })?;
        self.rest = rest;
        Ok(slice)
    }

    pub(super) fn unsigned(&mut self) -> Result<u128, StateError> {
        let mut value = 0;
        let mut shift = 0_u32;
        loop {
            let byte = self.byte()?;
            let bits = u128::from(byte & 0x7f);
            // What does not come back is beyond 128 bits.
            let shifted = bits.checked_shl(shift).ok_or(StateError::Corrupt)?;
            if shifted >> shift != bits {
                return Err(StateError::Corrupt);
            }
            value |= shifted;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            shift = shift.saturating_add(7);
        }
    }

    pub(super) fn signed(&mut self) -> Result<i128, StateError> {
        let value = self.unsigned()?;
        Ok((value >> 1).cast_signed() ^ (value & 1).cast_signed().wrapping_neg())
    }

    /// An unsigned number of one word.
    pub(super) fn word(&mut self) -> Result<u64, StateError> {
        u64::try_from(self.unsigned()?).map_err(|_| StateError::Corrupt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [
            0,
            1,
            -1,
            63,
            -64,
            64,
            i128::from(i64::MIN),
            1 << 126,
            -(1 << 126),
        ];
        let mut writer = Writer::default();
        for number in numbers {
            writer.signed(number);
        }
        writer.unsigned(u128::MAX);
        let bytes = writer.finish();
        let mut reader = Reader::new(&bytes);
        for number in numbers {
            assert_eq!(reader.signed(), Ok(number));
        }
        assert_eq!(reader.unsigned(), Ok(u128::MAX));
        assert!(reader.rest().is_empty());
    }

    #[test]
    fn a_number_without_an_end_is_an_error() {
        assert_eq!(
            Reader::new(&[0xff; 40]).unsigned(),
            Err(StateError::Corrupt)
        );
        assert_eq!(
            Reader::new(&[0x80]).unsigned(),
            Err(StateError::Truncated { length: 1 })
        );
    }
}
