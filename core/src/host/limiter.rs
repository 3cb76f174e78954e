//! A limiter over several limits.

use super::decision::{Decision, LimitStatus};
use super::joint::Subject;
use super::limits::Limits;
use super::listener::{Decided, Listener};
use super::reserve::LimiterReservation;
use super::state::LimiterState;
use crate::{ReserveError, Tokens, TokensInheritance, Wait};

/// One decision over several limits, buckets and cycles mixed: all grant or none pays.
///
/// The bandwidths among the limits behave exactly as one [`Bucket`](crate::Bucket), each cycle as a
/// [`CycleLimiter`](crate::CycleLimiter). Instants and waits are in nanoseconds. A refused call takes
/// nothing, but a cycle remembers that it has come; a peek and a query change nothing.
///
/// ```
/// use tokenweir::{Limiter, Limits, Tokens, Wait};
///
/// let second = 1_000_000_000;
/// let limits = Limits::parse("burst: 2/s; daily: cycle 3/day")?;
/// let mut limiter = Limiter::new(limits, 0);
/// assert!(limiter.try_acquire(Tokens::new(2)?, 0));
/// let decision = limiter.check(Tokens::ONE, 0);
/// assert_eq!((decision.allowed, limiter.limits().name(decision.scope)), (false, "burst"));
/// assert_eq!(decision.retry_after, Wait::Ticks(second / 2));
/// assert!(limiter.check(Tokens::ONE, second).allowed);
/// // Now the day is used up, until its end.
/// let decision = limiter.check(Tokens::ONE, second);
/// assert_eq!(limiter.limits().name(decision.scope), "daily");
/// assert_eq!(decision.retry_after, Wait::Ticks(86_399 * second));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limiter<L = ()> {
    limits: Limits,
    state: LimiterState,
    listener: L,
}

impl Limiter {
    /// A new limiter at `now`.
    #[must_use]
    pub fn new(limits: Limits, now: u64) -> Self {
        let state = LimiterState::new(&limits, now);
        Self {
            limits,
            state,
            listener: (),
        }
    }

    /// A limiter with the state it has.
    #[must_use]
    pub const fn with_state(limits: Limits, state: LimiterState) -> Self {
        Self {
            limits,
            state,
            listener: (),
        }
    }

    /// This limiter with somebody who is told what it decides.
    #[must_use]
    pub fn with_listener<L: Listener>(self, listener: L) -> Limiter<L> {
        Limiter {
            limits: self.limits,
            state: self.state,
            listener,
        }
    }
}

impl<L: Listener> Limiter<L> {
    /// Takes `cost` from every limit if all have it; otherwise from none.
    ///
    /// This is the hot path: what else there is to know, [`Limiter::check`] works out.
    #[must_use]
    #[inline]
    pub fn try_acquire(&mut self, cost: Tokens, now: u64) -> bool {
        let allowed = self.state.try_acquire(&self.limits, cost, now);
        self.tell(allowed, cost, now);
        allowed
    }

    /// As [`Limiter::try_acquire`], with the numbers of the limit that decided.
    pub fn check(&mut self, cost: Tokens, now: u64) -> Decision {
        let decision = self.state.check(&self.limits, cost, now);
        self.tell(decision.allowed, cost, now);
        decision
    }

    /// Whether [`Limiter::check`] would allow the cost, and the numbers as they are; nothing changes.
    pub fn peek(&self, cost: Tokens, now: u64) -> Decision {
        self.state.peek(&self.limits, cost, now)
    }

    /// Takes what every limit has, at most `most`, and returns how much that was.
    ///
    /// [`Tokens::MAX`] takes all.
    #[must_use = "less than asked for may have been taken"]
    pub fn acquire_up_to(&mut self, most: Tokens, now: u64) -> u64 {
        let taken = self.state.acquire_up_to(&self.limits, most, now);
        match Tokens::new(taken) {
            Ok(cost) => self.tell(true, cost, now),
            Err(_) => self.tell(false, most, now),
        }
        taken
    }

    /// Takes `cost` from every limit whether it is there or not, and returns how long the debt
    /// lasts, in nanoseconds rounded up: for a cost that is known only afterwards.
    ///
    /// # Errors
    ///
    /// [`ReserveError::ReservationOverflow`] if a debt would exceed `i64::MIN` or last longer than
    /// `i64::MAX` nanoseconds; then nothing changes.
    pub fn acquire_ignoring_limits(&mut self, cost: Tokens, now: u64) -> Result<u64, ReserveError> {
        let wait = self.state.acquire_ignoring_limits(&self.limits, cost, now);
        self.tell(wait.is_ok(), cost, now);
        wait
    }

