//! Writing structured fields: strings, integers and byte sequences.

use alloc::string::String;

use super::{MAX_INTEGER, base64};

/// A quoted string. The text is printable ASCII, which [`Policy`](crate::http::Policy) checks.
pub(crate) fn string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push('"');
}

/// An integer, at most the largest a structured field can hold.
pub(crate) fn integer(value: u64, out: &mut String) {
    decimal(value.min(MAX_INTEGER), out);
}

/// A byte sequence.
pub(crate) fn bytes(bytes: &[u8], out: &mut String) {
    out.push(':');
    base64::encode(bytes, out);
    out.push(':');
}

/// The digits of a number; at most 20 calls deep.
pub(crate) fn decimal(value: u64, out: &mut String) {
    if value >= 10 {
        decimal(value / 10, out);
    }
    // A digit below ten always exists.
    out.extend(char::from_digit((value % 10) as u32, 10));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_and_stop_at_15_digits() {
        for (value, text) in [
            (0, "0"),
            (7, "7"),
            (1_200, "1200"),
            (MAX_INTEGER, "999999999999999"),
            (u64::MAX, "999999999999999"),
        ] {
            let mut out = String::new();
            integer(value, &mut out);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn quotes_and_backslashes_are_escaped() {
        let mut out = String::new();
        string(r#"a "b" \c"#, &mut out);
        assert_eq!(out, r#""a \"b\" \\c""#);
    }
}
