//! The field lines of a reply that have to do with limits.

use alloc::vec::Vec;

/// The values of the fields of interest.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) retry_after: Line,
    pub(super) date: Line,
    pub(super) age: Line,
    pub(super) policy: Line,
    pub(super) limit: Line,
    pub(super) legacy: Three,
    pub(super) x: Three,
}

/// The three fields of the older styles.
#[derive(Default)]
pub(super) struct Three {
    pub(super) limit: Line,
    pub(super) remaining: Line,
    pub(super) reset: Line,
}

impl Lines {
    /// Keeps the value if the name is one of those.
    pub(super) fn add(&mut self, name: &str, value: &[u8]) {
        let name = name.to_ascii_lowercase();
        let line = match name.as_str() {
            "retry-after" => &mut self.retry_after,
            "date" => &mut self.date,
            "age" => &mut self.age,
            "ratelimit-policy" => &mut self.policy,
            "ratelimit" => &mut self.limit,
            other => match other.strip_prefix("x-") {
                Some(other) => return self.x.add(other, value),
                None => return self.legacy.add(other, value),
            },
        };
        line.add(value);
    }
}

impl Three {
    fn add(&mut self, name: &str, value: &[u8]) {
        match name {
            "ratelimit-limit" => self.limit.add(value),
            "ratelimit-remaining" => self.remaining.add(value),
            "ratelimit-reset" => self.reset.add(value),
            _ => {}
        }
    }
}

/// The lines of one field.
#[derive(Default)]
pub(super) struct Line {
    value: Vec<u8>,
    count: usize,
}

impl Line {
    fn add(&mut self, value: &[u8]) {
        if self.count > 0 {
            self.value.extend(b", ");
        }
        self.value.extend(trim(value));
        self.count = self.count.saturating_add(1);
    }

    /// The lines as one list, as RFC 9110 section 5.3 has it.
    pub(super) fn all(&self) -> &[u8] {
        &self.value
    }

    /// The value of a field that has one; `None` without a line, and with more than one: some hosts
    /// hand them out joined by a comma, which is malformed too.
    pub(super) fn single(&self) -> Option<&[u8]> {
        (self.count == 1).then_some(self.value.as_slice())
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
