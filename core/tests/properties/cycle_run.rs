//! Runs a limiter's life in the crate and in the oracle, and compares everything after each step.

use num_bigint::BigInt;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use tokenweir::{CycleLimiter, CycleRefusal, Permits, Reservation, Wait};
use tokenweir_reference as model;

use crate::cycle_case::{Amount, Case, Cycles, Op, oracle};
use crate::numbers::{MAX, Move, YEAR};
use crate::runner::Tally;

/// Runs a case.
pub(crate) fn run(case: &Case, tally: &Tally) -> TestCaseResult {
    let config = case.cycles.config(case.start);
    let mut pair = Pair {
        limiter: CycleLimiter::new(config, case.start),
        oracle: oracle(&config, case.start),
        now: case.start,
        tally,
        last_wait: None,
        reserved: Vec::new(),
    };
    let first = |edge: u64| edge < config.period() && case.start < edge;
    tally.note_if(
        config.edge().is_some_and(first),
        "first edge within a period of tick 0",
    );
    tally.note_if(
        config.edge().is_some_and(|edge| edge > case.start),
        "aligned to an edge ahead",
    );
    pair.agree()?;
    for (clock, op) in &case.steps {
        pair.moves(clock);
        pair.perform(op)?;
        pair.agree()?;
    }
    Ok(())
}

/// A limiter and its oracle.
struct Pair<'a> {
    limiter: CycleLimiter,
    oracle: model::CycleLimiter,
    now: u64,
    tally: &'a Tally,
    /// The wait that was last told.
    last_wait: Option<u64>,
    reserved: Vec<(Reservation<Permits>, model::Permit)>,
}

