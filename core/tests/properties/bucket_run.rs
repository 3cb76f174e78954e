//! Runs a bucket's life in the crate and in the oracle, and compares everything after each step.

use num_bigint::BigInt;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use tokenweir::{
    Bandwidth, Bucket, BucketConfig, Refill, Reservation, ReserveError, Tokens, TokensInheritance,
    Wait,
};
use tokenweir_reference as model;

use crate::bucket_case::{Amount, Case, MaxWait, Op};
use crate::bucket_limits::Limit;
use crate::bucket_promise;
use crate::numbers::{MAX, Move, YEAR};
use crate::runner::Tally;

/// Runs a case in the smallest bucket it fits, or in one with room to spare.
pub(crate) fn run(case: &Case, tally: &Tally) -> TestCaseResult {
    let replacements = case.steps.iter().filter_map(|(_, op)| match op {
        Op::Replace(limits, _) => Some(limits.len()),
        _ => None,
    });
    match replacements.fold(case.limits.len(), usize::max) {
        _ if case.spare => run_in::<5>(case, tally),
        1 => run_in::<1>(case, tally),
        2 => run_in::<2>(case, tally),
        _ => run_in::<4>(case, tally),
    }
}

fn run_in<const N: usize>(case: &Case, tally: &Tally) -> TestCaseResult {
    let mut pair = Pair::<N>::new(&case.limits, case.start, tally)?;
    for (clock, op) in &case.steps {
        pair.moves(clock);
        pair.perform(op)?;
        pair.agree()?;
    }
    Ok(())
}

/// A bucket and its oracle.
struct Pair<'a, const N: usize> {
    bucket: Bucket<N>,
    oracle: model::Bucket,
    now: u64,
    tally: &'a Tally,
    limits: Vec<Limit>,
    /// The wait that was last told.
    last_wait: Option<u64>,
    reserved: Vec<(Reservation, model::Reservation)>,
}

impl<'a, const N: usize> Pair<'a, N> {
    fn new(limits: &[Limit], now: u64, tally: &'a Tally) -> Result<Self, TestCaseError> {
        let (config, oracles) = build::<N>(limits, now);
        let pair = Self {
            bucket: Bucket::new(config, now),
            oracle: model::Bucket::new(oracles, now).expect("the crate took it"),
            now,
            tally,
            limits: limits.to_vec(),
            last_wait: None,
            reserved: Vec::new(),
        };
        let fast = |limit: &Limit| limit.tokens > limit.period;
        tally.note_if(limits.iter().any(fast), "more than a token per tick");
        tally.note_if(limits.len() > 1, "several bandwidths");
        let levels = pair.bucket.snapshot();
        let before_zero = |level: &tokenweir::LevelSnapshot| level.last_refill < 0;
        tally.note_if(
            levels.levels().iter().any(before_zero),
            "edge before tick 0",
        );
        pair.agree()?;
        Ok(pair)
    }

    /// Moves the clock.
    fn moves(&mut self, clock: &Move) {
        let now = clock.from(self.now, self.limits[0].period, self.last_wait);
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
        let (before, now) = (self.bucket, self.now);
        match op {
            Op::TryConsume(n) => {
                let n = self.amount(n);
                let granted = self.bucket.try_consume(n, now);
                prop_assert_eq!(Ok(granted), self.oracle.try_consume(n.get(), now));
                if !granted {
                    prop_assert_eq!(self.bucket, before);
                    self.told(self.bucket.estimate(n, now).wait);
                }
                bucket_promise::decision(&before, n, now, self.tally)?;
            }
            Op::Probe(n) => {
                let n = self.amount(n);
                let probe = self.bucket.try_consume_with_probe(n, now);
                let expected = self.oracle.probe(n.get(), now).expect("a valid amount");
                prop_assert_eq!(probe.consumed, expected.consumed);
                prop_assert_eq!(BigInt::from(probe.remaining), expected.remaining);
                prop_assert_eq!(ticks(probe.wait), expected.wait);
                prop_assert_eq!(ticks(probe.reset), expected.reset);
                if !probe.consumed {
                    prop_assert_eq!(self.bucket, before);
                    self.told(probe.wait);
                }
                bucket_promise::decision(&before, n, now, self.tally)?;
            }
            Op::Estimate(n) => {
                let n = self.amount(n);
                let estimate = self.bucket.estimate(n, now);
                let expected = self.oracle.estimate(n.get(), now).expect("a valid amount");
                prop_assert_eq!(estimate.can_consume, expected.possible);
                prop_assert_eq!(BigInt::from(estimate.remaining), expected.remaining);
                prop_assert_eq!(ticks(estimate.wait), expected.wait);
                prop_assert_eq!(self.bucket, before);
            }
            Op::UpTo(most) => {
                let most = self.amount(most);
                let taken = self.bucket.consume_up_to(most, now);
                let expected = self
                    .oracle
                    .as_much_as_possible(Some(most.get().into()), now);
                prop_assert_eq!(Ok(BigInt::from(taken)), expected);
                prop_assert!(taken > 0 || self.bucket == before);
            }
            Op::Ignoring(n) => {
                let n = self.amount(n);
                let wait = self.bucket.consume_ignoring_limits(n, now);
                let expected = self.oracle.consume_ignoring(n.get(), now);
                prop_assert_eq!(
                    wait.is_err(),
                    expected == Err(model::Error::ReservationOverflow)
                );
                match wait {
                    Ok(wait) => {
                        prop_assert_eq!(Ok(BigInt::from(wait)), expected);
                        self.told(Wait::Ticks(wait));
                        bucket_promise::repaid(&self.bucket, wait, now, self.tally)?;
                    }
                    Err(error) => {
                        prop_assert_eq!(error, ReserveError::ReservationOverflow);
                        prop_assert_eq!(self.bucket, before);
                        self.tally.note("reservation overflow");
                    }
                }
            }
            Op::Reserve(n, max_wait) => self.reserve(n, max_wait)?,
            Op::Cancel(which) => self.cancel(*which)?,
            Op::Add(n) => {
                let n = self.amount(n);
                self.bucket.add(n, now);
                prop_assert_eq!(self.oracle.add(n.get(), now), Ok(()));
            }
            Op::ForceAdd(n) => {
                let n = self.amount(n);
                self.bucket.force_add(n, now);
                prop_assert_eq!(self.oracle.force_add(n.get(), now), Ok(()));
                let held = self.bucket.available_of_each(now).any(|n| n == i64::MAX);
                self.tally.note_if(held, "forced up to i64::MAX");
            }
            Op::Reset => {
                self.bucket.reset(now);
                self.oracle.reset(now);
            }
            Op::Replace(limits, how) => self.replace(limits.clone(), *how)?,
            Op::Vary(variation, how) => {
                let limits = self.limits.iter().map(|limit| limit.varied(variation));
                self.replace(limits.collect(), *how)?;
            }
        }
        Ok(())
    }

