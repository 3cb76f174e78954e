//! Questions of text: HTTP, back-off and stored state.
//!
//! A question is a list of parts separated by `PART`, of which some are repeated in groups that begin
//! with `GROUP`, two characters that no text may contain; so is an answer. Numbers are decimal. What may be absent is empty if it is, and
//! otherwise begins with a `~` where it could be an empty text. Bytes are characters, by their lowest eight
//! bits.

mod backoff;
mod fields;
mod parts;
mod received;
mod stored;

use crate::fault::{Fault, outcome, text};
use parts::Parts;

/// Between two parts.
const PART: char = '\u{ffff}';
/// Before the first part of a group.
const GROUP: char = '\u{fffe}';

/// What can be asked; JavaScript has the same numbers in `ask.ts`.
mod op {
    pub(super) const POLICY: u32 = 0;
    pub(super) const FIELDS: u32 = 1;
    pub(super) const PROBLEM: u32 = 2;
    pub(super) const RECEIVED: u32 = 3;
    pub(super) const DATE: u32 = 4;
    pub(super) const ADDRESS: u32 = 5;
    pub(super) const BACKOFF: u32 = 6;
    pub(super) const DELAY: u32 = 7;
    pub(super) const TIMER: u32 = 8;
    pub(super) const STEP: u32 = 9;
    pub(super) const ACROSS: u32 = 12;
    pub(super) const SLOT: u32 = 13;
}

/// Answers a question: a `+` and the answer, or a `!` and the fault.
#[must_use]
pub fn ask(op: u32, question: &str) -> String {
    let mut parts = Parts::new(question);
    let mut answer = String::from("+");
    let answered = match op {
        op::POLICY => fields::policy(&mut parts).map(|_| ()),
        op::FIELDS => fields::fields(&mut parts, &mut answer),
        op::PROBLEM => fields::problem(&mut parts, &mut answer),
        op::RECEIVED => received::received(&mut parts, &mut answer),
        op::DATE => received::date(&mut parts, &mut answer),
        op::ADDRESS => received::address(&mut parts, &mut answer),
        op::BACKOFF => backoff::backoff(&mut parts, &mut answer),
        op::DELAY => backoff::delay(&mut parts, &mut answer),
        op::TIMER => backoff::timer(&mut parts, &mut answer),
        op::STEP => stored::step(&mut parts, &mut answer),
        op::ACROSS => stored::across(&mut parts, &mut answer),
        op::SLOT => {
            stored::slot(&mut parts, &mut answer);
            Ok(())
        }
        _ => Err(Fault::new(
            "",
            "no_such_question",
            "there is no such question",
        )),
    };
    match answered {
        Ok(()) => answer,
        Err(fault) => {
            let _ = outcome(Err(fault));
            format!("!{}", text())
        }
    }
}

/// Gives a back-off up.
pub fn backoff_drop(slot: u32) {
    backoff::drop_slot(slot);
}
