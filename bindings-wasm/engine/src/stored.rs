//! The one command on stored state that is common, without text.

use std::borrow::Cow;

use tokenweir::stored::{Command, Desired, Outcome, step};

use crate::convert::tokens;
use crate::fault::{Fault, outcome};
use crate::limits;
use crate::run::{decision, inheritance};
use crate::words::{NUMBER, RECORDS, byte_capacity, bytes, set_amount, set_bytes, word};

/// What [`stored_check`] returns where the answer does not fit the words: ask in text.
const IN_TEXT: i32 = -2;

/// A check of limits under a key, whose stored bytes, `length` of them, are the records; a negative length is
/// none. The version, if `mode` is the number of an inheritance and not negative, is the small number.
///
/// Leaves the decision as a result, the bytes to write as records, and as the small number how long to keep
/// them. Returns twice their length, and 1 more if the cost was granted.
#[must_use]
pub fn stored_check(slot: u32, mode: i32, cost: i32, now_us: f64, length: i32) -> i32 {
    outcome(check(slot, mode, cost, now_us, length))
}

fn check(slot: u32, mode: i32, cost: i32, now_us: f64, length: i32) -> Result<i32, Fault> {
    let cost = tokens(cost)?;
    let now = (now_us as u64).saturating_mul(1_000);
    let stored = usize::try_from(length).map(|length| bytes(RECORDS, length));
    limits::find(slot, |limits| {
        let desired = match u32::try_from(mode) {
            Ok(mode) => {
                Desired::versioned(limits, word(NUMBER).cast_signed(), inheritance(mode.into()))
            }
            Err(_) => Desired::new(limits),
        };
        let step = step(stored.as_deref().ok(), &desired, now, &Command::Check(cost))
            .map_err(|error| Fault::new("", error.code()).said(error))?;
        let written = step.write.as_ref().map_or(0, |write| write.bytes.len());
        // Names of other limits are text.
        let (Outcome::Decision(decided), Cow::Borrowed(_)) = (step.outcome, step.limits) else {
            return Ok(IN_TEXT);
        };
        if written > byte_capacity(RECORDS) {
            return Ok(IN_TEXT);
        }
        let allowed = decision(decided);
        if let Some(write) = step.write {
            set_amount(NUMBER, write.keep_ms().cast_signed());
            set_bytes(RECORDS, &write.bytes);
        }
        // The capacity is a few thousand.
        Ok(written as i32 * 2 + allowed)
    })?
}