    fn reserve(&mut self, n: &Amount, max_wait: &MaxWait) -> TestCaseResult {
        let (before, now, n) = (self.bucket, self.now, self.amount(n));
        let needed = self.oracle.wait(n.get(), now).expect("a valid amount");
        let needed = needed.map(|wait| u64::try_from(wait).expect("a wait below i64::MAX"));
        let max_wait = match *max_wait {
            MaxWait::Exactly(max_wait) => max_wait,
            MaxWait::Needed(off) => needed.unwrap_or(MAX).saturating_add_signed(off.into()),
        };
        let expected = self.oracle.reserve(n.get(), max_wait, now);
        match self.bucket.reserve(n, max_wait, now) {
            Ok(made) => {
                let expected = expected.expect("granted").expect("granted");
                prop_assert_eq!(BigInt::from(made.wait()), expected.wait.clone());
                prop_assert_eq!(made.amount(), n);
                let due = expected.due_by(u64::MAX);
                prop_assert_eq!(BigInt::from(made.ready_at()), due.due.clone());
                self.told(Wait::Ticks(made.wait()));
                bucket_promise::repaid(&self.bucket, made.wait(), now, self.tally)?;
                self.tally
                    .note_if(made.wait() == max_wait, "reserved at the limit");
                self.reserved.push((made, due));
            }
            Err(error) => {
                prop_assert_eq!(self.bucket, before);
                match error {
                    ReserveError::NotInTime { wait } => {
                        prop_assert_eq!(expected, Ok(None));
                        prop_assert_eq!(wait.ticks(), needed);
                        self.tally.note("reservation not in time");
                    }
                    ReserveError::NonPositiveWait => {
                        prop_assert_eq!(expected, Err(model::Error::NonPositiveWait));
                    }
                    ReserveError::ReservationOverflow => {
                        prop_assert_eq!(expected, Err(model::Error::ReservationOverflow));
                        self.tally.note("reservation overflow");
                    }
                    other => prop_assert!(false, "{other:?}"),
                }
            }
        }
        Ok(())
    }

    fn cancel(&mut self, which: usize) -> TestCaseResult {
        if self.reserved.is_empty() {
            return Ok(());
        }
        let (before, now) = (self.bucket, self.now);
        let (made, expected) = self.reserved.swap_remove(which % self.reserved.len());
        let (ahead, waits) = (now < made.ready_at(), made.wait() > 0);
        let returned = self.bucket.cancel(made, now);
        prop_assert_eq!(returned, self.oracle.cancel(&expected, now));
        prop_assert!(returned || self.bucket == before);
        self.tally.note_if(returned, "cancelled");
        self.tally.note_if(waits && !ahead, "cancelled too late");
        self.tally
            .note_if(waits && ahead && !returned, "cancelled by a stale clock");
        Ok(())
    }

