//! Base 64 (RFC 4648 section 4), for byte sequences.

use alloc::string::String;
use alloc::vec::Vec;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes as text, padded.
pub(crate) fn encode(bytes: &[u8], out: &mut String) {
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0, |bits, byte| bits << 8 | u32::from(*byte));
        // What is missing of 24 bits is 0; each character stands for 6 of them.
        let (bits, characters) = match chunk.len() {
            1 => (bits << 16, 2),
            2 => (bits << 8, 3),
            _ => (bits, 4),
        };
        for (index, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            let sextet = ALPHABET.get((bits >> shift & 63) as usize);
            out.push(match sextet {
                Some(sextet) if index < characters => char::from(*sextet),
                _ => '=',
            });
        }
    }
}

/// The bytes of a text, or `None`.
///
/// As RFC 9651 section 4.2.7 wishes, padding may be missing and the bits it hides may be anything:
/// the examples of draft-ietf-httpapi-ratelimit-headers have such.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().position(|byte| *byte == b'=');
    let (digits, padding) = text.split_at_checked(end.unwrap_or(text.len()))?;
    if padding.len() > 2 || padding.iter().any(|byte| *byte != b'=') {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len());
    for chunk in digits.chunks(4) {
        let mut bits = 0_u32;
        for digit in chunk {
            bits = bits << 6 | value(*digit)?;
        }
        let (bits, count) = match chunk.len() {
            4 => (bits, 3),
            3 => (bits << 6, 2),
            2 => (bits << 12, 1),
            _ => return None,
        };
        let [_, whole @ ..] = bits.to_be_bytes();
        bytes.extend(whole.into_iter().take(count));
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    let position = ALPHABET.iter().position(|character| *character == digit)?;
    u32::try_from(position).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 4648 section 10.
    const RFC: [(&str, &str); 7] = [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ];

    #[test]
    fn the_test_vectors_of_the_rfc() {
        for (bytes, text) in RFC {
            let mut encoded = String::new();
            encode(bytes.as_bytes(), &mut encoded);
            assert_eq!(encoded, text);
            assert_eq!(decode(text.as_bytes()).as_deref(), Some(bytes.as_bytes()));
        }
    }

    #[test]
    fn missing_padding_and_hidden_bits_are_let_pass() {
        assert_eq!(decode(b"Zg").as_deref(), Some(&b"f"[..]));
        assert_eq!(decode(b"Zh==").as_deref(), Some(&b"f"[..]));
        for text in [&b"Z"[..], b"Zm9vZ", b"Z=g=", b"Zg===", b"Zm9-", b"Zm 9"] {
            assert_eq!(decode(text), None);
        }
    }
}
