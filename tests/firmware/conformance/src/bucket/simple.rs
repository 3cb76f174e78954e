//! Replaying what the limiters of one greedy bandwidth can express.
//!
//! A scenario is begun if its configuration fits, and left at the first step that the limiter does not
//! have, or at which the clock goes back: there, some answer by their own rules.

use core::num::NonZeroU32;

use tokenweir::{AtomicBucket, Bandwidth, Refill, TinyBucket, TinyConfig, Tokens, Wait};

use super::perform::{time_to_live, tokens, tokens_to_add};
use super::scenario::{Answer, Header, Operation, Step};
use crate::Tally;
use crate::reader::Reader;

/// What such a limiter can do.
trait Simple {
    /// How many of the recorded ticks, which are nanoseconds, are one of its own.
    fn scale(&self) -> u64 {
        1
    }
    /// The clock has moved on to `now`; whether it may.
    fn advance(&mut self, _now: u64) -> bool {
        true
    }
    fn try_consume(&mut self, n: Tokens, now: u64) -> bool;
    fn consume_up_to(&mut self, most: Tokens, now: u64) -> u64;
    /// Whether it can.
    fn add(&mut self, n: Tokens, now: u64) -> bool;
    /// Whether it can.
    fn reset(&mut self, now: u64) -> bool;
    fn available(&self, now: u64) -> u64;
    fn wait(&self, n: Tokens, now: u64) -> Wait;
    fn time_to_full(&self, now: u64) -> Wait;
}

/// Replays a part of [`BUCKET`](crate::BUCKET) in an `AtomicBucket`; counts the scenarios that are begun.
pub fn run_atomic(part: &[u8]) -> Tally {
    run(part, |limit, header, _| {
        AtomicBucket::new(limit, header.start).ok()
    })
}

/// As [`run_atomic`], in a `TinyBucket` whose counter wraps soon after the start.
pub fn run_tiny(part: &[u8]) -> Tally {
    run(part, Tiny::new)
}

fn run<L: Simple>(
    part: &[u8],
    make: impl Fn(Bandwidth, &Header, Reader<'_>) -> Option<L>,
) -> Tally {
    let mut tally = Tally::default();
    let mut reader = Reader::new(part);
    while !reader.is_empty() {
        let header = Header::read(&mut reader);
        let mut limiter = header
            .limits
            .single()
            .and_then(|limit| make(limit, &header, reader));
        let (mut steps, mut before) = (0, header.start);
        // What is not performed is read all the same.
        for index in 0..header.steps {
            let step = Step::read(&mut reader);
            let Some(running) = &mut limiter else {
                continue;
            };
            let Step {
                operation,
                now,
                answer: expected,
            } = step;
            let goes_on = now >= before && running.advance(now);
            let answer = match goes_on {
                true => perform(running, &operation, now),
                false => None,
            };
            let Some(answer) = answer else {
                limiter = None;
                continue;
            };
            assert_eq!(
                answer,
                expected.with_waits_in(running.scale()),
                "scenario {} step {index}, {operation:?} at {now}",
                header.scenario
            );
            before = now;
            steps += 1;
        }
        header.read_levels(&mut reader);
        if steps > 0 {
            tally.add(steps);
        }
    }
    tally
}

/// Performs an operation, if the limiter has it.
fn perform(limiter: &mut impl Simple, operation: &Operation, now: u64) -> Option<Answer> {
    attempt(limiter, operation, now).unwrap_or_else(|code| Some(Answer::Error(code)))
}

fn attempt(
    limiter: &mut impl Simple,
    operation: &Operation,
    now: u64,
) -> Result<Option<Answer>, &'static str> {
    Ok(Some(match *operation {
        Operation::TryConsume(n) => Answer::Decided(limiter.try_consume(tokens(n)?, now)),
        Operation::VerboseTryConsume(n) => {
            let consumed = limiter.try_consume(tokens(n)?, now);
            verbose(limiter, Some(consumed), now)
        }
        Operation::Probe(n) => {
            let wait = limiter.wait(tokens(n)?, now);
            Answer::Probe {
                consumed: limiter.try_consume(tokens(n)?, now),
                remaining: limiter.available(now),
                wait,
                reset: limiter.time_to_full(now),
            }
        }
        Operation::Estimate(n) => Answer::Estimate {
            can_consume: limiter.wait(tokens(n)?, now).is_none(),
            remaining: limiter.available(now),
            wait: limiter.wait(tokens(n)?, now),
        },
        Operation::ConsumeUpTo(most) => Answer::number(limiter.consume_up_to(tokens(most)?, now)),
        Operation::ConsumeAll => Answer::number(limiter.consume_up_to(Tokens::MAX, now)),
        Operation::Available => Answer::number(limiter.available(now)),
        Operation::VerboseAvailable => verbose(limiter, None, now),
        Operation::Add(n) if limiter.add(tokens_to_add(n)?, now) => Answer::Done,
        Operation::Reset if limiter.reset(now) => Answer::Done,
        Operation::TimeToLive(strategy, millis) if limiter.scale() == 1 => {
            Answer::Number(time_to_live(strategy, millis, limiter.time_to_full(now)))
        }
        _ => return Ok(None),
    }))
}

