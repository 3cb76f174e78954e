//! Questions of text: HTTP, back-off and stored state.
//!
//! A question is a list of parts separated by `PART`, of which some are repeated in groups that begin
//! with `GROUP`, two characters that no text may contain; so is an answer. Numbers are decimal. An instant
//! or a wait is nanoseconds, or the bits of a float of milliseconds, see `Parts::time`; in an answer it is
//! both. What may be absent is empty if it is, and otherwise begins with a `~` where it could be an empty
//! text. Bytes are characters, by their lowest eight bits.

mod backoff;
mod fields;
mod parts;
mod received;
mod stored;

use crate::fault::Fault;
use parts::Parts;

/// Between two parts.
const PART: char = '\u{ffff}';
/// Before the first part of a group.
const GROUP: char = '\u{fffe}';

/// What can be asked of HTTP; JavaScript has the same numbers in `http.ts`.
mod web {
    pub(super) const POLICY: u32 = 0;
    pub(super) const FIELDS: u32 = 1;
    pub(super) const PROBLEM: u32 = 2;
    pub(super) const RECEIVED: u32 = 3;
    pub(super) const DATE: u32 = 4;
    pub(super) const ADDRESS: u32 = 5;
    pub(super) const TIMER: u32 = 6;
}

/// What can be asked of back-offs; JavaScript has the same numbers in `backoff.ts`.
mod backoffs {
    pub(super) const NEW: u32 = 0;
    pub(super) const DELAY: u32 = 1;
    pub(super) const DROP: u32 = 2;
}

/// Answers a question about HTTP.
#[must_use]
pub fn ask_http(operation: u32, question: &str) -> String {
    answered(question, |parts, answer| match operation {
        web::POLICY => fields::policy(parts).map(|_| ()),
        web::FIELDS => fields::fields(parts, answer),
        web::PROBLEM => fields::problem(parts, answer),
        web::RECEIVED => received::received(parts, answer),
        web::DATE => received::date(parts, answer),
        web::ADDRESS => received::address(parts, answer),
        web::TIMER => backoff::timer(parts, answer),
        _ => unknown(),
    })
}

/// Answers a question about a back-off.
#[must_use]
pub fn ask_backoff(operation: u32, question: &str) -> String {
    answered(question, |parts, answer| match operation {
        backoffs::NEW => backoff::backoff(parts, answer),
        backoffs::DELAY => backoff::delay(parts, answer),
        backoffs::DROP => backoff::give_up(parts),
        _ => unknown(),
    })
}

/// What can be asked of stored state; JavaScript has the same numbers in `stored.ts`.
mod steps {
    pub(super) const STEP: u32 = 0;
    pub(super) const ACROSS: u32 = 1;
    pub(super) const SLOT: u32 = 2;
    pub(super) const DROP: u32 = 3;
    pub(super) const SHARE: u32 = 4;
}

/// Answers a question about stored state.
#[must_use]
pub fn ask_stored(operation: u32, question: &str) -> String {
    answered(question, |parts, answer| match operation {
        steps::STEP => stored::step(parts, answer),
        steps::ACROSS => stored::across(parts, answer),
        steps::SLOT => {
            stored::slot(parts, answer);
            Ok(())
        }
        steps::DROP => stored::give_up(parts),
        steps::SHARE => stored::share(parts, answer),
        _ => unknown(),
    })
}

/// An answer: a `+` and what was asked for, or a `!` and the fault.
fn answered(
    question: &str,
    ask: impl FnOnce(&mut Parts<'_>, &mut String) -> Result<(), Fault>,
) -> String {
    let mut answer = String::from("+");
    match ask(&mut Parts::new(question), &mut answer) {
        Ok(()) => answer,
        Err(fault) => format!("!{}", fault.text()),
    }
}

fn unknown() -> Result<(), Fault> {
    Err(Fault::new("", "no_such_operation"))
}
