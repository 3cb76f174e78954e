//! One command on the stored state of a key.

use tokenweir::stored::{self, Command, Desired, Outcome, Step};
use tokenweir::{Limits, ReserveError, Tokens, signed};

use super::GROUP;
use super::parts::{Parts, characters, put, put_optional, put_time, put_wait};
use crate::fault::Fault;
use crate::reservation;
use crate::run::inheritance;

/// The limits as text, their version and inheritance, `now`, the command and its arguments, the stored
/// bytes.
///
/// Answers the outcome; then in a group the version, the epoch and what was consumed; then, if there is
/// something to write, how long it matters and the bytes.
pub(super) fn step(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    let limits = Limits::parse(parts.text())?;
    let version = parts.optional_number("version")?;
    let inheritance = inheritance(parts.number("inheritance")?);
    let now = parts.time("now")?;
    let (name, cost) = (parts.text(), parts.optional_number::<i128>("cost")?);
    let mut argument = Parts::new(parts.text());
    let stored = parts.optional_bytes();
    let desired = match version {
        Some(version) => Desired::versioned(&limits, version, inheritance),
        None => Desired::new(&limits),
    };
    let cost = cost.unwrap_or(1);
    let taken = || Tokens::try_from(cost).map_err(Fault::from);
    let given = || signed::tokens_to_add(cost).map_err(Fault::from);
    let mut run = |command: Command<'_>| -> Result<(), Fault> {
        let step = stored::step(stored.as_deref(), &desired, now, &command)
            .map_err(|error| Fault::new("", error.code()).said(error))?;
        write(answer, step)
    };
    run(match name {
        "check" => Command::Check(taken()?),
        "peek" => Command::Peek(taken()?),
        "acquireUpTo" => Command::AcquireUpTo(taken()?),
        "acquireIgnoringLimits" => Command::AcquireIgnoringLimits(taken()?),
        "reserve" => Command::Reserve {
            cost: taken()?,
            max_wait: argument.max_wait("maxWait")?,
        },
        "cancel" => {
            let slot = argument.number("reservation").unwrap_or(u32::MAX);
            return reservation::with(slot, |held| run(Command::Cancel(held)))?;
        }
        "refund" => Command::Refund(given()?),
        "forceAdd" => Command::ForceAdd(given()?),
        "reset" => Command::Reset,
        "statuses" => Command::Statuses,
        _ => return Err(Fault::new("command", "no_such_command").said(name)),
    })
}

/// Gives a reservation up: what it took stays taken.
pub(super) fn give_up(parts: &mut Parts<'_>) -> Result<(), Fault> {
    reservation::reservation_drop(parts.number("reservation")?);
    Ok(())
}

fn write(answer: &mut String, step: Step<'_>) -> Result<(), Fault> {
    match step.outcome {
        Outcome::Decision(decision) => {
            put(answer, u8::from(decision.allowed));
            put(answer, decision.limit);
            put(answer, decision.remaining);
            put_wait(answer, decision.retry_after);
            put_wait(answer, decision.reset_after);
            put(answer, step.limits.name(decision.scope));
        }
        Outcome::Taken(taken) => put(answer, taken),
        Outcome::Owed(wait) => put_time(answer, wait?),
        Outcome::Reserved(Ok(held)) => {
            let (cost, wait, ready_at) = (held.cost(), held.wait(), held.ready_at());
            put(answer, reservation::keep(held));
            put(answer, cost);
            put_time(answer, wait);
            put_time(answer, ready_at);
        }
        Outcome::Reserved(Err(ReserveError::NotInTime { wait })) => {
            put(answer, "");
            put_wait(answer, wait);
        }
        Outcome::Reserved(Err(error)) => return Err(error.into()),
        Outcome::Cancelled(cancelled) => put(answer, u8::from(cancelled)),
        Outcome::Statuses(statuses) => {
            for status in statuses {
                put(answer, status.limit);
                put(answer, status.available);
                put_wait(answer, status.reset_after);
            }
        }
        // Nothing to say, now and of what may come.
        _ => {}
    }
    answer.push(GROUP);
    put_optional(answer, step.version);
    put(answer, step.epoch);
    put(answer, step.consumed);
    if let Some(write) = step.write {
        answer.push(GROUP);
        put_optional(answer, write.time_to_live_ms);
        answer.push_str(&characters(&write.bytes));
    }
    Ok(())
}