    fn replace(&mut self, limits: Vec<Limit>, how: TokensInheritance) -> TestCaseResult {
        let (before, now) = (self.bucket, self.now);
        let (config, oracles) = build::<N>(&limits, now);
        self.limits = limits;
        self.bucket.replace(config, how, now);
        let (how, noted) = match how {
            TokensInheritance::AsIs => (model::Inheritance::AsIs, "part of a token kept as is"),
            TokensInheritance::Proportional => {
                (model::Inheritance::Proportional, "part of a token scaled")
            }
            TokensInheritance::Additive => (
                model::Inheritance::Additive,
                "part of a token kept in growth",
            ),
            TokensInheritance::Reset => (model::Inheritance::Reset, "reset by replacement"),
        };
        prop_assert_eq!(self.oracle.replace(oracles, how, now), Ok(()));
        let levels = self.oracle.levels().to_vec();
        self.oracle.catch_up(0, now);

        let part = levels.iter().any(|level| level.remainder > BigInt::ZERO);
        self.tally
            .note_if(part || how == model::Inheritance::Reset, noted);
        self.tally.note_if(
            levels != self.oracle.levels(),
            "greedy refill from before tick 0",
        );
        let deepest = levels.iter().any(|level| level.tokens == i64::MIN.into());
        self.tally.note_if(deepest, "debt scaled to the deepest");
        let owed = before.available(now) < 0 && self.bucket.available(now) < 0;
        self.tally.note_if(owed, "debt carried over");
        let differs = |(a, b): (&Bandwidth, &Bandwidth)| {
            matches!(a.refill(), Refill::Greedy) != matches!(b.refill(), Refill::Greedy)
        };
        let mut both = before.config().bandwidths().iter().zip(config.bandwidths());
        self.tally
            .note_if(both.any(differs), "between greedy and edges");
        Ok(())
    }

    /// Whether the states and what can be asked of them are the same.
    fn agree(&self) -> TestCaseResult {
        let (now, snapshot) = (self.now, self.bucket.snapshot());
        prop_assert_eq!(snapshot.levels().len(), self.oracle.levels().len());
        for (level, expected) in snapshot.levels().iter().zip(self.oracle.levels()) {
            prop_assert_eq!(BigInt::from(level.tokens), expected.tokens.clone());
            prop_assert_eq!(BigInt::from(level.remainder), expected.remainder.clone());
            prop_assert_eq!(BigInt::from(level.last_refill), expected.last.clone());
            self.tally
                .note_if(level.remainder > 0, "part of a token restored");
        }
        let restored = Bucket::restore(*self.bucket.config(), &snapshot);
        prop_assert_eq!(restored, Ok(self.bucket));
        let each: Vec<_> = self
            .bucket
            .available_of_each(now)
            .map(BigInt::from)
            .collect();
        prop_assert_eq!(each, self.oracle.available_per_bandwidth(now));
        let available = self.bucket.available(now);
        prop_assert_eq!(BigInt::from(available), self.oracle.available(now));
        let full = self.bucket.time_to_full(now);
        prop_assert_eq!(ticks(full), self.oracle.time_to_full(now));
        bucket_promise::full(&self.bucket, full, now)?;

        self.tally.note_if(available < 0, "debt");
        let over =
            |(limit, n): (&Bandwidth, i64)| u64::try_from(n).is_ok_and(|n| n > limit.capacity());
        let mut parts = self
            .bucket
            .config()
            .bandwidths()
            .iter()
            .zip(self.bucket.available_of_each(now));
        self.tally.note_if(parts.any(over), "over-full");
        Ok(())
    }

    fn amount(&self, amount: &Amount) -> Tokens {
        self::amount(amount, &self.bucket, self.now)
    }

    fn told(&mut self, wait: Wait) {
        self.last_wait = wait.ticks().or(self.last_wait);
    }
}

/// The tokens an amount stands for.
pub(crate) fn amount<const N: usize>(amount: &Amount, bucket: &Bucket<N>, now: u64) -> Tokens {
    let limits = bucket.config().bandwidths();
    let n = match *amount {
        Amount::Exactly(n) => n,
        Amount::Capacity(which, off) => {
            let capacity = limits[which % limits.len()].capacity();
            capacity.saturating_add_signed(off.into())
        }
        Amount::Available(off) => {
            let available = u64::try_from(bucket.available(now)).unwrap_or(0);
            available.saturating_add_signed(off.into())
        }
    };
    Tokens::new(n.clamp(1, MAX)).expect("in range")
}

/// A configuration and the oracle's, as built at `now`.
fn build<const N: usize>(limits: &[Limit], now: u64) -> (BucketConfig<N>, Vec<model::Bandwidth>) {
    let (built, oracles): (Vec<_>, Vec<_>) = limits.iter().map(|limit| limit.build(now)).unzip();
    (
        BucketConfig::from_slice(&built).expect("different ids"),
        oracles,
    )
}

/// A wait as the oracle tells it.
fn ticks(wait: Wait) -> Option<BigInt> {
    wait.ticks().map(BigInt::from)
}
