//! The field lines of a reply that have to do with limits.

use alloc::vec::Vec;

/// A field of interest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    RetryAfter,
    Date,
    Age,
    Policy,
    RateLimit,
    Limit,
    Remaining,
    Reset,
    XLimit,
    XRemaining,
    XReset,
}

const NAMES: [(Name, &str); 11] = [
    (Name::RetryAfter, "retry-after"),
    (Name::Date, "date"),
    (Name::Age, "age"),
    (Name::Policy, "ratelimit-policy"),
    (Name::RateLimit, "ratelimit"),
    (Name::Limit, "ratelimit-limit"),
    (Name::Remaining, "ratelimit-remaining"),
    (Name::Reset, "ratelimit-reset"),
    (Name::XLimit, "x-ratelimit-limit"),
    (Name::XRemaining, "x-ratelimit-remaining"),
    (Name::XReset, "x-ratelimit-reset"),
];

/// The values of the fields of interest that there are.
#[derive(Default)]
pub(super) struct Lines(Vec<(Name, Line)>);

impl Lines {
    /// Keeps the value if the name is one of those.
    pub(super) fn add(&mut self, name: &str, value: &[u8]) {
        let mut names = NAMES.into_iter();
        let Some((name, _)) = names.find(|known| known.1.eq_ignore_ascii_case(name)) else {
            return;
        };
        let value = trim(value);
        match self.0.iter_mut().find(|line| line.0 == name) {
            Some((_, line)) => line.add(value),
            None => self.0.push((name, Line::new(value))),
        }
    }

    /// The lines of a field as one list, as RFC 9110 section 5.3 has it; empty without any.
    pub(super) fn all(&self, name: Name) -> &[u8] {
        self.find(name).map_or(&[], |line| &line.value)
    }

    /// The value of a field that has one; `None` without a line, and with more than one: some hosts
    /// hand them out joined by a comma, which is malformed too.
    pub(super) fn single(&self, name: Name) -> Option<&[u8]> {
        let line = self.find(name).filter(|line| !line.repeated)?;
        Some(&line.value)
    }

    /// The value of a field that has one, in digits.
    pub(super) fn digits(&self, name: Name) -> Option<u64> {
        self.single(name).and_then(digits)
    }

    fn find(&self, name: Name) -> Option<&Line> {
        let mut lines = self.0.iter();
        lines.find(|line| line.0 == name).map(|line| &line.1)
    }
}

/// The lines of one field.
struct Line {
    value: Vec<u8>,
    repeated: bool,
}

impl Line {
    fn new(value: &[u8]) -> Self {
        Self {
            value: value.into(),
            repeated: false,
        }
    }

    fn add(&mut self, value: &[u8]) {
        self.value.extend(b", ");
        self.value.extend(value);
        self.repeated = true;
    }
}

/// A number written in digits alone, clamped to `u64::MAX`.
pub(super) fn digits(value: &[u8]) -> Option<u64> {
    if value.is_empty() {
        return None;
    }
    value.iter().try_fold(0_u64, |number, byte| {
        let digit = char::from(*byte).to_digit(10)?;
        Some(number.saturating_mul(10).saturating_add(digit.into()))
    })
}

/// The value without the white space around it, which is not part of it.
fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}
