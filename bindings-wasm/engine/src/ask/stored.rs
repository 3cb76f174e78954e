//! Commands on the stored state of keys.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::rc::Rc;

use tokenweir::stored::scripts::hash_slot;
use tokenweir::stored::{self, Command, Desired, Key, Outcome, Step};
use tokenweir::{LimiterReservation, Limits, ReserveError, Tokens, TokensInheritance, signed};

use super::parts::{Parts, characters, put, put_optional, put_time, put_wait};
use super::{GROUP, PART};
use crate::fault::Fault;
use crate::reservation;
use crate::run::inheritance;

/// `now`, the limits and their version and inheritance, the stored bytes; a group for each command with its
/// arguments.
///
/// Answers how the key stands, see [`standing`]; then a group for each outcome: a `+` and the outcome, or a
/// `!` and the fault, if the command had one and was left out.
pub(super) fn step(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    let now = parts.time("now")?;
    let wanted = Wanted::read(parts)?;
    let mut requests = Vec::new();
    while let Some(mut group) = parts.group() {
        requests.push(Request::read(&mut group));
    }
    let commands = requests.iter().filter_map(|request| {
        let request = request.as_ref().ok()?;
        Some(request.command())
    });
    let commands: Vec<_> = commands.collect();
    let desired = wanted.desired();
    let step = stored::step_batch(wanted.stored.as_deref(), &desired, now, &commands)
        .map_err(|error| Fault::new("", error.code()).said(error))?;
    standing(answer, &step);
    let scopes = &*step.limits;
    let mut outcomes = step.outcome.into_iter();
    for request in requests {
        let outcome = request.and_then(|_| {
            let mut text = String::from("+");
            // As many as there were commands.
            if let Some(outcome) = outcomes.next() {
                put_outcome(&mut text, outcome, scopes)?;
            }
            Ok(text)
        });
        answer.push(GROUP);
        match outcome {
            Ok(text) => answer.push_str(&text),
            Err(fault) => {
                answer.push('!');
                answer.push_str(&fault.text());
            }
        }
    }
    Ok(())
}

/// `now`; a group for each key: the limits and their version and inheritance, the stored bytes, the cost.
///
/// Answers two groups for each key: how it stands, and its decision.
pub(super) fn across(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    let now = parts.time("now")?;
    let mut wanted = Vec::new();
    while let Some(mut group) = parts.group() {
        let key = Wanted::read(&mut group)?;
        wanted.push((key, Tokens::try_from(group.number::<i128>("cost")?)?));
    }
    let keys: Vec<_> = wanted
        .iter()
        .map(|(key, cost)| Key {
            stored: key.stored.as_deref(),
            desired: key.desired(),
            cost: *cost,
        })
        .collect();
    let steps = stored::step_across(&keys, now)
        .map_err(|error| Fault::new("", error.code()).said(error))?;
    for (index, step) in steps.into_iter().enumerate() {
        if index > 0 {
            answer.push(GROUP);
        }
        standing(answer, &step);
        answer.push(GROUP);
        put_outcome(answer, step.outcome, &step.limits)?;
    }
    Ok(())
}

/// Limits and how many instances share them; answers the limits of one.
pub(super) fn share(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    let whole = Limits::parse(parts.text())?;
    let instances: NonZeroU32 = parts.number("instances")?;
    put(answer, stored::share_of(&whole, instances));
    Ok(())
}

/// A key of a Redis Cluster; answers its slot.
pub(super) fn slot(parts: &mut Parts<'_>, answer: &mut String) {
    put(answer, hash_slot(parts.text()));
}

/// Gives a reservation up: what it took stays taken.
pub(super) fn give_up(parts: &mut Parts<'_>) -> Result<(), Fault> {
    reservation::reservation_drop(parts.number("reservation")?);
    Ok(())
}

/// What is wanted under a key, and what is there.
struct Wanted {
    limits: Limits,
    version: Option<i64>,
    inheritance: TokensInheritance,
    stored: Option<Vec<u8>>,
}

impl Wanted {
    fn read(parts: &mut Parts<'_>) -> Result<Self, Fault> {
        Ok(Self {
            limits: Limits::parse(parts.text())?,
            version: parts.optional_number("version")?,
            inheritance: inheritance(parts.number("inheritance")?),
            stored: parts.optional_bytes(),
        })
    }

    fn desired(&self) -> Desired<'_> {
        match self.version {
            Some(version) => Desired::versioned(&self.limits, version, self.inheritance),
            None => Desired::new(&self.limits),
        }
    }
}

/// A command and what it refers to.
enum Request {
    Plain(Command<'static>),
    Cancel(Rc<LimiterReservation>),
}

impl Request {
    fn read(parts: &mut Parts<'_>) -> Result<Self, Fault> {
        let name = parts.text();
        let cost = parts.optional_number::<i128>("cost")?.unwrap_or(1);
        let mut argument = Parts::new(parts.text());
        let taken = || Tokens::try_from(cost).map_err(Fault::from);
        let given = || signed::tokens_to_add(cost).map_err(Fault::from);
        Ok(Self::Plain(match name {
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
                return reservation::find(slot).map(Self::Cancel);
            }
            "refund" => Command::Refund(given()?),
            "forceAdd" => Command::ForceAdd(given()?),
            "reset" => Command::Reset,
            "statuses" => Command::Statuses,
            _ => return Err(Fault::new("command", "no_such_command").said(name)),
        }))
    }

    fn command(&self) -> Command<'_> {
        match self {
            Self::Plain(command) => *command,
            Self::Cancel(reservation) => Command::Cancel(reservation),
        }
    }
}

/// The version, the epoch, what was consumed, the limits in force unless they are those wanted; and, if
/// there is something to write, the bytes, how long they matter and how long to keep them.
fn standing<O>(answer: &mut String, step: &Step<'_, O>) {
    put_optional(answer, step.version);
    put(answer, step.epoch);
    put(answer, step.consumed);
    match &step.limits {
        Cow::Borrowed(_) => answer.push(PART),
        Cow::Owned(limits) => put(answer, limits),
    }
    if let Some(write) = &step.write {
        put(answer, characters(&write.bytes));
        put_optional(answer, write.time_to_live_ms);
        put(answer, write.keep_ms());
    }
}

fn put_outcome(answer: &mut String, outcome: Outcome, limits: &Limits) -> Result<(), Fault> {
    match outcome {
        Outcome::Decision(decision) => {
            put(answer, u8::from(decision.allowed));
            put(answer, decision.limit);
            put(answer, decision.remaining);
            put_wait(answer, decision.retry_after);
            put_wait(answer, decision.reset_after);
            put(answer, limits.name(decision.scope));
        }
        Outcome::Taken(taken) => put(answer, taken),
        Outcome::Owed(wait) => put_time(answer, wait?),
        Outcome::Reserved(Ok(held)) => {
            let (cost, wait, ready_at) = (held.cost().get(), held.wait(), held.ready_at());
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
    Ok(())
}
