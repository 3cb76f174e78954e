//! Parsing lists and dictionaries of items with parameters (RFC 9651 section 4.2).

use alloc::vec::Vec;

pub(crate) use super::bare::Bare;

/// An item with its parameters, of which the last of a name counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    pub(crate) value: Bare,
    parameters: Vec<(&'a [u8], Bare)>,
}

impl Item<'_> {
    /// The value of a parameter.
    pub(crate) fn parameter(&self, key: &str) -> Option<&Bare> {
        last(&self.parameters, key)
    }
}

/// A list; `None` if it is not one, or has an inner list, which no rate limit field allows.
pub(crate) fn list(text: &[u8]) -> Option<Vec<Item<'_>>> {
    members(text, |cursor| cursor.item())
}

/// A dictionary: its value of a key is [`value`].
pub(crate) fn dictionary(text: &[u8]) -> Option<Vec<(&[u8], Item<'_>)>> {
    members(text, |cursor| {
        let key = cursor.key()?;
        let item = if cursor.eat(b'=') {
            cursor.item()?
        } else {
            Item {
                value: Bare::Other,
                parameters: cursor.parameters()?,
            }
        };
        Some((key, item))
    })
}

/// The value of a key in a dictionary; the last one counts.
pub(crate) fn value<'d>(dictionary: &'d [(&[u8], Item<'_>)], key: &str) -> Option<&'d Bare> {
    last(dictionary, key).map(|item| &item.value)
}

fn last<'d, T>(pairs: &'d [(&[u8], T)], key: &str) -> Option<&'d T> {
    let mut found = pairs.iter().filter(|pair| pair.0 == key.as_bytes());
    found.next_back().map(|pair| &pair.1)
}

/// Members with commas between them, and optional white space around.
fn members<'a, T>(
    text: &'a [u8],
    mut member: impl FnMut(&mut Cursor<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut cursor = Cursor { rest: text };
    let mut found = Vec::new();
    cursor.skip_spaces();
    if cursor.rest.is_empty() {
        return Some(found);
    }
    loop {
        found.push(member(&mut cursor)?);
        cursor.take_while(is_white_space);
        if cursor.rest.is_empty() {
            return Some(found);
        }
        if !cursor.eat(b',') {
            return None;
        }
        // A comma at the end fails at the member that is not there.
        cursor.take_while(is_white_space);
    }
}

/// What is left to read.
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn item(&mut self) -> Option<Item<'a>> {
        Some(Item {
            value: self.bare_item()?,
            parameters: self.parameters()?,
        })
    }

    fn parameters(&mut self) -> Option<Vec<(&'a [u8], Bare)>> {
        let mut parameters = Vec::new();
        while self.eat(b';') {
            self.skip_spaces();
            let key = self.key()?;
            let value = if self.eat(b'=') {
                self.bare_item()?
            } else {
                Bare::Other
            };
            parameters.push((key, value));
        }
        Some(parameters)
    }

    fn key(&mut self) -> Option<&'a [u8]> {
        matches!(self.peek()?, b'a'..=b'z' | b'*').then(|| {
            self.take_while(
                |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'*'),
            )
        })
    }

    fn skip_spaces(&mut self) {
        self.take_while(|byte| byte == b' ');
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    pub(super) fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn take_while(&mut self, mut accept: impl FnMut(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|byte| !accept(*byte));
        let (taken, rest) = self
            .rest
            .split_at_checked(end.unwrap_or(self.rest.len()))
            .unwrap_or((self.rest, &[]));
        self.rest = rest;
        taken
    }
}

fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_parameter_is_understood() {
        let text =
            br#""a";q=5;x=-1.5;y="\"";z=:Zg==:;on;off=?0;day=@-1659578233;n=%"f%c3%bc";tok=*a/b:c"#;
        let items = list(text).unwrap();
        assert_eq!(items.len(), 1);
        assert_eq!(items[0].parameter("q"), Some(&Bare::Integer(5)));
        assert_eq!(items[0].parameter("y"), Some(&Bare::String("\"".into())));
        assert_eq!(items[0].parameter("z"), Some(&Bare::Bytes(b"f".into())));
        for other in ["x", "on", "off", "day", "n", "tok"] {
            assert_eq!(items[0].parameter(other), Some(&Bare::Other), "{other}");
        }
        assert_eq!(items[0].parameter("r"), None);
    }

    #[test]
    fn what_breaks_the_grammar_is_nothing() {
        for text in [
            "\"a\",",
            ",\"a\"",
            "\"a",
            "\"a\\n\"",
            "\"é\"",
            "\"a\";Q=1",
            "\"a\";=1",
            "\"a\" ;q=1",
            "\"a\";q=",
            "\"a\";q=1000000000000000",
            "\"a\";q=1.",
            "\"a\";q=1.2345",
            "\"a\";q=--1",
            "\"a\";q=+1",
            "\"a\";q=0x1",
            "\"a\";q=?2",
            "\"a\";q=@1.5",
            "\"a\";q=:Zg",
            "\"a\";q=:Z:",
            "\"a\";q=%\"%C3\"",
            "\"a\";q=%\"%ff\"",
            "(\"a\");q=1",
            "\"a\" \"b\"",
            "\t\"a\"",
        ] {
            assert_eq!(list(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn the_last_of_a_name_counts() {
        let items = list(b"\"a\";q=1;q=2").unwrap();
        assert_eq!(items[0].parameter("q"), Some(&Bare::Integer(2)));
        let fields = dictionary(b"a=1, b;x=1,\ta=2  ").unwrap();
        assert_eq!(value(&fields, "a"), Some(&Bare::Integer(2)));
        assert_eq!(value(&fields, "b"), Some(&Bare::Other));
        assert_eq!(value(&fields, "c"), None);
        assert_eq!(list(b"  "), Some(Vec::new()));
    }
}
