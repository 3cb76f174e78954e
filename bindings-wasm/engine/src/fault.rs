//! What went wrong in the last call that failed.

use std::cell::RefCell;
use std::fmt::Display;

/// What a function returns if it failed.
pub const FAILED: i32 = -1;

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A failed call.
#[derive(Debug)]
pub(crate) struct Fault {
    argument: &'static str,
    code: &'static str,
    message: String,
}

impl Fault {
    /// A call that failed because of `argument`, which is empty for what is no misuse.
    pub(crate) fn new(argument: &'static str, code: &'static str, message: impl Display) -> Self {
        Self {
            argument,
            code,
            message: message.to_string(),
        }
    }

    /// As [`text`] says it.
    pub(crate) fn into_text(self) -> String {
        [self.argument, self.code, &self.message].join("\n")
    }
}

/// The number of a result; a fault is kept for [`text`].
#[inline(always)]
pub(crate) fn outcome(result: Result<i32, Fault>) -> i32 {
    match result {
        Ok(number) => number,
        Err(fault) => keep(fault),
    }
}

#[cold]
fn keep(fault: Fault) -> i32 {
    LAST.set(fault.into_text());
    FAILED
}

/// The last fault, in three lines: the argument that was out of range, or an empty line where it was
/// no misuse; the code; the message.
#[must_use]
pub fn text() -> String {
    LAST.with_borrow(String::clone)
}