impl Pair<'_> {
    /// Moves the clock.
    fn moves(&mut self, clock: &Move) {
        let now = clock.from(self.now, self.limiter.config().period(), self.last_wait);
        self.tally.note_if(now < self.now, "clock back");
        self.tally
            .note_if(now > self.now && now - self.now > 5 * YEAR, "gap of years");
        self.tally.note_if(now < 40, "near tick 0");
        self.tally
            .note_if(now > u64::MAX - 40, "near the last tick");
        self.now = now;
    }

    /// Performs an operation on both and compares the answers.
    fn perform(&mut self, op: &Op) -> TestCaseResult {
        let now = self.now;
        match op {
            Op::Acquire(n) => {
                let (n, before) = (self.amount(n), self.limiter);
                let granted = self.limiter.try_acquire(n, now);
                prop_assert_eq!(Ok(granted), self.oracle.try_acquire(n.get(), now));
                if !granted {
                    self.refused(&before)?;
                    let wait = self.limiter.wait(n, now);
                    acquired_after(&self.limiter, n, wait, now, self.tally)?;
                    self.told(wait);
                }
            }
            Op::Reserve(n) => self.reserve(n)?,
            Op::Cancel(which) if !self.reserved.is_empty() => {
                let (made, permit) = self.reserved.swap_remove(which % self.reserved.len());
                let (ahead, waits) = (now < made.ready_at(), made.wait() > 0);
                let returned = self.limiter.cancel(made, now);
                prop_assert_eq!(returned, self.oracle.cancel(&permit, now));
                self.tally.note_if(returned, "cancelled");
                self.tally.note_if(waits && !ahead, "cancelled too late");
                self.tally
                    .note_if(waits && ahead && !returned, "cancelled by a stale clock");
            }
            Op::Cancel(_) => {}
            Op::Drain => {
                let drained = self.limiter.drain(now);
                prop_assert_eq!(BigInt::from(drained), self.oracle.drain(now));
                self.tally.note_if(drained > 0, "drained");
            }
            Op::ChangeLimit(limit) => {
                let before = self.limiter;
                let changed = self.limiter.change_limit(*limit, now);
                if (1..=MAX).contains(limit) {
                    prop_assert_eq!(changed, Ok(()));
                    prop_assert_eq!(self.oracle.change_limit(*limit, now), Ok(()));
                } else {
                    prop_assert!(changed.is_err());
                    prop_assert_eq!(self.limiter, before);
                }
            }
            Op::ChangeTimeout(timeout) => {
                let before = self.limiter;
                let changed = self.limiter.change_timeout(*timeout);
                if *timeout <= MAX {
                    prop_assert_eq!(changed, Ok(()));
                    prop_assert_eq!(self.oracle.change_timeout(*timeout), Ok(()));
                } else {
                    prop_assert!(changed.is_err());
                    prop_assert_eq!(self.limiter, before);
                }
            }
            Op::Replace(cycles) => self.replace(cycles)?,
        }
        Ok(())
    }

    fn reserve(&mut self, n: &Amount) -> TestCaseResult {
        let (n, now, before) = (self.amount(n), self.now, self.limiter);
        let timeout = self.oracle.timeout().clone();
        let retry = self.oracle.retry_after(n.get(), timeout, now);
        let permit = self.oracle.reserve(n.get(), now).expect("a valid amount");
        match (self.limiter.reserve(n, now), permit) {
            (Ok(made), Some(permit)) => {
                prop_assert_eq!(BigInt::from(made.wait()), permit.wait.clone());
                prop_assert_eq!(made.amount(), n);
                let permit = permit.due_by(u64::MAX);
                prop_assert_eq!(BigInt::from(made.ready_at()), permit.due.clone());
                self.told(Wait::Ticks(made.wait()));
                let timeout = self.limiter.config().timeout();
                self.tally.note_if(
                    made.wait() > 0 && made.wait() == timeout,
                    "reserved at the limit",
                );
                self.reserved.push((made, permit));
            }
            (Err(refusal), None) => {
                self.refused(&before)?;
                let remaining = self.limiter.available(now).max(0).unsigned_abs();
                prop_assert_eq!(refusal.remaining, remaining);
                prop_assert_eq!(refusal.limit, self.limiter.config().limit());
                prop_assert_eq!(Ok(refusal.wait.ticks().map(BigInt::from)), retry);
                reserved_after(&self.limiter, n, &refusal, now, self.tally)?;
                self.told(refusal.wait);
            }
            (made, permit) => prop_assert!(false, "{made:?}, {permit:?}"),
        }
        Ok(())
    }

    fn replace(&mut self, cycles: &Cycles) -> TestCaseResult {
        let (config, now) = (cycles.config(self.now), self.now);
        let (before, number) = (self.limiter, self.limiter.cycle(now));
        self.limiter.replace(config, now);
        let anchor = config.edge().map(BigInt::from);
        let (limit, period, timeout) = (config.limit(), config.period(), config.timeout());
        let replaced = self.oracle.replace(limit, period, timeout, anchor, now);
        prop_assert_eq!(replaced, Ok(()));
        prop_assert_eq!(self.limiter.cycle(now), number);
        prop_assert_eq!(self.limiter.available(now), before.available(now));
        let new = before.config().period() != period || before.config().edge() != config.edge();
        self.tally.note_if(new, "new cycles");
        self.tally
            .note_if(new && config.edge().is_some(), "newly aligned");
        self.tally.note_if(
            new && self.limiter.available(now) < 0,
            "new cycles with a debt",
        );
        Ok(())
    }

    /// Nothing was taken, though that the cycle had come may be remembered.
    fn refused(&self, before: &CycleLimiter) -> TestCaseResult {
        prop_assert_eq!(self.limiter.available(self.now), before.available(self.now));
        prop_assert_eq!(self.limiter.config(), before.config());
        Ok(())
    }

    /// Whether the states and what can be asked of them are the same. The balance, the cycle and the
    /// waits to its end make up the whole state; they are read as they are kept, and at `now`.
    fn agree(&self) -> TestCaseResult {
        for at in [0, self.now] {
            let available = self.limiter.available(at);
            prop_assert_eq!(BigInt::from(available), self.oracle.available(at));
            // The number of a cycle is a word, and wraps.
            let number = self.oracle.cycle(at) % (BigInt::from(1) << 64);
            prop_assert_eq!(BigInt::from(self.limiter.cycle(at)), number);
            let next = u64::try_from(available.saturating_add(1))
                .unwrap_or(1)
                .max(1);
            for n in [1, next, self.limiter.config().limit()] {
                let wait = self.limiter.wait(permits(n), at);
                let expected = self.oracle.wait(n, at).expect("a valid amount");
                prop_assert_eq!(wait.ticks().map(BigInt::from), expected);
            }
            let full = self.limiter.time_to_full(at);
            prop_assert_eq!(
                full,
                self.limiter
                    .wait(permits(self.limiter.config().limit()), at)
            );
        }
        let available = self.limiter.available(self.now);
        self.tally.note_if(available < 0, "debt");
        let lowered = u64::try_from(available).is_ok_and(|n| n > self.limiter.config().limit());
        self.tally.note_if(lowered, "above a lowered limit");
        Ok(())
    }

    fn amount(&self, amount: &Amount) -> Permits {
        let n = match *amount {
            Amount::Exactly(n) => n,
            Amount::Limits(limits, off) => {
                let n = self.limiter.config().limit().saturating_mul(limits);
                n.saturating_add_signed(off.into())
            }
            Amount::Available(off) => {
                let available = u64::try_from(self.limiter.available(self.now)).unwrap_or(0);
                available.saturating_add_signed(off.into())
            }
        };
        permits(n.clamp(1, MAX))
    }

    fn told(&mut self, wait: Wait) {
        self.last_wait = wait.ticks().or(self.last_wait);
    }
}

