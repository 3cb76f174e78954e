//! The words and numbers of a limit.

use alloc::string::String;

use super::error::LimitSyntaxError;

/// The longest piece of text an error repeats, in characters.
const LONGEST_FOUND: usize = 32;

/// A place in the text. Copies allow to look ahead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    /// In bytes.
    at: usize,
}

/// A decimal number: `value / 10^scale`, in lowest terms of ten.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    pub(crate) value: u128,
    pub(crate) scale: u32,
    /// Where it begins.
    pub(crate) at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Where the next word, number or sign begins, in bytes.
    pub(crate) fn position(&mut self) -> usize {
        self.take_while(char::is_whitespace);
        self.at
    }

    /// The next character that is not a space.
    pub(crate) fn peek(&mut self) -> Option<char> {
        self.position();
        self.rest().chars().next()
    }

    /// Takes the next character if `wanted` takes it.
    pub(crate) fn eat(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        let next = self.peek().filter(|next| wanted(*next));
        self.at = self.at.saturating_add(next.map_or(0, char::len_utf8));
        next.is_some()
    }

    /// The letters that follow, which can be none.
    pub(crate) fn word(&mut self) -> &'a str {
        self.position();
        self.take_while(is_letter)
    }

    /// Takes the next word if it is this one, in any case.
    pub(crate) fn eat_word(&mut self, wanted: &str) -> bool {
        let mut ahead = *self;
        let found = ahead.word().eq_ignore_ascii_case(wanted);
        if found {
            *self = ahead;
        }
        found
    }

    /// A name and its colon, if they are next.
    pub(crate) fn name(&mut self) -> Result<Option<String>, LimitSyntaxError> {
        if self.eat(|next| next == '"') {
            let name = self.quoted()?;
            return if self.eat(|next| next == ':') {
                Ok(Some(name))
            } else {
                Err(self.error("`:` after the name"))
            };
        }
        let mut ahead = *self;
        ahead.position();
        let name = ahead.take_while(is_bare);
        if name.starts_with(begins_bare) && ahead.eat(|next| next == ':') {
            *self = ahead;
            return Ok(Some(name.into()));
        }
        Ok(None)
    }

    /// A decimal number; `_` may stand between digits.
    pub(crate) fn number(&mut self, expected: &'static str) -> Result<Number, LimitSyntaxError> {
        let at = self.position();
        let mut number = Number {
            value: 0,
            scale: 0,
            at,
        };
        if !self.rest().starts_with(|next: char| next.is_ascii_digit()) {
            return Err(self.error(expected));
        }
        let too_large = |scanner: &Self| scanner.error_at(at, "a number below 10^38");
        for digit in self
            .take_while(|next| next.is_ascii_digit() || next == '_')
            .chars()
        {
            number.push(digit).ok_or_else(|| too_large(self))?;
        }
        let mut ahead = *self;
        if ahead.rest().starts_with('.') {
            ahead.at = ahead.at.saturating_add(1);
            let digits = ahead.take_while(|next| next.is_ascii_digit());
            if digits.is_empty() {
                return Err(ahead.error("a digit after the point"));
            }
            let digits = digits.trim_end_matches('0');
            for digit in digits.chars() {
                number.push(digit).ok_or_else(|| too_large(self))?;
                number.scale = number.scale.saturating_add(1);
            }
            *self = ahead;
        }
        Ok(number)
    }

    /// An error at the next word, number or sign.
    pub(crate) fn error(&mut self, expected: &'static str) -> LimitSyntaxError {
        let at = self.position();
        self.error_at(at, expected)
    }

    /// An error at this place.
    pub(crate) fn error_at(&self, at: usize, expected: &'static str) -> LimitSyntaxError {
        let before = self.text.get(..at).unwrap_or(self.text);
        let mut scanner = Self { at, ..*self };
        let mut found = scanner.take_while(is_letter);
        if found.is_empty() {
            found = scanner.take_while(|next| next.is_ascii_digit() || matches!(next, '.' | '_'));
        }
        let found = if found.is_empty() {
            scanner.rest().chars().take(1).collect()
        } else {
            found.chars().take(LONGEST_FOUND).collect::<String>()
        };
        LimitSyntaxError {
            column: before.chars().count().saturating_add(1),
            expected,
            found: (!found.is_empty()).then_some(found),
        }
    }

    /// The rest of a name in quotes, of which the first is taken; `\` makes the next character a
    /// plain one.
    fn quoted(&mut self) -> Result<String, LimitSyntaxError> {
        let mut name = String::new();
        let mut plain = false;
        for next in self.rest().chars() {
            self.at = self.at.saturating_add(next.len_utf8());
            match next {
                '\\' if !plain => plain = true,
                '"' if !plain => return Ok(name),
                _ => {
                    plain = false;
                    name.push(next);
                }
            }
        }
        Err(self.error("`\"` at the end of the name"))
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|next| !wanted(next)).unwrap_or(rest.len());
        self.at = self.at.saturating_add(length);
        rest.get(..length).unwrap_or_default()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }
}

impl Number {
    fn push(&mut self, digit: char) -> Option<()> {
        let Some(digit) = digit.to_digit(10) else {
            return Some(());
        };
        self.value = self.value.checked_mul(10)?.checked_add(digit.into())?;
        Some(())
    }
}

/// Whether a name can be written without quotes.
pub(crate) fn is_bare_name(name: &str) -> bool {
    name.starts_with(begins_bare) && name.chars().all(is_bare)
}

/// Whether a word may have this. What is no ASCII counts as a letter: one such is in a unit, and the tables
/// that tell the letters of all languages apart are larger than this parser.
pub(crate) fn is_letter(next: char) -> bool {
    next.is_ascii_alphabetic() || !(next.is_ascii() || next.is_whitespace())
}

fn begins_bare(first: char) -> bool {
    first.is_ascii_alphabetic() || first == '_'
}

fn is_bare(next: char) -> bool {
    next.is_ascii_alphanumeric() || matches!(next, '_' | '-' | '.')
}
