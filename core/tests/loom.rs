//! All interleavings of a few callers: what they are answered, and what is left, is what they would be
//! answered in some order, one after the other, by arithmetic on wide integers.
//!
//! `make loom`: `cargo test -p tokenweir --features atomic --test loom --release` with `--cfg loom` and a target
//! folder of its own. Otherwise this file is empty.
#![cfg(loom)]

use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::sync::Arc;
use loom::thread;
use tokenweir::{AtomicBucket, AtomicCycleLimiter, Bandwidth, CycleConfig, Permits, Tokens};

/// A limiter and its model.
trait Subject: Send + Sync + 'static {
    type Call: Copy + Send + Sync + Debug + 'static;
    type Model: Clone;
    fn call(&self, call: Self::Call) -> u64;
    /// What is left at `now`.
    fn left(&self, now: u64) -> u64;
    fn model_call(model: &mut Self::Model, call: Self::Call) -> u64;
    fn model_left(model: &Self::Model, now: u64) -> u64;
}

/// Runs each list of calls in a thread, in all interleavings.
fn check<S: Subject>(
    limiter: impl Fn() -> S + Sync + Send + 'static,
    model: S::Model,
    calls: &[&'static [S::Call]],
    end: u64,
) where
    S::Model: Send + Sync + 'static,
{
    let calls = calls.to_vec();
    let mut builder = loom::model::Builder::new();
    // How often a caller is interrupted in its midst; without a bound the tests pass as well, and take
    // minutes.
    builder.preemption_bound = Some(3);
    let count = std::sync::Arc::new(AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&count);
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        let limiter = Arc::new(limiter());
        let threads: Vec<_> = calls
            .iter()
            .map(|calls| {
                let (limiter, calls) = (Arc::clone(&limiter), *calls);
                thread::spawn(move || -> Vec<u64> {
                    calls.iter().map(|call| limiter.call(*call)).collect()
                })
            })
            .collect();
        let answers: Vec<Vec<u64>> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        let left = limiter.left(end);
        let places = vec![0; calls.len()];
        assert!(
            explained::<S>(&model, &calls, &answers, &places, (end, left)),
            "{calls:?} were answered {answers:?} and left {left}"
        );
    });
    let count = count.load(Ordering::Relaxed);
    println!("{count} interleavings");
    assert!(count > 10, "{count} interleavings");
}

