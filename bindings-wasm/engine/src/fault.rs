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
pub struct Fault {
    /// The argument that was out of range, or empty for what is no misuse.
    argument: &'static str,
    code: &'static str,
    message: String,
}

impl Fault {
    /// A misuse: `argument` is out of range.
    pub(crate) fn range(argument: &'static str, code: &'static str, message: impl Display) -> Self {
        Self {
            argument,
            code,
            message: message.to_string(),
        }
    }

    /// An error of the core that is no misuse of an argument.
    pub(crate) fn other(code: &'static str, message: impl Display) -> Self {
        Self::range("", code, message)
    }
}

/// The number of a result; a fault is kept for [`text`].
pub(crate) fn outcome(result: Result<i32, Fault>) -> i32 {
    result.unwrap_or_else(keep)
}

#[cold]
fn keep(fault: Fault) -> i32 {
    let Fault {
        argument,
        code,
        message,
    } = fault;
    LAST.set([argument, code, &message].join("\n"));
    FAILED
}

/// The last fault, in three lines: the argument that was out of range (empty where none was), the
/// code, and the message.
#[must_use]
pub fn text() -> String {
    LAST.with_borrow(String::clone)
}
