//! Replaying what an `AtomicCycleLimiter` can express.
//!
//! A scenario is begun if its configuration fits, and left at the first step that such a limiter does not
//! have: a reservation that waits, a change, a clock that goes back, or a silence beyond its horizon.

use tokenweir::{AtomicCycleLimiter, Permits};

use super::permits;
use super::scenario::{Answer, Drained, Header, Operation, Step};
use crate::Tally;
use crate::reader::Reader;

/// Replays [`CYCLE`](crate::CYCLE) in an `AtomicCycleLimiter`; counts the scenarios that are begun.
pub fn run_atomic(scenarios: &[u8]) -> Tally {
    let mut tally = Tally::default();
    let mut reader = Reader::new(scenarios);
    while !reader.is_empty() {
        let Header {
            scenario,
            config,
            start,
            steps,
            ..
        } = Header::read(&mut reader);
        let limiter = config
            .ok()
            .and_then(|config| AtomicCycleLimiter::new(config, start).ok());
        let horizon = limiter.as_ref().map_or(0, AtomicCycleLimiter::max_idle);
        let (mut before, mut performed) = (start, 0);
        // What is not performed is read all the same.
        let mut goes_on = limiter.is_some();
        for index in 0..steps {
            let step = Step::read(&mut reader);
            let elapsed = step.now.checked_sub(before);
            goes_on &= elapsed.is_some_and(|ticks| ticks <= horizon) && can_be_expressed(&step);
            if let (Some(limiter), true) = (&limiter, goes_on) {
                perform(
                    limiter,
                    &step,
                    format_args!("scenario {scenario} step {index}"),
                );
                before = step.now;
                performed += 1;
            }
        }
        if performed > 0 {
            tally.add(performed);
        }
    }
    tally
}

fn can_be_expressed(step: &Step) -> bool {
    match step.operation {
        Operation::ChangeLimit(_) | Operation::ChangeTimeout(_) | Operation::Config => false,
        Operation::Reserve(_) => !matches!(step.answer, Answer::Number(1..)),
        _ => true,
    }
}

fn perform(limiter: &AtomicCycleLimiter, step: &Step, at: core::fmt::Arguments<'_>) {
    let Step { operation, now, .. } = step;
    let mut drained = Drained::Nothing;
    let answer = attempt(limiter, operation, *now, &mut drained).unwrap_or_else(Answer::Error);
    assert_eq!(answer, step.answer, "{at}, {operation:?} at {now}");
    if let Some(expected) = step.available {
        let left = i64::try_from(limiter.available(*now));
        assert_eq!(left, Ok(expected), "{at}: available after it");
    }
    if let Some(expected) = &step.drained {
        assert_eq!(drained, *expected, "{at}");
    }
}

fn attempt(
    limiter: &AtomicCycleLimiter,
    operation: &Operation,
    now: u64,
    drained: &mut Drained,
) -> Result<Answer, &'static str> {
    Ok(match *operation {
        Operation::Acquire(n) => Answer::Decided(limiter.try_acquire(permits(n)?, now)),
        Operation::Reserve(n) => match limiter.try_acquire(permits(n)?, now) {
            true => Answer::Number(0),
            false => Answer::Refused,
        },
        Operation::Call { n, drains } => {
            let granted = limiter.try_acquire(permits(n)?, now);
            if granted && drains {
                *drained = Drained::Permits(limiter.drain(now));
            }
            Answer::Decided(granted)
        }
        Operation::Drain => {
            *drained = Drained::Permits(limiter.drain(now));
            Answer::Done
        }
        Operation::Available => {
            Answer::Available(i64::try_from(limiter.available(now)).expect("at most i64::MAX"))
        }
        Operation::WaitForOne => Answer::Wait(limiter.wait(Permits::ONE, now)),
        Operation::Cycle => Answer::Number(limiter.cycle(now)),
        Operation::Nothing
        | Operation::ChangeLimit(_)
        | Operation::ChangeTimeout(_)
        | Operation::Config => Answer::Done,
    })
}
