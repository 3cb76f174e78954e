//! Bare items (RFC 9651 section 4.2.3.1): what a list member or a parameter holds.

use alloc::string::String;
use alloc::vec::Vec;

use super::base64;
use super::parse::Cursor;

/// A bare item; the kinds that no rate limit field uses are checked, not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bare {
    Integer(i64),
    String(String),
    Bytes(Vec<u8>),
    Other,
}

impl Bare {
    /// The integer, if this is one that is not negative.
    pub(crate) fn unsigned(&self) -> Option<u64> {
        match self {
            Self::Integer(value) => u64::try_from(*value).ok(),
            _ => None,
        }
    }
}

impl Cursor<'_> {
    pub(super) fn bare_item(&mut self) -> Option<Bare> {
        match self.peek()? {
            b'-' | b'0'..=b'9' => self.number(),
            b'"' => self.string().map(Bare::String),
            b':' => self.bytes().map(Bare::Bytes),
            b'*' | b'A'..=b'Z' | b'a'..=b'z' => {
                self.take_while(is_token);
                Some(Bare::Other)
            }
            b'?' => {
                self.next();
                matches!(self.next()?, b'0' | b'1').then_some(Bare::Other)
            }
            b'@' => {
                self.next();
                matches!(self.number()?, Bare::Integer(_)).then_some(Bare::Other)
            }
            b'%' => self.display_string().map(|()| Bare::Other),
            _ => None,
        }
    }

    /// An integer of up to 15 digits, or a decimal of up to 12 and 1 to 3.
    fn number(&mut self) -> Option<Bare> {
        let negative = self.eat(b'-');
        let digits = self.take_while(|byte| byte.is_ascii_digit());
        if digits.is_empty() || digits.len() > 15 {
            return None;
        }
        if self.eat(b'.') {
            let fraction = self.take_while(|byte| byte.is_ascii_digit());
            let fits = digits.len() <= 12 && (1..=3).contains(&fraction.len());
            return fits.then_some(Bare::Other);
        }
        let value: i64 = core::str::from_utf8(digits).ok()?.parse().ok()?;
        let value = if negative {
            value.checked_neg()?
        } else {
            value
        };
        Some(Bare::Integer(value))
    }

    fn string(&mut self) -> Option<String> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next()? {
                b'"' => return Some(text),
                b'\\' => match self.next()? {
                    escaped @ (b'"' | b'\\') => text.push(char::from(escaped)),
                    _ => return None,
                },
                byte @ b' '..=b'~' => text.push(char::from(byte)),
                _ => return None,
            }
        }
    }

    fn bytes(&mut self) -> Option<Vec<u8>> {
        self.next();
        let text = self.take_while(|byte| byte != b':');
        if !self.eat(b':') {
            return None;
        }
        base64::decode(text)
    }

    /// `%"..."`: printable ASCII with `%xx` for other bytes, which together are UTF-8.
    fn display_string(&mut self) -> Option<()> {
        self.next();
        if !self.eat(b'"') {
            return None;
        }
        let mut text = Vec::new();
        loop {
            text.push(match self.next()? {
                b'"' => return core::str::from_utf8(&text).is_ok().then_some(()),
                b'%' => self.hex_digit()? << 4 | self.hex_digit()?,
                byte @ b' '..=b'~' => byte,
                _ => return None,
            });
        }
    }

    fn hex_digit(&mut self) -> Option<u8> {
        let digit = self.next().filter(|byte| !byte.is_ascii_uppercase())?;
        u8::try_from(char::from(digit).to_digit(16)?).ok()
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte)
}
