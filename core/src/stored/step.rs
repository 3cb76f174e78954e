//! One command, or several, on the stored limits of one key.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::command::{Command, Outcome};
use super::entry::Entry;
use super::error::StateError;
use super::scripts::{LONGEST_MS, MARGIN_MS};
use crate::{Limits, TokensInheritance};

/// The limits a caller wants under a key.
///
/// Without a version they count only where nothing is stored yet: whatever is stored stays in force.
/// With one they replace stored limits of a lower version, or of none, and are ignored where the
/// stored version is the same or higher, so that a process with an old configuration does not roll
/// back a new one.
#[derive(Clone, Copy, Debug)]
pub struct Desired<'a> {
    pub(super) limits: &'a Limits,
    pub(super) version: Option<i64>,
    pub(super) inheritance: TokensInheritance,
}

impl<'a> Desired<'a> {
    /// Limits without a version.
    #[must_use]
    pub const fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            version: None,
            inheritance: TokensInheritance::AsIs,
        }
    }

    /// Limits of a version, which take over from those of a lower one by `inheritance`.
    #[must_use]
    pub const fn versioned(
        limits: &'a Limits,
        version: i64,
        inheritance: TokensInheritance,
    ) -> Self {
        Self {
            limits,
            version: Some(version),
            inheritance,
        }
    }
}

/// What to write under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// How long they matter, in milliseconds rounded up, at least 1: afterwards a new entry would
    /// say the same. `None` if they must not expire, because tokens were added beyond a quota or
    /// because new limits do not start full.
    pub time_to_live_ms: Option<u64>,
}

impl Write {
    /// How long a store keeps it, in milliseconds: its time to live and a margin, or a year if it must not
    /// expire; see [`scripts`](super::scripts).
    #[must_use]
    pub fn keep_ms(&self) -> u64 {
        self.time_to_live_ms
            .map_or(LONGEST_MS, |needed| needed.saturating_add(MARGIN_MS))
    }
}

/// The result of [`step`], or of [`step_batch`] with a list of outcomes.
#[derive(Debug)]
#[must_use]
pub struct Step<'a, O = Outcome> {
    /// The answer.
    pub outcome: O,
    /// What to write; `None` if the stored bytes, or their absence, stay as they are.
    pub write: Option<Write>,
    /// The limits in force, which may be the stored ones: outcomes refer to their order.
    pub limits: Cow<'a, Limits>,
    /// The version in force.
    pub version: Option<i64>,
    /// Changes with every refund, reset, cancellation, addition and change of the limits: until it
    /// does, a refusal holds for as long as it said. Wraps.
    pub epoch: u8,
    /// All that was ever taken under this key; what was given back is not subtracted.
    pub consumed: u64,
}

/// Runs one command on the stored state of a key, or on a new one where nothing is stored.
///
/// `now` is in nanoseconds of a clock that all users of the store share: take the store's own time.
/// A command that takes and gives nothing writes nothing, unless the limits changed, a new entry is
/// not full, or a fixed cycle has come that was not seen before: that is remembered, so that a clock
/// that goes back does not undo it.
///
/// ```
/// use tokenweir::stored::{Command, Desired, Outcome, step};
/// use tokenweir::{Limits, Tokens};
///
/// let limits = Limits::parse("2/s; 100/day")?;
/// let desired = Desired::new(&limits);
/// let check = Command::Check(Tokens::new(2)?);
///
/// let first = step(None, &desired, 0, &check)?;
/// let stored = first.write.expect("two tokens were taken");
/// assert_eq!(stored.time_to_live_ms, Some(1_728_000));
///
/// let second = step(Some(&stored.bytes), &desired, 999_999_999, &check)?;
/// assert!(matches!(second.outcome, Outcome::Decision(decision) if !decision.allowed));
/// assert_eq!(second.write, None);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// # Errors
///
/// A [`StateError`] for bytes that are no state; nothing was decided.
pub fn step<'a>(
    stored: Option<&[u8]>,
    desired: &Desired<'a>,
    now: u64,
    command: &Command<'_>,
) -> Result<Step<'a>, StateError> {
    let mut entry = Entry::load(stored, desired, now)?;
    let outcome = entry.run(command, now);
    Ok(entry.finish(outcome, now))
}

/// As [`step`], for several commands in their order with one reading and one writing.
///
/// # Errors
///
/// As [`step`].
pub fn step_batch<'a>(
    stored: Option<&[u8]>,
    desired: &Desired<'a>,
    now: u64,
    commands: &[Command<'_>],
) -> Result<Step<'a, Vec<Outcome>>, StateError> {
    let mut entry = Entry::load(stored, desired, now)?;
    let outcomes = commands
        .iter()
        .map(|command| entry.run(command, now))
        .collect();
    Ok(entry.finish(outcomes, now))
}
