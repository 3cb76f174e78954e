//! The fixed-cycle limiter.

use crate::{Error, Permit};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

/// So many permits per cycle, all given at its edge. What is missing can be reserved from later cycles.
///
/// Edges are at `anchor + k * period` for every integer `k`. Cycles are numbered from the one that contains the
/// construction, which is number 0. A reading from before the cycle that was last seen counts as a reading in
/// that cycle, except that the wait to its end is longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleLimiter {
    limit: BigInt,
    period: BigInt,
    timeout: BigInt,
    /// An edge that the cycles are aligned to; without, they are counted from the construction.
    anchor: Option<BigInt>,
    /// The edge at which cycle 0 began, or would have if the cycles had always been those of now.
    origin: BigInt,
    /// The number of the cycle last seen.
    cycle: BigInt,
    /// Permits left in it; negative while permits of later cycles are owed, above the limit only after the
    /// limit was lowered.
    balance: BigInt,
}

impl CycleLimiter {
    /// A limiter whose first cycle begins at `start`.
    ///
    /// # Errors
    /// The first that applies of a timeout, a period and a limit out of range.
    pub fn new(
        limit: impl Into<BigInt>,
        period: impl Into<BigInt>,
        timeout: impl Into<BigInt>,
        start: impl Into<BigInt>,
    ) -> Result<Self, Error> {
        Self::build(limit, period, timeout, None, start.into())
    }

    /// A limiter constructed at `start` with an edge at `anchor`, which may be earlier or later.
    ///
    /// # Errors
    /// Those of [`new`](Self::new).
    pub fn aligned(
        limit: impl Into<BigInt>,
        period: impl Into<BigInt>,
        timeout: impl Into<BigInt>,
        anchor: impl Into<BigInt>,
        start: impl Into<BigInt>,
    ) -> Result<Self, Error> {
        Self::build(limit, period, timeout, Some(anchor.into()), start.into())
    }

    fn build(
        limit: impl Into<BigInt>,
        period: impl Into<BigInt>,
        timeout: impl Into<BigInt>,
        anchor: Option<BigInt>,
        start: BigInt,
    ) -> Result<Self, Error> {
        let timeout = valid_timeout(timeout.into())?;
        let period = valid_period(period.into())?;
        let limit = valid_limit(limit.into())?;
        let origin = edge_up_to(&start, anchor.as_ref(), &period);
        Ok(Self {
            anchor,
            balance: limit.clone(),
            cycle: BigInt::ZERO,
            limit,
            period,
            timeout,
            origin,
        })
    }

    /// The permits of a cycle.
    #[must_use]
    pub const fn limit(&self) -> &BigInt {
        &self.limit
    }

    /// The ticks of a cycle.
    #[must_use]
    pub const fn period(&self) -> &BigInt {
        &self.period
    }

    /// The longest wait a reservation accepts.
    #[must_use]
    pub const fn timeout(&self) -> &BigInt {
        &self.timeout
    }