fn permits(n: u64) -> Permits {
    Permits::new(n).expect("in range")
}

/// Permits that fit the limit are granted when the wait for them is over, and not one tick earlier;
/// more than that never are without a reservation.
fn acquired_after(
    limiter: &CycleLimiter,
    n: Permits,
    wait: Wait,
    now: u64,
    tally: &Tally,
) -> TestCaseResult {
    let granted = |at: u64| limiter.clone().try_acquire(n, at);
    if n.get() > limiter.config().limit() {
        prop_assert!(!granted(u64::MAX));
        tally.note("never, above the limit");
        return Ok(());
    }
    match wait.ticks().map(|wait| now.checked_add(wait)) {
        Some(Some(over)) => {
            prop_assert!(granted(over) && !granted(over - 1));
            tally.note("a wait kept");
        }
        Some(None) => prop_assert!(!granted(u64::MAX)),
        None => prop_assert!(!granted(now.saturating_add(MAX))),
    }
    Ok(())
}

/// A reservation is granted when the wait of its refusal is over, and not one tick earlier.
fn reserved_after(
    limiter: &CycleLimiter,
    n: Permits,
    refusal: &CycleRefusal,
    now: u64,
    tally: &Tally,
) -> TestCaseResult {
    let granted = |at: u64| limiter.clone().reserve(n, at).is_ok();
    match refusal.wait.ticks().map(|wait| now.checked_add(wait)) {
        Some(Some(over)) => {
            prop_assert!(granted(over), "refused at {over}: {refusal:?}");
            prop_assert!(!granted(over - 1), "granted before {over}: {refusal:?}");
            tally.note("a reservation's wait kept");
            let above = n.get() > limiter.config().limit();
            tally.note_if(above, "a reservation's wait kept above the limit");
        }
        Some(None) => prop_assert!(!granted(u64::MAX)),
        None => {
            // Not within i64::MAX ticks, nor in the last tick of a cycle, from where permits are nearest.
            let (period, end) = (limiter.config().period(), now.saturating_add(MAX));
            let mut at = now;
            for _ in 0..4 {
                prop_assert!(!granted(at), "granted at {at}: {refusal:?}");
                let Some(full) = limiter.time_to_full(at).ticks() else {
                    break;
                };
                let last = u128::from(at) + u128::from(full) + u128::from(period - 1);
                at = u64::try_from(last).unwrap_or(u64::MAX).min(end);
            }
            prop_assert!(!granted(end), "granted at {end}: {refusal:?}");
            tally.note("never reserved");
        }
    }
    Ok(())
}
