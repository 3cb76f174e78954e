//! Reading the parts of a question, and writing those of an answer.

use std::fmt::{Display, Write};
use std::str::{FromStr, Split};

use tokenweir::{FloatUnit, Wait, signed};

use super::{GROUP, PART};
use crate::fault::Fault;

/// The parts of a question, or of one of its groups.
#[derive(Debug)]
pub(super) struct Parts<'q> {
    parts: Split<'q, char>,
    groups: Split<'q, char>,
}

impl<'q> Parts<'q> {
    pub(super) fn new(question: &'q str) -> Self {
        let mut groups = question.split(GROUP);
        let parts = groups.next().unwrap_or_default().split(PART);
        Self { parts, groups }
    }

    /// The next group.
    pub(super) fn group(&mut self) -> Option<Self> {
        let mut none = "".split(GROUP);
        none.next();
        Some(Self {
            parts: self.groups.next()?.split(PART),
            groups: none,
        })
    }

    /// A text, which may be empty.
    pub(super) fn text(&mut self) -> &'q str {
        self.parts.next().unwrap_or_default()
    }

    /// A text that may be absent.
    pub(super) fn optional_text(&mut self) -> Option<&'q str> {
        self.text().strip_prefix('~')
    }

    /// Bytes that may be absent.
    pub(super) fn optional_bytes(&mut self) -> Option<Vec<u8>> {
        self.optional_text().map(bytes)
    }

    /// The texts that are left.
    pub(super) fn rest(&mut self) -> Vec<&'q str> {
        self.parts.by_ref().collect()
    }

    /// A number.
    pub(super) fn number<N: FromStr>(&mut self, argument: &'static str) -> Result<N, Fault> {
        let text = self.text();
        text.parse().map_err(|_| {
            let message = format_args!("{text} is out of range");
            Fault::new(argument, "out_of_range").said(message)
        })
    }

    /// A number that may be absent.
    pub(super) fn optional_number<N: FromStr>(
        &mut self,
        argument: &'static str,
    ) -> Result<Option<N>, Fault> {
        if self.absent() {
            return Ok(None);
        }
        self.number(argument).map(Some)
    }

    /// Whether the next part is absent, which is then left behind.
    fn absent(&mut self) -> bool {
        let mut rest = self.parts.clone();
        let absent = rest.next().is_none_or(str::is_empty);
        if absent {
            self.parts = rest;
        }
        absent
    }

    /// An instant or a wait in nanoseconds: given as such, or as milliseconds, a letter and the bits of a
    /// float.
    pub(super) fn time(&mut self, argument: &'static str) -> Result<u64, Fault> {
        let mut rest = self.parts.clone();
        let Some(bits) = rest.next().and_then(|text| text.strip_prefix('f')) else {
            return self.number(argument);
        };
        self.parts = rest;
        let millis = f64::from_bits(bits.parse().unwrap_or(u64::MAX));
        FloatUnit::MILLIS
            .nearest(millis)
            .map_err(|error| Fault::new(argument, error.code()))
    }

    /// As [`time`](Self::time), of one that may be absent.
    pub(super) fn optional_time(&mut self, argument: &'static str) -> Result<Option<u64>, Fault> {
        if self.absent() {
            return Ok(None);
        }
        self.time(argument).map(Some)
    }

    /// The longest wait of a reservation; absent means that any is right.
    pub(super) fn max_wait(&mut self, argument: &'static str) -> Result<u64, Fault> {
        if self
            .parts
            .clone()
            .next()
            .is_some_and(|text| text.starts_with('f'))
        {
            return Ok(signed::max_wait(self.time(argument)?.into())?);
        }
        let wait = self.optional_number(argument)?.unwrap_or(i128::MAX);
        Ok(signed::max_wait(wait)?)
    }

    /// A wait that may be absent, or never.
    pub(super) fn optional_wait(&mut self, argument: &'static str) -> Result<Option<Wait>, Fault> {
        let mut rest = self.parts.clone();
        if rest.next() == Some("never") {
            self.parts = rest;
            return Ok(Some(Wait::Never));
        }
        Ok(self.optional_time(argument)?.map(Wait::Ticks))
    }
}

/// Bytes written as characters: the lowest eight bits of each.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    text.chars()
        .map(|character| character as u32 as u8)
        .collect()
}

/// Bytes as characters, none of which separates parts.
pub(super) fn characters(bytes: &[u8]) -> String {
    let character = |byte: &u8| char::from_u32(0x100 + u32::from(*byte));
    bytes.iter().filter_map(character).collect()
}

/// Adds a part to an answer.
pub(super) fn put(answer: &mut String, part: impl Display) {
    // Writing to a string does not fail.
    let _ = write!(answer, "{part}{PART}");
}

/// Adds a part that may be absent.
pub(super) fn put_optional(answer: &mut String, part: Option<impl Display>) {
    match part {
        Some(part) => put(answer, part),
        None => answer.push(PART),
    }
}

/// Adds an instant or a wait: its nanoseconds, and the bits of its milliseconds, rounded up.
pub(super) fn put_time(answer: &mut String, nanos: u64) {
    let bits = FloatUnit::MILLIS.of_nanos_ceil(nanos).to_bits();
    put(answer, format_args!("{nanos}:{bits}"));
}

/// Adds an instant or a wait that may be absent.
pub(super) fn put_optional_time(answer: &mut String, nanos: Option<u64>) {
    match nanos {
        Some(nanos) => put_time(answer, nanos),
        None => answer.push(PART),
    }
}

/// Adds a wait, which may be never.
pub(super) fn put_wait(answer: &mut String, wait: Wait) {
    match wait {
        Wait::Ticks(nanos) => put_time(answer, nanos),
        Wait::Never => put(answer, "never"),
    }
}
