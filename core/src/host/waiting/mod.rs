//! Callers that wait for a limiter, first come, first served.

pub(crate) mod outcome;
pub(crate) mod waitable;

use alloc::collections::VecDeque;
use core::fmt;

use super::reserve::LimiterReservation;
use crate::{ReserveError, Tokens, Wait};
use outcome::{JoinError, Joined, Served, Ticket};
use waitable::Waitable;

/// The callers that wait for one limiter, first come, first served: a [`Limiter`](crate::Limiter), or a
/// [`LimiterState`](crate::LimiterState) with its limits, as a key of a
/// [`KeyedLimiter`](crate::KeyedLimiter) has.
///
/// It reads no clock and wakes nobody: it says who may go on, and when to ask next. So one timer, set
/// to [`WaitQueue::next_at`], serves any number of callers, in threads and in event loops alike.
///
/// Each caller's cost is taken when it joins and may be used when its time has come. Others therefore
/// see what is really left, nobody overtakes, a large cost is not starved by small ones, and a timer
/// that is late costs no throughput. When a caller leaves, and when the limits change, those behind it
/// are planned anew. Whatever else gives tokens back or changes the limits goes through
/// [`WaitQueue::change`].
///
/// ```
/// use tokenweir::{Joined, Limiter, Limits, Served, Tokens, WaitQueue};
///
/// let mut limiter = Limiter::new(Limits::parse("10/s burst 1")?, 0);
/// let mut queue = WaitQueue::new(100);
/// assert_eq!(queue.join(&mut limiter, Tokens::ONE, None, 0)?, Joined::Granted);
/// let Joined::Waiting(first) = queue.join(&mut limiter, Tokens::ONE, None, 0)? else { panic!() };
/// let Joined::Waiting(second) = queue.join(&mut limiter, Tokens::ONE, None, 0)? else { panic!() };
///
/// assert_eq!(queue.next_at(), Some(100_000_000));
/// assert_eq!(queue.serve(100_000_000), Some((first, Served::Granted)));
/// assert_eq!(queue.serve(100_000_000), None);
/// assert_eq!(queue.next_at(), Some(200_000_000));
/// # let _ = second;
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub struct WaitQueue {
    waiters: VecDeque<Waiter>,
    /// Those for whom nothing is taken while the limiter changes.
    unplanned: VecDeque<Unplanned>,
    /// Those whose wait has ended without a place in the queue.
    ended: VecDeque<(Ticket, Served, Tokens)>,
    most: usize,
    next_ticket: u64,
}

struct Waiter {
    ticket: Ticket,
    cost: Tokens,
    deadline: Option<u64>,
    plan: LimiterReservation,
}