fn verbose(limiter: &impl Simple, consumed: Option<bool>, now: u64) -> Answer {
    let available = i64::try_from(limiter.available(now)).expect("at most i64::MAX");
    Answer::Verbose {
        value: consumed.map_or(available, i64::from),
        of_each: [available].into_iter().collect(),
        to_full: limiter.time_to_full(now),
    }
}

impl Simple for AtomicBucket {
    fn try_consume(&mut self, n: Tokens, now: u64) -> bool {
        AtomicBucket::try_consume(self, n, now)
    }

    fn consume_up_to(&mut self, most: Tokens, now: u64) -> u64 {
        AtomicBucket::consume_up_to(self, most, now)
    }

    fn add(&mut self, n: Tokens, now: u64) -> bool {
        AtomicBucket::add(self, n, now);
        true
    }

    fn reset(&mut self, now: u64) -> bool {
        AtomicBucket::reset(self, now);
        true
    }

    fn available(&self, now: u64) -> u64 {
        AtomicBucket::available(self, now)
    }

    fn wait(&self, n: Tokens, now: u64) -> Wait {
        AtomicBucket::wait(self, n, now)
    }

    fn time_to_full(&self, now: u64) -> Wait {
        AtomicBucket::time_to_full(self, now)
    }
}

/// A `TinyBucket` in the largest unit of time in which the scenario is exact.
struct Tiny {
    bucket: TinyBucket,
    /// That unit.
    tick: u64,
    /// What it was told last, and the reading of its counter then.
    now: u64,
    counter: u32,
}

impl Tiny {
    fn new(limit: Bandwidth, header: &Header, mut steps: Reader<'_>) -> Option<Self> {
        let distances =
            (0..header.steps).map(|_| Step::read(&mut steps).now.abs_diff(header.start));
        let tick = distances.fold(limit.period(), gcd);
        if !matches!(limit.refill(), Refill::Greedy) {
            return None;
        }
        let scaled = Bandwidth::greedy(limit.capacity(), limit.tokens(), limit.period() / tick);
        let scaled = match limit.initial_tokens() {
            Some(tokens) => scaled.ok()?.with_initial_tokens(tokens),
            None => scaled,
        };
        // About to wrap.
        let counter = u32::MAX - 1_000;
        Some(Self {
            bucket: TinyBucket::new(TinyConfig::new(scaled.ok()?).ok()?, counter),
            tick,
            now: header.start,
            counter,
        })
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// More than any capacity, where it does not fit.
fn small(n: Tokens) -> NonZeroU32 {
    let n = u32::try_from(n.get()).unwrap_or(u32::MAX);
    NonZeroU32::new(n).expect("at least one")
}

impl Simple for Tiny {
    fn scale(&self) -> u64 {
        self.tick
    }

    fn advance(&mut self, now: u64) -> bool {
        self.bucket.touch(self.counter);
        let elapsed = (now - self.now) / self.tick;
        self.now = now;
        self.counter = self.counter.wrapping_add(elapsed as u32);
        // What a tiny bucket is to be asked within.
        elapsed <= 1 << 31
    }

    fn try_consume(&mut self, n: Tokens, _: u64) -> bool {
        self.bucket.try_consume(small(n), self.counter)
    }

    fn consume_up_to(&mut self, most: Tokens, _: u64) -> u64 {
        let taken = self.bucket.consume_up_to(small(most), self.counter);
        taken.into()
    }

    fn add(&mut self, _: Tokens, _: u64) -> bool {
        false
    }

    fn reset(&mut self, _: u64) -> bool {
        false
    }

    fn available(&self, _: u64) -> u64 {
        self.bucket.available(self.counter).into()
    }

    fn wait(&self, n: Tokens, _: u64) -> Wait {
        self.bucket.wait(small(n), self.counter)
    }

    fn time_to_full(&self, _: u64) -> Wait {
        self.bucket.time_to_full(self.counter)
    }
}