/// Whether some order of the calls not made yet gives these answers, and leaves what is left.
fn explained<S: Subject>(
    model: &S::Model,
    calls: &[&'static [S::Call]],
    answers: &[Vec<u64>],
    places: &[usize],
    (end, left): (u64, u64),
) -> bool {
    let mut over = true;
    for (thread, place) in places.iter().enumerate() {
        let Some(call) = calls[thread].get(*place) else {
            continue;
        };
        over = false;
        let mut model = model.clone();
        if S::model_call(&mut model, *call) == answers[thread][*place] {
            let mut places = places.to_vec();
            places[thread] += 1;
            if explained::<S>(&model, calls, answers, &places, (end, left)) {
                return true;
            }
        }
    }
    over && S::model_left(model, end) == left
}

#[derive(Clone, Copy, Debug)]
enum Ask {
    Take(u64, u64),
    UpTo(u64, u64),
    Add(u64, u64),
}

/// The generic cell rate algorithm for 3 tokens each 10 ticks.
#[derive(Clone)]
struct Pace {
    capacity: i128,
    full_at: i128,
}

impl Pace {
    fn level(&self, now: u64) -> i128 {
        self.capacity * 10 - (self.full_at - i128::from(now) * 3).max(0)
    }

    fn take(&mut self, n: u64, now: u64) -> bool {
        let cost = i128::from(n) * 10;
        let due = self.level(now) >= cost;
        if due {
            self.full_at = self.full_at.max(i128::from(now) * 3) + cost;
        }
        due
    }
}

impl Subject for AtomicBucket {
    type Call = Ask;
    type Model = Pace;

    fn call(&self, call: Ask) -> u64 {
        match call {
            Ask::Take(n, now) => self.try_consume(Tokens::new(n).unwrap(), now).into(),
            Ask::UpTo(n, now) => self.consume_up_to(Tokens::new(n).unwrap(), now),
            Ask::Add(n, now) => {
                self.add(Tokens::new(n).unwrap(), now);
                0
            }
        }
    }

    fn left(&self, now: u64) -> u64 {
        self.available(now)
    }

    fn model_call(model: &mut Pace, call: Ask) -> u64 {
        match call {
            Ask::Take(n, now) => model.take(n, now).into(),
            Ask::UpTo(n, now) => {
                let there = u64::try_from(model.level(now) / 10).unwrap_or(0).min(n);
                u64::from(model.take(there, now)) * there
            }
            Ask::Add(n, now) => {
                let floor = i128::from(now) * 3;
                model.full_at = (model.full_at - i128::from(n) * 10).max(floor);
                0
            }
        }
    }

    fn model_left(model: &Pace, now: u64) -> u64 {
        u64::try_from(model.level(now) / 10).unwrap_or(0)
    }
}

/// A bucket of 3 tokens each 10 ticks with `initial` tokens at tick 0.
fn check_bucket(capacity: u64, initial: u64, calls: &[&'static [Ask]]) {
    let limit = Bandwidth::greedy(capacity, 3, 10)
        .and_then(|limit| limit.with_initial_tokens(initial))
        .unwrap();
    let model = Pace {
        capacity: capacity.into(),
        full_at: i128::from(capacity - initial) * 10,
    };
    check(
        move || AtomicBucket::new(limit, 0).unwrap(),
        model,
        calls,
        7,
    );
}

#[test]
fn one_token_goes_to_one_of_three() {
    let call: &[Ask] = &[Ask::Take(1, 0)];
    check_bucket(1, 1, &[call; 3]);
}

#[test]
fn a_refill_in_flight_is_granted_once() {
    // The token of tick 4 is due to one of them; the first reads the clock just before.
    let calls: &[&[Ask]] = &[&[Ask::Take(1, 3)], &[Ask::Take(1, 4)], &[Ask::Take(1, 4)]];
    check_bucket(2, 0, calls);
    check_bucket(1, 1, calls);
}

#[test]
fn two_callers_with_two_readings_each_are_granted_what_is_refilled() {
    let calls: &[&[Ask]] = &[
        &[Ask::Take(1, 3), Ask::Take(2, 7)],
        &[Ask::Take(1, 4), Ask::UpTo(2, 6)],
    ];
    check_bucket(3, 1, calls);
    check_bucket(3, 3, calls);
}

#[test]
fn what_is_given_back_is_granted_again() {
    let calls: &[&[Ask]] = &[
        &[Ask::Take(2, 1), Ask::Add(2, 2)],
        &[Ask::Take(2, 1)],
        &[Ask::UpTo(3, 4)],
    ];
    check_bucket(3, 2, calls);
}

#[derive(Clone, Copy, Debug)]
enum Turn {
    Take(u64, u64),
    Drain(u64),
}

/// Cycles of 10 ticks.
#[derive(Clone)]
struct Cycles {
    limit: u64,
    cycle: u64,
    balance: u64,
}

impl Cycles {
    fn refresh(&mut self, now: u64) {
        if now / 10 > self.cycle {
            self.cycle = now / 10;
            self.balance = self.limit;
        }
    }
}

impl Subject for AtomicCycleLimiter {
    type Call = Turn;
    type Model = Cycles;

    fn call(&self, call: Turn) -> u64 {
        match call {
            Turn::Take(n, now) => self.try_acquire(Permits::new(n).unwrap(), now).into(),
            Turn::Drain(now) => self.drain(now),
        }
    }

    fn left(&self, now: u64) -> u64 {
        self.available(now)
    }

    fn model_call(model: &mut Cycles, call: Turn) -> u64 {
        match call {
            Turn::Take(n, now) => {
                model.refresh(now);
                let left = model.balance >= n;
                model.balance -= n * u64::from(left);
                left.into()
            }
            Turn::Drain(now) => {
                model.refresh(now);
                std::mem::take(&mut model.balance)
            }
        }
    }

    fn model_left(model: &Cycles, now: u64) -> u64 {
        let mut model = model.clone();
        model.refresh(now);
        model.balance
    }
}

fn check_cycles(limit: u64, calls: &[&'static [Turn]]) {
    let config = CycleConfig::new(limit, 10).unwrap();
    let model = Cycles {
        limit,
        cycle: 0,
        balance: limit,
    };
    let limiter = move || AtomicCycleLimiter::new(config, 0).unwrap();
    check(limiter, model, calls, 19);
}

#[test]
fn one_permit_goes_to_one_of_three() {
    let call: &[Turn] = &[Turn::Take(1, 0)];
    check_cycles(1, &[call; 3]);
}

#[test]
fn a_cycle_begins_once() {
    let calls: &[&[Turn]] = &[
        &[Turn::Take(2, 9)],
        &[Turn::Take(2, 10)],
        &[Turn::Take(1, 10)],
    ];
    check_cycles(2, calls);
}

#[test]
fn two_callers_across_an_edge_are_granted_each_cycle_once() {
    let calls: &[&[Turn]] = &[
        &[Turn::Take(2, 9), Turn::Take(2, 11)],
        &[Turn::Take(1, 10), Turn::Drain(10)],
    ];
    check_cycles(3, calls);
}

#[test]
fn a_refusal_that_finds_a_new_cycle_begins_it() {
    let calls: &[&[Turn]] = &[&[Turn::Take(4, 12)], &[Turn::Take(3, 9)], &[Turn::Drain(8)]];
    check_cycles(3, calls);
}