    /// Takes `cost` from every limit, to be used after a wait of at most `max_wait` nanoseconds
    /// (inclusive). The cost may be above the quotas, and counts at once for every limit.
    ///
    /// ```
    /// use tokenweir::{Limiter, Limits, Tokens};
    ///
    /// let mut limiter = Limiter::new(Limits::parse("2/s; cycle 3/min")?, 0);
    /// let reservation = limiter.reserve(Tokens::new(3)?, 1_000_000_000, 0)?;
    /// assert_eq!(reservation.wait(), 500_000_000);
    /// assert!(limiter.cancel(reservation, 499_999_999));
    /// assert_eq!(limiter.available(499_999_999), 2);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ReserveError::NotInTime`] with the wait that would have been needed,
    /// [`ReserveError::NonPositiveWait`] for a `max_wait` of 0,
    /// [`ReserveError::ReservationOverflow`] for a debt beyond `i64::MIN`. Nothing changes.
    pub fn reserve(
        &mut self,
        cost: Tokens,
        max_wait: u64,
        now: u64,
    ) -> Result<LimiterReservation, ReserveError> {
        let reserved = self.state.reserve(&self.limits, cost, max_wait, now);
        self.tell(reserved.is_ok(), cost, now);
        reserved
    }

    /// Gives the cost of a reservation back, up to the quotas, if its time has not come; returns
    /// whether it did.
    ///
    /// A cycle gets its permits back while the one they count for lasts.
    pub fn cancel(&mut self, reservation: LimiterReservation, now: u64) -> bool {
        let cost = reservation.cost();
        let cancelled = self.state.cancel(&self.limits, reservation, now);
        if cancelled {
            self.listener.refunded(cost, now);
        }
        cancelled
    }

    /// Gives `tokens` back to every limit, up to its quota; one that has more is left as it is.
    pub fn refund(&mut self, tokens: Tokens, now: u64) {
        self.state.refund(&self.limits, tokens, now);
        self.listener.refunded(tokens, now);
    }

    /// Adds `tokens` to every limit, beyond its quota if need be: to a bandwidth until they are
    /// used, to a cycle until its end.
    pub fn force_add(&mut self, tokens: Tokens, now: u64) {
        self.state.force_add(&self.limits, tokens, now);
    }

    /// Fills every limit; what was added by force and what is owed are forgotten.
    pub fn reset(&mut self, now: u64) {
        self.state.reset(&self.limits, now);
    }

    /// Replaces the limits; what becomes of what is left is for `inheritance` to say.
    ///
    /// Limits of the same kind are matched by name; one without a name matches another without if on
    /// both sides there is at most one such of its kind. A limit that matches none starts fresh.
    /// What is left of a cycle as it is stays until its end, even if the new limit is lower.
    ///
    /// ```
    /// use tokenweir::{Limiter, Limits, Tokens, TokensInheritance};
    ///
    /// let mut limiter = Limiter::new(Limits::parse("api: 10/min; daily: 100/day")?, 0);
    /// assert!(limiter.try_acquire(Tokens::new(4)?, 0));
    /// let new = Limits::parse("daily: 100/day; api: 20/min")?;
    /// limiter.update(new, TokensInheritance::Proportional, 0);
    /// let left: Vec<_> = limiter.statuses(0).map(|status| status.available).collect();
    /// assert_eq!(left, [96, 12]);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn update(&mut self, limits: Limits, inheritance: TokensInheritance, now: u64) {
        self.state = self.state.replaced(&self.limits, &limits, inheritance, now);
        self.limits = limits;
        self.listener.replaced(&self.limits, inheritance, now);
    }

    /// What is there, rounded down: that of the limit that has the least. Negative while
    /// reservations are owed.
    #[must_use]
    pub fn available(&self, now: u64) -> i64 {
        self.state.available(&self.limits, now)
    }

    /// How long until every limit is full, in nanoseconds rounded up.
    #[must_use]
    pub fn time_to_full(&self, now: u64) -> Wait {
        self.state.time_to_full(&self.limits, now)
    }

    /// How each limit stands, in the order of the limits.
    pub fn statuses(&self, now: u64) -> impl Iterator<Item = LimitStatus> + '_ {
        self.state.statuses(&self.limits, now)
    }

    /// The limits.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The state, which can be kept with [`Limiter::limits`] elsewhere.
    #[must_use]
    pub const fn state(&self) -> &LimiterState {
        &self.state
    }

    /// The listener.
    #[must_use]
    pub const fn listener(&self) -> &L {
        &self.listener
    }

    /// The listener, to be changed.
    #[must_use]
    pub const fn listener_mut(&mut self) -> &mut L {
        &mut self.listener
    }

    /// This limiter and what it is asked for, for a decision over several, see
    /// [`decide_all`](crate::decide_all).
    #[must_use]
    pub fn subject(&mut self, cost: Tokens) -> Subject<'_> {
        Subject::new(
            &self.limits,
            self.state.slots_mut(),
            cost,
            Some(&mut self.listener),
        )
    }

    #[inline]
    fn tell(&mut self, allowed: bool, cost: Tokens, now: u64) {
        Decided::new(allowed, cost, now, &self.limits, self.state.slots()).tell(&mut self.listener);
    }
}
