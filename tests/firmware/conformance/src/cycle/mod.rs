//! Replaying the scenarios of a cycle limiter.

mod atomic;
mod scenario;

use tokenweir::{CycleLimiter, Permits};

use crate::Tally;
use crate::reader::Reader;
use scenario::{Answer, Drained, Header, Operation, Step};

pub use atomic::run_atomic;

/// Replays [`CYCLE`](crate::CYCLE).
pub fn run(scenarios: &[u8]) -> Tally {
    let mut tally = Tally::default();
    let mut reader = Reader::new(scenarios);
    while !reader.is_empty() {
        tally.add(run_one(&mut reader));
    }
    tally
}

/// Replays a scenario; returns the number of its steps.
fn run_one(reader: &mut Reader<'_>) -> usize {
    let header = Header::read(reader);
    let scenario = header.scenario;
    let mut limiter = match (header.config, header.fails) {
        (Ok(config), None) => CycleLimiter::new(config, header.start),
        (Err(error), Some(expected)) => {
            assert_eq!(error.code(), expected, "building scenario {scenario}");
            return 0;
        }
        (built, expected) => panic!(
            "scenario {scenario} was built with the error {:?}, expected {expected:?}",
            built.err()
        ),
    };
    for index in 0..header.steps {
        let step = Step::read(reader);
        let Step { operation, now, .. } = &step;
        let before = limiter;
        let mut drained = Drained::Nothing;
        let answer = perform(&mut limiter, operation, *now, &mut drained);
        assert_eq!(
            answer, step.answer,
            "scenario {scenario} step {index}, {operation:?} at {now}"
        );
        if answer.is_refusal() {
            let (left, before) = (limiter.available(*now), before.available(*now));
            assert_eq!(
                left, before,
                "scenario {scenario} step {index}: a refusal took"
            );
        }
        if let Some(expected) = step.available {
            let left = limiter.available(*now);
            assert_eq!(
                left, expected,
                "scenario {scenario} step {index}: available after it"
            );
        }
        if let Some(expected) = step.drained {
            assert_eq!(drained, expected, "scenario {scenario} step {index}");
        }
    }
    header.steps
}

fn perform(
    limiter: &mut CycleLimiter,
    operation: &Operation,
    now: u64,
    drained: &mut Drained,
) -> Answer {
    attempt(limiter, operation, now, drained).unwrap_or_else(Answer::Error)
}

/// The recorded operations in terms of the public API.
fn attempt(
    limiter: &mut CycleLimiter,
    operation: &Operation,
    now: u64,
    drained: &mut Drained,
) -> Result<Answer, &'static str> {
    Ok(match *operation {
        Operation::Acquire(n) => Answer::Decided(limiter.try_acquire(permits(n)?, now)),
        Operation::Reserve(n) => match limiter.reserve(permits(n)?, now) {
            Ok(reservation) => Answer::Number(reservation.wait()),
            Err(_) => Answer::Refused,
        },
        // A guarded call: acquire, run, and drain if the outcome asks for it.
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
        Operation::Nothing => Answer::Done,
        Operation::ChangeLimit(limit) => match limiter.change_limit(limit, now) {
            Ok(()) => Answer::Done,
            Err(error) => return Err(error.code()),
        },
        Operation::ChangeTimeout(timeout) => match limiter.change_timeout(timeout) {
            Ok(()) => Answer::Done,
            Err(error) => return Err(error.code()),
        },
        Operation::Available => Answer::Available(limiter.available(now)),
        Operation::WaitForOne => Answer::Wait(limiter.wait(Permits::ONE, now)),
        Operation::Cycle => Answer::Number(limiter.cycle(now)),
        Operation::Config => {
            let config = limiter.config();
            Answer::Config {
                limit: config.limit(),
                period: config.period(),
                timeout: config.timeout(),
            }
        }
    })
}

fn permits(n: i64) -> Result<Permits, &'static str> {
    Permits::try_from(i128::from(n)).map_err(|error| error.code())
}
