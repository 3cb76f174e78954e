//! The token bucket.

use crate::settled::Settled;
use crate::{Bandwidth, Error, Estimate, Inheritance, Level, Probe, Reservation, replace};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

/// A bucket of one or more bandwidths, all of which must hold the tokens that are asked for.
///
/// An operation first works out the levels at `now` on the side, and stores them only when it changed the
/// tokens: a refused call, an estimate and a query leave no trace, not even of the refill.
/// Waits are in ticks, rounded up. One that is not below `i64::MAX` is "never", which is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    bandwidths: Vec<Bandwidth>,
    levels: Vec<Level>,
}

impl Bucket {
    /// A new bucket at `now`.
    ///
    /// # Errors
    /// Those of [`Bandwidth::validate_all`].
    pub fn new(bandwidths: Vec<Bandwidth>, now: impl Into<BigInt>) -> Result<Self, Error> {
        Bandwidth::validate_all(&bandwidths)?;
        let now = now.into();
        let levels = bandwidths.iter().map(|b| Level::fresh(b, &now)).collect();
        Ok(Self { bandwidths, levels })
    }

    /// The configuration in force.
    #[must_use]
    pub fn bandwidths(&self) -> &[Bandwidth] {
        &self.bandwidths
    }

    /// The stored state, one level per bandwidth, in the order of the configuration.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Takes `n` tokens if all bandwidths hold them, even more than the capacity where there are as many.
    ///
    /// # Errors
    /// [`Error::NonPositiveTokensToConsume`].
    pub fn try_consume(
        &mut self,
        n: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<bool, Error> {
        Ok(self.probe(n, now)?.consumed)
    }

    /// Like [`try_consume`](Self::try_consume), and says what is left and how long to wait.
    ///
    /// # Errors
    /// [`Error::NonPositiveTokensToConsume`].
    pub fn probe(&mut self, n: impl Into<BigInt>, now: impl Into<BigInt>) -> Result<Probe, Error> {
        let n = to_consume(n)?;
        let mut settled = self.settled(now);
        let consumed = n <= settled.available();
        let wait = settled.wait_without_debt(&n);
        if consumed {
            settled.take(&n);
        }
        let remaining = settled.available().max(BigInt::ZERO);
        let reset = settled.time_to_full();
        if consumed {
            self.levels = settled.levels;
        }
        Ok(Probe {
            consumed,
            remaining,
            wait,
            reset,
        })
    }

    /// Whether `n` tokens could be taken, and after what wait, without taking them.
    ///
    /// # Errors
    /// [`Error::NonPositiveTokensToConsume`].
    pub fn estimate(
        &self,
        n: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<Estimate, Error> {
        let n = to_consume(n)?;
        let settled = self.settled(now);
        let available = settled.available();
        let wait = settled.wait_without_debt(&n);
        Ok(Estimate {
            possible: n <= available,
            remaining: available.max(BigInt::ZERO),
            wait,
        })
    }

    /// Takes what there is, at most `limit`, and returns how many.
    ///
    /// # Errors
    /// [`Error::NonPositiveTokensToConsume`] for a limit below one.
    pub fn as_much_as_possible(
        &mut self,
        limit: Option<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<BigInt, Error> {
        let limit = limit.map(to_consume).transpose()?;
        let mut settled = self.settled(now);
        let mut taken = settled.available();
        if let Some(limit) = limit {
            taken = taken.min(limit);
        }
        if !taken.is_positive() {
            return Ok(BigInt::ZERO);
        }
        settled.take(&taken);
        self.levels = settled.levels;
        Ok(taken)
    }

    /// Takes `n` tokens whether they are there or not, and returns how long to wait until they would have been.
    ///
    /// # Errors
    /// [`Error::NonPositiveTokensToConsume`]; [`Error::ReservationOverflow`] when the wait is "never" or the
    /// debt would pass `i64::MIN`. Then nothing is taken.
    pub fn consume_ignoring(
        &mut self,
        n: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<BigInt, Error> {
        self.borrow(&to_consume(n)?, now, |_| true)?
            .ok_or(Error::ReservationOverflow)
    }

    /// Takes `n` tokens in advance if they are there within `max_wait`, and says when. `None` is a refusal.
    ///
    /// # Errors
    /// [`Error::NonPositiveTokensToConsume`], then [`Error::NonPositiveWait`], then, unless it is refused,
    /// [`Error::ReservationOverflow`] when the debt would pass `i64::MIN`.
    pub fn reserve(
        &mut self,
        n: impl Into<BigInt>,
        max_wait: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<Option<Reservation>, Error> {
        let (tokens, now) = (to_consume(n)?, now.into());
        let max_wait = max_wait.into();
        Error::NonPositiveWait.unless(max_wait.is_positive())?;
        let wait = self.borrow(&tokens, now.clone(), |wait| *wait <= max_wait)?;
        Ok(wait.map(|wait| Reservation {
            tokens,
            due: now + &wait,
            wait,
        }))
    }

    /// Takes `n` tokens in advance, however long the wait.
    ///
    /// # Errors
    /// Those of [`consume_ignoring`](Self::consume_ignoring).
    pub fn reserve_unlimited(
        &mut self,
        n: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<Reservation, Error> {
        let (tokens, now) = (n.into(), now.into());
        let wait = self.consume_ignoring(tokens.clone(), now.clone())?;
        Ok(Reservation {
            tokens,
            due: now + &wait,
            wait,
        })
    }

    /// Gives the tokens of a reservation back as [`add`](Self::add) would, if it had to wait and is not due yet,
    /// neither at `now` nor by what was seen before: an instant up to which a bandwidth accounts for refills has
    /// come, even if the clock reads earlier now. Returns whether it did; otherwise nothing changes. To be called
    /// at most once for each reservation.
    pub fn cancel(&mut self, reservation: &Reservation, now: impl Into<BigInt>) -> bool {
        let now = now.into();
        let due = &reservation.due;
        let seen = self.levels.iter().any(|level| level.last >= *due);
        let returns = !reservation.wait.is_zero() && now < *due && !seen;
        if returns {
            self.change(now, |level, bandwidth| {
                level.add(bandwidth, &reservation.tokens)
            });
        }
        returns
    }

    /// Tops every bandwidth up by `n`, to at most its capacity. Never lowers a level.
    ///
    /// # Errors
    /// [`Error::NonPositiveTokensToAdd`].
    pub fn add(&mut self, n: impl Into<BigInt>, now: impl Into<BigInt>) -> Result<(), Error> {
        let n = n.into();
        Error::NonPositiveTokensToAdd.unless(n.is_positive())?;
        self.change(now, |level, bandwidth| level.add(bandwidth, &n));
        Ok(())
    }

    /// Adds `n` to every bandwidth, beyond its capacity if need be.
    ///
    /// # Errors
    /// [`Error::NonPositiveTokensToAdd`].
    pub fn force_add(&mut self, n: impl Into<BigInt>, now: impl Into<BigInt>) -> Result<(), Error> {
        let n = n.into();
        Error::NonPositiveTokensToAdd.unless(n.is_positive())?;
        self.change(now, |level, _| level.force_add(&n));
        Ok(())
    }

    /// Sets every bandwidth to its capacity. Debts and forced tokens are forgotten, edges are kept.
    pub fn reset(&mut self, now: impl Into<BigInt>) {
        self.change(now, Level::fill);
    }

    /// Ticks until there are `n` tokens, rounded up, where a debt may be waited for; `None` is "never".
    ///
    /// # Errors
    /// [`Error::NonPositiveTokensToConsume`].
    pub fn wait(
        &self,
        n: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<Option<BigInt>, Error> {
        Ok(self.settled(now).wait(&to_consume(n)?))
    }

    /// Tokens that can be taken; negative while in debt.
    #[must_use]
    pub fn available(&self, now: impl Into<BigInt>) -> BigInt {
        self.settled(now).available()
    }

    /// Whole tokens of each bandwidth, in the order of the configuration.
    #[must_use]
    pub fn available_per_bandwidth(&self, now: impl Into<BigInt>) -> Vec<BigInt> {
        self.settled(now)
            .levels
            .into_iter()
            .map(|level| level.tokens)
            .collect()
    }

    /// Ticks until every bandwidth is full, rounded up; `None` is "never".
    #[must_use]
    pub fn time_to_full(&self, now: impl Into<BigInt>) -> Option<BigInt> {
        self.settled(now).time_to_full()
    }

    /// How long a store must keep the state: until it is full, in `unit`s of so many ticks, rounded up, and
    /// `keep` units more. At least 1 and at most `i64::MAX`; a refill that never ends counts as `i64::MAX` ticks.
    #[must_use]
    pub fn time_to_live(
        &self,
        unit: impl Into<BigInt>,
        keep: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> BigInt {
        let most = BigInt::from(i64::MAX);
        let full = self.time_to_full(now).unwrap_or_else(|| most.clone());
        (full.div_ceil(&unit.into()) + keep.into()).clamp(BigInt::from(1), most)
    }

    /// Replaces the configuration. Bandwidths are matched by identifier, what is not matched starts afresh.
    ///
    /// A debt that is scaled up beyond `i64::MIN` tokens is held there.
    ///
    /// # Errors
    /// Those of [`Bandwidth::validate_all`]; then nothing changes.
    pub fn replace(
        &mut self,
        bandwidths: Vec<Bandwidth>,
        inheritance: Inheritance,
        now: impl Into<BigInt>,
    ) -> Result<(), Error> {
        Bandwidth::validate_all(&bandwidths)?;
        let now = now.into();
        let old = self.settled(now.clone()).levels;
        self.levels = replace::inherit(&self.bandwidths, &old, &bandwidths, inheritance, &now);
        self.bandwidths = bandwidths;
        Ok(())
    }

    /// Accounts for the refills of greedy bandwidths whose last one lies before the instant `earliest`.
    ///
    /// Only a replacement makes such bandwidths, of aligned ones before their first edge. The crate, whose
    /// instants begin at 0, cannot keep an earlier one for a greedy bandwidth and refills it at once. How often a
    /// refill is made shows only where the clock then goes back.
    pub fn catch_up(&mut self, earliest: impl Into<BigInt>, now: impl Into<BigInt>) {
        let (earliest, now) = (earliest.into(), now.into());
        for (level, bandwidth) in self.levels.iter_mut().zip(&self.bandwidths) {
            if bandwidth.style.is_greedy() && level.last < earliest {
                level.refill(bandwidth, &now);
            }
        }
    }

    /// The levels as they are at `now`.
    fn settled(&self, now: impl Into<BigInt>) -> Settled<'_> {
        Settled::new(&self.bandwidths, &self.levels, now.into())
    }

    /// Stores a change of the levels as they are at `now`.
    fn change(&mut self, now: impl Into<BigInt>, change: impl Fn(&mut Level, &Bandwidth)) {
        let mut settled = self.settled(now);
        settled.change(change);
        self.levels = settled.levels;
    }

    /// Takes `n` tokens, into debt if need be, if their wait is acceptable, and returns it.
    fn borrow(
        &mut self,
        n: &BigInt,
        now: impl Into<BigInt>,
        acceptable: impl Fn(&BigInt) -> bool,
    ) -> Result<Option<BigInt>, Error> {
        let mut settled = self.settled(now);
        let Some(wait) = settled.wait(n).filter(acceptable) else {
            return Ok(None);
        };
        settled.take(n);
        Error::ReservationOverflow.unless(settled.is_bearable())?;
        self.levels = settled.levels;
        Ok(Some(wait))
    }
}

fn to_consume(n: impl Into<BigInt>) -> Result<BigInt, Error> {
    let n = n.into();
    Error::NonPositiveTokensToConsume.unless(n.is_positive())?;
    Ok(n)
}
