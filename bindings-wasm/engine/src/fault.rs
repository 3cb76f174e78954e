//! What went wrong in the last call that failed.

use std::cell::Cell;
use std::fmt::Display;

use crate::words::{RESULT, set_integer};

/// What a function returns if it failed.
pub const FAILED: i32 = -1;

thread_local! {
    static LAST: Cell<String> = const { Cell::new(String::new()) };
}

/// A failed call.
///
/// JavaScript says it in words, by the code: text takes room here that a page has to load.
#[derive(Debug)]
pub(crate) struct Fault {
    argument: &'static str,
    code: &'static str,
    /// The value that was refused.
    value: Option<i128>,
    /// What JavaScript cannot know.
    detail: String,
}

impl Fault {
    /// A call that failed because of `argument`, which is empty for what is no misuse.
    pub(crate) const fn new(argument: &'static str, code: &'static str) -> Self {
        Self {
            argument,
            code,
            value: None,
            detail: String::new(),
        }
    }

    /// As it is, with the value that was refused.
    pub(crate) const fn of(mut self, value: Option<i128>) -> Self {
        self.value = value;
        self
    }

    /// As it is, with what JavaScript cannot know.
    pub(crate) fn with(mut self, detail: String) -> Self {
        self.detail = detail;
        self
    }

    /// As it is, in words.
    pub(crate) fn said(self, message: impl Display) -> Self {
        let detail = message.to_string();
        self.with(detail)
    }

    /// In lines: the argument that was out of range, or an empty line where it was no misuse; the code; the
    /// value or an empty line; the detail.
    pub(crate) fn text(&self) -> String {
        let value = self.value.map(|value| value.to_string());
        self.lines(&value.unwrap_or_default())
    }

    fn lines(&self, value: &str) -> String {
        [self.argument, self.code, value, &self.detail].join("\n")
    }
}

/// The number of a result; a fault is kept for [`text`], and its value left as the result.
#[inline(always)]
pub(crate) fn outcome(result: Result<i32, Fault>) -> i32 {
    match result {
        Ok(number) => number,
        Err(fault) => keep(fault),
    }
}

#[cold]
fn keep(fault: Fault) -> i32 {
    // Written by JavaScript, which has more room for that.
    LAST.set(fault.lines(if fault.value.is_some() { "#" } else { "" }));
    if let Some(value) = fault.value {
        set_integer(RESULT, value);
    }
    FAILED
}

/// The last fault, in lines: the argument that was out of range, or an empty line where it was no misuse;
/// the code; a `#` or an empty line; the detail. The value that was refused is the result where there is a `#`.
#[must_use]
pub fn text() -> String {
    LAST.take()
}
