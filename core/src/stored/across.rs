//! One decision over the stored limits of several keys.

use alloc::vec::Vec;

use super::command::{Command, Outcome};
use super::entry::Entry;
use super::error::StateError;
use super::step::{Desired, Step};
use crate::{Decision, Tokens};

/// One of several keys: what is stored under it, the limits wanted there, and what to take.
#[derive(Clone, Copy, Debug)]
pub struct Key<'s, 'a> {
    /// The stored bytes.
    pub stored: Option<&'s [u8]>,
    /// The limits.
    pub desired: Desired<'a>,
    /// What to take.
    pub cost: Tokens,
}

/// Takes each key's cost from all of its limits, if all limits of all keys have it; otherwise
/// nothing is taken anywhere.
///
/// Each result holds the [`Outcome::Decision`] of its key. If one is refused, the others say what
/// they would have allowed, and only a change of limits is written.
///
/// ```
/// use tokenweir::stored::{Desired, Key, Outcome, step_across};
/// use tokenweir::{Limits, Tokens};
///
/// let (user, global) = (Limits::parse("5/s")?, Limits::parse("2/s")?);
/// let key = |limits| Key { stored: None, desired: Desired::new(limits), cost: Tokens::MAX };
/// let steps = step_across(&[key(&user), key(&global)], 0)?;
/// assert!(steps.iter().all(|step| step.write.is_none()));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// # Errors
///
/// A [`StateError`] for bytes that are no state, with the place of the key; nothing was decided.
pub fn step_across<'a>(keys: &[Key<'_, 'a>], now: u64) -> Result<Vec<Step<'a>>, AcrossError> {
    let mut entries = Vec::with_capacity(keys.len());
    for (index, key) in keys.iter().enumerate() {
        let entry = Entry::load(key.stored, &key.desired, now)
            .map_err(|error| AcrossError { index, error })?;
        entries.push(entry);
    }
    let peeked = keys.iter().zip(&entries);
    let peeked: Vec<_> = peeked
        .map(|(key, entry)| entry.peek(key.cost, now))
        .collect();
    let allowed = peeked.iter().all(|decision| decision.allowed);
    let steps = keys.iter().zip(entries).zip(peeked);
    let steps = steps.map(|((key, mut entry), peeked)| {
        let outcome = if allowed {
            entry.run(&Command::Check(key.cost), now)
        } else {
            Outcome::Decision(peeked)
        };
        entry.finish(outcome, now)
    });
    Ok(steps.collect())
}

/// Which of the steps of [`step_across`] decided, by its place: of those refused the one with the longest
/// wait, and if all are allowed the one that has the least left. `None` for no steps.
#[must_use]
pub fn deciding(steps: &[Step<'_>]) -> Option<usize> {
    let decisions = steps
        .iter()
        .enumerate()
        .filter_map(|(place, step)| match &step.outcome {
            Outcome::Decision(decision) => Some((place, decision)),
            _ => None,
        });
    let refused = decisions.clone().filter(|(_, decision)| !decision.allowed);
    let decided = refused
        .reduce(earlier)
        .or_else(|| decisions.reduce(earlier));
    decided.map(|(place, _)| place)
}

/// Which of two decisions that answered alike decides, each with its place.
fn earlier<'d>(
    first: (usize, &'d Decision),
    second: (usize, &'d Decision),
) -> (usize, &'d Decision) {
    if second.1.decides_before(first.1) {
        second
    } else {
        first
    }
}

/// The bytes stored under one of several keys are no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct AcrossError {
    /// Which key.
    pub index: usize,
    /// What is wrong with its bytes.
    pub error: StateError,
}

impl AcrossError {
    /// The stable code of this error: that of the bytes.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.error.code()
    }
}

impl core::fmt::Display for AcrossError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "key {}: {}", self.index, self.error)
    }
}

impl core::error::Error for AcrossError {}