    /// Takes `n` permits if the current cycle has them.
    ///
    /// # Errors
    /// [`Error::NonPositivePermits`].
    pub fn try_acquire(
        &mut self,
        n: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<bool, Error> {
        Ok(self.take(n.into(), &now.into(), &BigInt::ZERO)?.is_some())
    }

    /// Takes `n` permits if they are there within the timeout, and says when. `None` is a refusal, of a debt
    /// beyond `i64::MIN` permits too.
    ///
    /// # Errors
    /// [`Error::NonPositivePermits`].
    pub fn reserve(
        &mut self,
        n: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<Option<Permit>, Error> {
        let timeout = self.timeout.clone();
        self.take(n.into(), &now.into(), &timeout)
    }

    /// Gives the permits of a reservation back if it had to wait and is not due, neither by the reading nor by what
    /// was seen before: the beginning of the current cycle has come, even if the clock reads earlier now. The
    /// balance is raised to at most the limit and never lowered. Returns whether they were given back. To be
    /// called at most once for each reservation.
    pub fn cancel(&mut self, permit: &Permit, now: impl Into<BigInt>) -> bool {
        let now = now.into();
        self.settle(&now);
        let begun = self.edge(self.cycle.clone());
        if permit.wait.is_zero() || permit.due <= now || permit.due <= begun {
            return false;
        }
        let returned = (&self.balance + &permit.permits).min(self.limit.clone());
        self.balance = returned.max(self.balance.clone());
        true
    }

    /// Takes all that is left in the current cycle, never a debt, and returns how many.
    pub fn drain(&mut self, now: impl Into<BigInt>) -> BigInt {
        self.settle(&now.into());
        let taken = self.balance.clone().max(BigInt::ZERO);
        self.balance -= &taken;
        taken
    }

    /// Changes the limit. What came before `now` is settled under the old one; the permits of the current
    /// cycle stay as they are.
    ///
    /// # Errors
    /// [`Error::LimitTooSmall`]; then nothing changes.
    pub fn change_limit(
        &mut self,
        limit: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<(), Error> {
        let limit = valid_limit(limit.into())?;
        self.settle(&now.into());
        self.limit = limit;
        Ok(())
    }

    /// Changes the timeout.
    ///
    /// # Errors
    /// [`Error::TimeoutNegative`], [`Error::TimeoutTooLarge`]; then nothing changes.
    pub fn change_timeout(&mut self, timeout: impl Into<BigInt>) -> Result<(), Error> {
        self.timeout = valid_timeout(timeout.into())?;
        Ok(())
    }

    /// Changes everything in one step; `anchor` is an edge that the new cycles are aligned to, if any.
    ///
    /// Cycles that have ended are settled under the old configuration. The permits left, or the debt, stay as they
    /// are. Where the period or the alignment changes, the current cycle keeps its number and goes on to the next
    /// edge of the new cycles, which are counted from `now`, or from the anchor. A reading from before the current
    /// cycle counts as the beginning of it: no cycle begins before one that is known.
    ///
    /// # Errors
    /// Those of [`new`](Self::new); then nothing changes.
    pub fn replace(
        &mut self,
        limit: impl Into<BigInt>,
        period: impl Into<BigInt>,
        timeout: impl Into<BigInt>,
        anchor: Option<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<(), Error> {
        let timeout = valid_timeout(timeout.into())?;
        let period = valid_period(period.into())?;
        let limit = valid_limit(limit.into())?;
        let now = now.into();
        self.settle(&now);
        if (&period, &anchor) != (&self.period, &self.anchor) {
            let from = self.edge(self.cycle.clone()).max(now);
            let begun = edge_up_to(&from, anchor.as_ref(), &period);
            self.origin = begun - &self.cycle * &period;
        }
        (self.limit, self.period, self.timeout, self.anchor) = (limit, period, timeout, anchor);
        Ok(())
    }

    /// Permits left in the current cycle; negative while permits of later cycles are owed.
    #[must_use]
    pub fn available(&self, now: impl Into<BigInt>) -> BigInt {
        self.settled(&now.into()).balance
    }

    /// The number of the current cycle.
    #[must_use]
    pub fn cycle(&self, now: impl Into<BigInt>) -> BigInt {
        self.settled(&now.into()).cycle
    }

    /// Ticks until `n` permits could be used if they were reserved now, whatever the timeout; `None` is
    /// "never".
    ///
    /// # Errors
    /// [`Error::NonPositivePermits`].
    pub fn wait(
        &self,
        n: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<Option<BigInt>, Error> {
        let (n, now) = (valid_permits(n.into())?, now.into());
        Ok(self.settled(&now).ahead(&n, &now).map(|(wait, _)| wait))
    }

    /// Ticks until a reservation of `n` permits that waits at most `timeout` is granted, asked again then and
    /// nobody else asking before; 0 if it is granted now. `None` is "never": not even at the end of a cycle that
    /// began with all its permits.
    ///
    /// # Errors
    /// [`Error::NonPositivePermits`].
    pub fn retry_after(
        &self,
        n: impl Into<BigInt>,
        timeout: impl Into<BigInt>,
        now: impl Into<BigInt>,
    ) -> Result<Option<BigInt>, Error> {
        let (n, timeout, now) = (valid_permits(n.into())?, timeout.into(), now.into());
        let seen = self.settled(&now);
        if n <= seen.balance {
            return Ok(Some(BigInt::ZERO));
        }
        // Until the debt is repaid, the edge at which the permits are there stays where it is.
        let due = seen.edge(&seen.cycle + (&n - &seen.balance).div_ceil(&self.limit));
        let repaid = (&self.limit - &seen.balance)
            .div_ceil(&self.limit)
            .max(BigInt::from(1));
        let full = &seen.cycle + repaid;
        // Nor is it granted before the debt it would make is one of 64 bits.
        let excess = i64::MIN - &seen.balance + &n;
        let mut granted = (due - &timeout).max(now.clone());
        if excess.is_positive() {
            granted = granted.max(seen.edge(&seen.cycle + excess.div_ceil(&self.limit)));
        }
        if granted >= seen.edge(full.clone()) {
            // From then on it moves away by a cycle at each edge, so what fails in one cycle always fails.
            let cycles = (&n - &self.limit).div_ceil(&self.limit).max(BigInt::ZERO);
            granted = (seen.edge(&full + cycles) - &timeout).max(seen.edge(full.clone()));
            if granted >= seen.edge(full + 1) {
                return Ok(None);
            }
        }
        let wait = granted - now;
        Ok(wait.to_i64().is_some().then_some(wait))
    }

    /// The instant at which a cycle begins.
    fn edge(&self, cycle: BigInt) -> BigInt {
        &self.origin + cycle * &self.period
    }

    /// Moves to the cycle of `now`, if that is later than the one last seen.
    fn settle(&mut self, now: &BigInt) {
        let cycle = (now - &self.origin).div_floor(&self.period);
        if cycle <= self.cycle {
            return;
        }
        let refilled = &self.balance + (&cycle - &self.cycle) * &self.limit;
        self.balance = refilled.min(self.limit.clone());
        self.cycle = cycle;
    }

    fn settled(&self, now: &BigInt) -> Self {
        let mut copy = self.clone();
        copy.settle(now);
        copy
    }

    /// The one transition. The cycle that was seen is kept even when the request is refused.
    fn take(&mut self, n: BigInt, now: &BigInt, timeout: &BigInt) -> Result<Option<Permit>, Error> {
        let n = valid_permits(n)?;
        self.settle(now);
        let Some((wait, cycle)) = self.ahead(&n, now).filter(|(wait, _)| wait <= timeout) else {
            return Ok(None);
        };
        let balance = &self.balance - &n;
        if balance.to_i64().is_none() {
            return Ok(None);
        }
        self.balance = balance;
        Ok(Some(Permit {
            permits: n,
            cycle,
            due: now + &wait,
            wait,
        }))
    }

    /// The wait for `n` permits and the cycle that ends it, if it fits in an `i64`. To be asked once settled.
    fn ahead(&self, n: &BigInt, now: &BigInt) -> Option<(BigInt, BigInt)> {
        let missing = n - &self.balance;
        if !missing.is_positive() {
            return Some((BigInt::zero(), self.cycle.clone()));
        }
        let cycle = &self.cycle + missing.div_ceil(&self.limit);
        // Counted from the reading, so that the lag of a clock that went back is part of the wait.
        let wait = self.edge(cycle.clone()) - now;
        wait.to_i64().is_some().then_some((wait, cycle))
    }
}

/// The last edge at or before an instant: the one aligned to the anchor, or the instant itself.
fn edge_up_to(instant: &BigInt, anchor: Option<&BigInt>, period: &BigInt) -> BigInt {
    match anchor {
        Some(anchor) => instant - (instant - anchor).mod_floor(period),
        None => instant.clone(),
    }
}

fn valid_timeout(timeout: BigInt) -> Result<BigInt, Error> {
    Error::TimeoutNegative.unless(!timeout.is_negative())?;
    Error::TimeoutTooLarge.unless(timeout.to_i64().is_some())?;
    Ok(timeout)
}

fn valid_period(period: BigInt) -> Result<BigInt, Error> {
    // Whether it fits comes first, whatever the sign: this is the order the vectors have.
    Error::CycleTooLong.unless(period.to_i64().is_some())?;
    Error::CycleTooShort.unless(period.is_positive())?;
    Ok(period)
}

fn valid_limit(limit: BigInt) -> Result<BigInt, Error> {
    Error::LimitTooSmall.unless(limit.is_positive())?;
    Ok(limit)
}

fn valid_permits(n: BigInt) -> Result<BigInt, Error> {
    Error::NonPositivePermits.unless(n.is_positive())?;
    Ok(n)
}
