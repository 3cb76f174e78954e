//! The recorded operations in terms of the public API.

use tokenweir::{AmountError, Bucket, ReserveError, TickRate, Tokens, Wait};

use super::scenario::{Answer, Operation};
use crate::format::TimeToLive;

/// Performs an operation and gives its answer.
pub(super) fn perform<const N: usize>(
    bucket: &mut Bucket<N>,
    operation: &Operation,
    now: u64,
) -> Answer {
    attempt(bucket, operation, now).unwrap_or_else(Answer::Error)
}

fn attempt<const N: usize>(
    bucket: &mut Bucket<N>,
    operation: &Operation,
    now: u64,
) -> Result<Answer, &'static str> {
    Ok(match *operation {
        Operation::TryConsume(n) => Answer::Decided(bucket.try_consume(tokens(n)?, now)),
        Operation::VerboseTryConsume(n) => {
            let consumed = bucket.try_consume(tokens(n)?, now);
            verbose(bucket, consumed.into(), now)
        }
        Operation::Probe(n) => {
            let probe = bucket.try_consume_with_probe(tokens(n)?, now);
            Answer::Probe {
                consumed: probe.consumed,
                remaining: probe.remaining,
                wait: probe.wait,
                reset: probe.reset,
            }
        }
        Operation::Estimate(n) => {
            let estimate = bucket.estimate(tokens(n)?, now);
            Answer::Estimate {
                can_consume: estimate.can_consume,
                remaining: estimate.remaining,
                wait: estimate.wait,
            }
        }
        Operation::ConsumeUpTo(most) => Answer::number(bucket.consume_up_to(tokens(most)?, now)),
        Operation::ConsumeAll => Answer::number(bucket.consume_up_to(Tokens::MAX, now)),
        Operation::ConsumeIgnoringLimits(n) => {
            match bucket.consume_ignoring_limits(tokens(n)?, now) {
                Ok(wait) => Answer::number(wait),
                Err(error) => return Err(error.code()),
            }
        }
        Operation::Add(n) => {
            bucket.add(tokens_to_add(n)?, now);
            Answer::Done
        }
        Operation::ForceAdd(n) => {
            bucket.force_add(tokens_to_add(n)?, now);
            Answer::Done
        }
        Operation::Reset => {
            bucket.reset(now);
            Answer::Done
        }
        Operation::Available => Answer::Number(bucket.available(now)),
        Operation::VerboseAvailable => verbose(bucket, bucket.available(now), now),
        Operation::Reserve { n, max_wait } => reserve(bucket, n, max_wait, now)?,
        Operation::ReserveInterrupted { n, max_wait } => match reserve(bucket, n, max_wait, now)? {
            Answer::Number(wait) if wait > 0 => Answer::Done,
            other => other,
        },
        Operation::ReserveScheduled { max_wait: 0, .. } => {
            return Err(ReserveError::NonPositiveWait.code());
        }
        Operation::ReserveScheduled { n, max_wait } => reserve(bucket, n, max_wait, now)?,
        Operation::Replace(ref limits, inheritance) => {
            bucket.replace(limits.config()?, inheritance, now);
            Answer::Done
        }
        Operation::TimeToLive(strategy, millis) => {
            Answer::Number(time_to_live(strategy, millis, bucket.time_to_full(now)))
        }
    })
}

pub(super) fn tokens(n: i64) -> Result<Tokens, &'static str> {
    Tokens::try_from(i128::from(n)).map_err(|error| error.code())
}

pub(super) fn tokens_to_add(n: i64) -> Result<Tokens, &'static str> {
    let n = u64::try_from(n).expect("not negative, as the types have it");
    Tokens::to_add(n).map_err(|error: AmountError| error.code())
}

fn reserve<const N: usize>(
    bucket: &mut Bucket<N>,
    n: i64,
    max_wait: u64,
    now: u64,
) -> Result<Answer, &'static str> {
    match bucket.reserve(tokens(n)?, max_wait, now) {
        Ok(reservation) => Ok(Answer::number(reservation.wait())),
        Err(ReserveError::NotInTime { .. }) => Ok(Answer::NotInTime),
        Err(error) => Err(error.code()),
    }
}

fn verbose<const N: usize>(bucket: &Bucket<N>, value: i64, now: u64) -> Answer {
    Answer::Verbose {
        value,
        of_each: bucket.available_of_each(now).collect(),
        to_full: bucket.time_to_full(now),
    }
}

/// How long a store keeps a state that takes `to_full` nanoseconds to be full, in milliseconds.
pub(super) fn time_to_live(strategy: TimeToLive, millis: u64, to_full: Wait) -> i64 {
    let millis = i64::try_from(millis).expect("an i64");
    match strategy {
        TimeToLive::Unlimited => -1,
        TimeToLive::Fixed => millis,
        TimeToLive::BasedOnRefill => {
            let full = to_full.ticks().unwrap_or(i64::MAX as u64);
            let full = TickRate::NANOS.duration_ceil(full);
            let full = TickRate::MILLIS.ticks_ceil(full).expect("in range");
            millis.saturating_add_unsigned(full).max(1)
        }
    }
}
