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
        value(&self.parameters, key)
    }
}

/// The items of a list, made into something; `None` if it is not a list, or an item is not what it
/// must be.
pub(crate) fn list<'a, T>(
    text: &'a [u8],
    mut make: impl FnMut(Item<'a>) -> Option<T>,
) -> Option<Vec<T>> {
    let mut found = Vec::new();
    members(text, &mut |cursor| {
        found.push(make(cursor.member()?)?);
        Some(())
    })?;
    Some(found)
}

/// A dictionary: its value of a key is [`value`].
pub(crate) fn dictionary(text: &[u8]) -> Option<Vec<(&[u8], Bare)>> {
    let mut found = Vec::new();
    members(text, &mut |cursor| {
        let key = cursor.key()?;
        let value = if cursor.eat(b'=') {
            cursor.member()?.value
        } else {
            cursor.parameters()?;
            Bare::Other
        };
        found.push((key, value));
        Some(())
    })?;
    Some(found)
}

/// The value of a key in a dictionary or among parameters; the last one counts.
pub(crate) fn value<'d>(pairs: &'d [(&[u8], Bare)], key: &str) -> Option<&'d Bare> {
    let mut found = pairs.iter().filter(|pair| pair.0 == key.as_bytes());
    found.next_back().map(|pair| &pair.1)
}

/// Members with commas between them, and optional white space around.
fn members<'a>(
    text: &'a [u8],
    member: &mut dyn FnMut(&mut Cursor<'a>) -> Option<()>,
) -> Option<()> {
    let mut cursor = Cursor { rest: text };
    cursor.skip_spaces();
    if cursor.rest.is_empty() {
        return Some(());
    }
    loop {
        member(&mut cursor)?;
        cursor.take_while(is_white_space);
        if cursor.rest.is_empty() {
            return Some(());
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
    /// An item, or an inner list, which no rate limit field holds: its value is of the other kinds.
    fn member(&mut self) -> Option<Item<'a>> {
        if !self.eat(b'(') {
            return self.item();
        }
        loop {
            self.skip_spaces();
            if self.eat(b')') {
                return Some(Item {
                    value: Bare::Other,
                    parameters: self.parameters()?,
                });
            }
            self.item()?;
            if !matches!(self.peek()?, b' ' | b')') {
                return None;
            }
        }
    }

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

    pub(super) fn take_while(&mut self, accept: fn(u8) -> bool) -> &'a [u8] {
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
        let items = list(text, Some).unwrap();
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
            "(\"a\"",
            "(\"a\",1)",
            "((1))",
            "\"a\" \"b\"",
            "\t\"a\"",
        ] {
            assert_eq!(list(text.as_bytes(), Some), None, "{text}");
        }
    }

    #[test]
    fn the_last_of_a_name_counts() {
        let items = list(b"\"a\";q=1;q=2", Some).unwrap();
        assert_eq!(items[0].parameter("q"), Some(&Bare::Integer(2)));
        let fields = dictionary(b"a=1, b;x=1,\ta=2  ").unwrap();
        assert_eq!(value(&fields, "a"), Some(&Bare::Integer(2)));
        assert_eq!(value(&fields, "b"), Some(&Bare::Other));
        assert_eq!(value(&fields, "c"), None);
        let fields = dictionary(b"a=(1;x  *tok );y=2, b=3, c=()").unwrap();
        assert_eq!(value(&fields, "a"), Some(&Bare::Other));
        assert_eq!(value(&fields, "b"), Some(&Bare::Integer(3)));
        assert_eq!(list(b"  ", Some), Some(Vec::new()));
    }
}