impl WaitQueue {
    /// A queue in which at most `most` callers wait.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self {
            waiters: VecDeque::new(),
            unplanned: VecDeque::new(),
            ended: VecDeque::new(),
            most,
            next_ticket: 0,
        }
    }

    /// Takes `cost` if it is there; otherwise nothing is taken and the listener is not told, since the
    /// caller will [join](WaitQueue::join).
    #[inline]
    pub fn pass(&mut self, limiter: &mut impl Waitable, cost: Tokens, now: u64) -> bool {
        let (limits, state) = limiter.parts();
        // Nobody is overtaken: what those who wait are owed is taken already.
        let allowed = state.try_acquire(limits, cost, now);
        if allowed {
            limiter.tell(true, cost, now);
        }
        allowed
    }

    /// Takes `cost` if it is there; otherwise the caller waits for at most `max_wait` nanoseconds
    /// (inclusive), or as long as it takes.
    ///
    /// # Errors
    ///
    /// A [`JoinError`]; nothing was taken. A caller who is sure not to be served in time is told so at
    /// once.
    pub fn join(
        &mut self,
        limiter: &mut impl Waitable,
        cost: Tokens,
        max_wait: Option<u64>,
        now: u64,
    ) -> Result<Joined, JoinError> {
        let joined = self.try_join(limiter, cost, max_wait, now);
        limiter.tell(joined.is_ok(), cost, now);
        joined
    }

    fn try_join(
        &mut self,
        limiter: &mut impl Waitable,
        cost: Tokens,
        max_wait: Option<u64>,
        now: u64,
    ) -> Result<Joined, JoinError> {
        let full = self.waiters.len() >= self.most;
        let exceeds = exceeds_a_quota(limiter, cost);
        let (limits, state) = limiter.parts();
        if full || exceeds || max_wait == Some(0) {
            let decision = state.check(limits, cost, now);
            return match decision.retry_after {
                Wait::NONE => Ok(Joined::Granted),
                Wait::Never => Err(JoinError::Never),
                wait if full && wait.within(max_wait.unwrap_or(u64::MAX)) => {
                    Err(JoinError::QueueFull { most: self.most })
                }
                wait => Err(JoinError::NotInTime { wait }),
            };
        }
        match state.reserve(limits, cost, max_wait.unwrap_or(u64::MAX), now) {
            Ok(plan) if plan.wait() == 0 => Ok(Joined::Granted),
            Ok(plan) => {
                let ticket = Ticket(self.next_ticket);
                // 2^64 callers do not come.
                self.next_ticket = self.next_ticket.wrapping_add(1);
                self.waiters.push_back(Waiter {
                    ticket,
                    cost,
                    deadline: max_wait.map(|wait| now.saturating_add(wait)),
                    plan,
                });
                Ok(Joined::Waiting(ticket))
            }
            Err(ReserveError::NotInTime { wait }) => Err(JoinError::NotInTime { wait }),
            Err(_) => Err(JoinError::ReservationOverflow),
        }
    }

    /// The next caller whose wait is over at `now`, and how; to be called until there is none.
    pub fn serve(&mut self, now: u64) -> Option<(Ticket, Served)> {
        if let Some((ticket, served, _)) = self.ended.pop_front() {
            return Some((ticket, served));
        }
        if self.next_at()? > now {
            return None;
        }
        let due = self.waiters.pop_front()?;
        Some((due.ticket, Served::Granted))
    }

    /// The first caller in the queue.
    #[must_use]
    pub fn first(&self) -> Option<Ticket> {
        self.waiters.front().map(|waiter| waiter.ticket)
    }

    /// The instant at which the first caller may go on, in nanoseconds; `None` if nobody waits.
    #[must_use]
    pub fn next_at(&self) -> Option<u64> {
        self.waiters.front().map(|waiter| waiter.plan.ready_at())
    }

    /// How many callers wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiters.len()
    }

    /// Whether nobody waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiters.is_empty()
    }

    /// Gives the costs of callers who leave back, and serves those behind them earlier; returns how
    /// many of them were waiting. Any number of callers leaves at the price of one.
    ///
    /// One whose time had come but who has not been served yet gets its cost back as well.
    pub fn leave(&mut self, limiter: &mut impl Waitable, tickets: &[Ticket], now: u64) -> usize {
        let is_leaving = |ticket: &Ticket| tickets.contains(ticket);
        self.ended.retain(|(ticket, served, cost)| {
            let leaves = is_leaving(ticket);
            if leaves && *served == Served::Granted {
                give_back(limiter, *cost, now);
            }
            !leaves
        });
        let first = self
            .waiters
            .iter()
            .position(|waiter| is_leaving(&waiter.ticket));
        let Some(first) = first else { return 0 };
        let mut left = 0_usize;
        for waiter in self.waiters.split_off(first) {
            if !is_leaving(&waiter.ticket) {
                self.withdraw_one(limiter, waiter, now);
                continue;
            }
            left = left.saturating_add(1);
            let (limits, state) = limiter.parts();
            if state.cancel(limits, waiter.plan, now) {
                limiter.tell_refunded(waiter.cost, now);
            } else {
                give_back(limiter, waiter.cost, now);
            }
        }
        self.plan(limiter, now);
        left
    }

    /// Changes the limiter: gives tokens back, resets it, replaces its limits. Then all callers are
    /// planned anew, in their order; those who cannot be served in time any more are told so by
    /// [`WaitQueue::serve`].
    ///
    /// ```
    /// use tokenweir::{Joined, Limiter, Limits, Tokens, TokensInheritance, WaitQueue};
    ///
    /// let mut limiter = Limiter::new(Limits::parse("1/min")?, 0);
    /// let mut queue = WaitQueue::new(100);
    /// for _ in 0..3 {
    ///     let _ = queue.join(&mut limiter, Tokens::ONE, None, 0)?;
    /// }
    /// assert_eq!(queue.next_at(), Some(60_000_000_000));
    /// let faster = Limits::parse("1/s")?;
    /// queue.change(&mut limiter, 0, |limiter| limiter.update(faster, TokensInheritance::AsIs, 0));
    /// assert_eq!(queue.next_at(), Some(1_000_000_000));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn change<W: Waitable, R>(
        &mut self,
        limiter: &mut W,
        now: u64,
        change: impl FnOnce(&mut W) -> R,
    ) -> R {
        self.withdraw(limiter, now);
        let result = change(limiter);
        self.plan(limiter, now);
        result
    }

    /// The first half of [`WaitQueue::change`], where the change itself is made elsewhere: gives back
    /// what is taken for those who wait. [`WaitQueue::plan`] must follow.
    pub fn withdraw(&mut self, limiter: &mut impl Waitable, now: u64) {
        for waiter in core::mem::take(&mut self.waiters) {
            self.withdraw_one(limiter, waiter, now);
        }
    }

    /// Those whose time has come are served instead.
    fn withdraw_one(&mut self, limiter: &mut impl Waitable, waiter: Waiter, now: u64) {
        let Waiter {
            ticket,
            cost,
            deadline,
            plan,
        } = waiter;
        let (limits, state) = limiter.parts();
        if state.cancel(limits, plan, now) {
            self.unplanned.push_back(Unplanned {
                ticket,
                cost,
                deadline,
            });
        } else {
            self.ended.push_back((ticket, Served::Granted, cost));
        }
    }

    /// The second half of [`WaitQueue::change`]: takes again what those who wait need, in their order.
    pub fn plan(&mut self, limiter: &mut impl Waitable, now: u64) {
        for waiter in core::mem::take(&mut self.unplanned) {
            let Unplanned {
                ticket,
                cost,
                deadline,
            } = waiter;
            let max_wait = deadline.map_or(u64::MAX, |deadline| deadline.saturating_sub(now));
            let exceeds = exceeds_a_quota(limiter, cost);
            let (limits, state) = limiter.parts();
            // At the deadline only what is there counts.
            let late = max_wait == 0 && !state.peek(limits, cost, now).allowed;
            let never = exceeds && state.peek(limits, cost, now).never();
            let served = if never {
                Served::Never
            } else if late {
                Served::NotInTime
            } else if let Ok(plan) = state.reserve(limits, cost, max_wait.max(1), now) {
                self.waiters.push_back(Waiter {
                    ticket,
                    cost,
                    deadline,
                    plan,
                });
                continue;
            } else {
                Served::NotInTime
            };
            limiter.tell_refunded(cost, now);
            self.ended.push_back((ticket, served, cost));
        }
    }
}

/// A caller for whom nothing is taken.
struct Unplanned {
    ticket: Ticket,
    cost: Tokens,
    deadline: Option<u64>,
}

/// Whether a limit never has the cost but by tokens added by force.
fn exceeds_a_quota(limiter: &mut impl Waitable, cost: Tokens) -> bool {
    let (limits, _) = limiter.parts();
    limits.iter().any(|limit| cost.get() > limit.quota())
}

fn give_back(limiter: &mut impl Waitable, cost: Tokens, now: u64) {
    let (limits, state) = limiter.parts();
    state.refund(limits, cost, now);
    limiter.tell_refunded(cost, now);
}

impl fmt::Debug for WaitQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitQueue")
            .field("waiting", &self.waiters.len())
            .field("most", &self.most)
            .field("next_at", &self.next_at())
            .finish_non_exhaustive()
    }
}
