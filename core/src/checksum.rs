//! Telling bytes that were damaged.

/// CRC-16 with the polynomial 0x1021 and all ones at the start (CRC-16/IBM-3740).
///
/// It finds every error of up to 16 bits in a row, and every one of one, two or three bits.
pub(crate) fn crc16<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u16 {
    crc16_from(0xffff, bytes)
}

/// The same with zeros at the start (CRC-16/XMODEM), by which Redis Cluster tells slots.
#[cfg(feature = "alloc")]
pub(crate) fn crc16_xmodem(bytes: &[u8]) -> u16 {
    crc16_from(0, bytes)
}

fn crc16_from<'a>(start: u16, bytes: impl IntoIterator<Item = &'a u8>) -> u16 {
    let mut crc = start;
    for byte in bytes {
        crc ^= u16::from(*byte) << 8;
        for _ in 0..8 {
            crc = (crc << 1) ^ if crc & 0x8000 == 0 { 0 } else { 0x1021 };
        }
    }
    crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_published_one() {
        assert_eq!(crc16(b"123456789"), 0x29b1);
    }
}
