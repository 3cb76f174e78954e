//! The state of several limits, apart from them.

use alloc::boxed::Box;

use super::decision::{Decision, LimitStatus};
use super::joint::Subject;
use super::limits::Limits;
use super::reserve::LimiterReservation;
use super::slots::{Slots, SlotsMut};
use super::{acquire, refund, reserve, update};
use crate::bucket::level::Level;
use crate::{Bandwidth, CycleState, ReserveError, Tokens, TokensInheritance, Wait};

/// How much of some [`Limits`] is used: 40 bytes, to which more than one limit adds 24 on the heap
/// for each bandwidth and 32 for each cycle.
///
/// Kept apart from the limits, so that thousands of callers can share them; a
/// [`Limiter`](crate::Limiter) is a state together with its limits, and there each operation is
/// described. A state has a meaning only with the limits it was made for.
///
/// ```
/// use std::collections::HashMap;
/// use tokenweir::{LimiterState, Limits, Tokens};
///
/// let limits = Limits::parse("1/s")?;
/// let mut clients = HashMap::new();
/// let mut allowed = |client: &'static str, now| {
///     let state = clients.entry(client).or_insert_with(|| LimiterState::new(&limits, now));
///     state.try_acquire(&limits, Tokens::ONE, now)
/// };
/// assert!(allowed("a", 0));
/// assert!(allowed("b", 0));
/// assert!(!allowed("a", 999_999_999));
/// assert!(allowed("a", 1_000_000_000));
/// # Ok::<(), tokenweir::LimitSyntaxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LimiterState {
    held: Held,
}

/// The usual single limit needs no heap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Held {
    Bucket([Level; 1]),
    Cycle([CycleState; 1]),
    Several(Box<[Level]>, Box<[CycleState]>),
}

impl LimiterState {
    /// The state of a new limiter at `now`.
    #[must_use]
    pub fn new(limits: &Limits, now: u64) -> Self {
        let bandwidths = limits.bandwidths_at(now);
        Self::of(
            bandwidths.iter().map(|limit| Level::new(limit, now)),
            limits
                .cycles()
                .iter()
                .map(|config| CycleState::new(config, now)),
        )
    }

    /// As [`Limiter::try_acquire`](crate::Limiter::try_acquire).
    #[must_use]
    #[inline]
    pub fn try_acquire(&mut self, limits: &Limits, cost: Tokens, now: u64) -> bool {
        // The usual single limit needs no loop.
        match (&mut self.held, limits.bandwidths()) {
            (Held::Bucket([level]), [limit]) => level.try_take(limit, cost, now),
            _ => self.try_acquire_other(limits, cost, now),
        }
    }

    /// As [`try_acquire`](Self::try_acquire) in the usual case, for those who hold the one bandwidth that the
    /// limits are at hand: greedy, with a level that is neither in debt nor over-full. Otherwise `None`,
    /// and nothing is taken.
    #[must_use]
    #[inline(always)]
    pub fn try_acquire_usual(&mut self, limit: &Bandwidth, cost: Tokens, now: u64) -> Option<bool> {
        match &mut self.held {
            Held::Bucket([level]) => level.try_take_narrow(limit, cost, now),
            _ => None,
        }
    }

    /// Out of line in WebAssembly, where what it keeps in memory would cost the usual case as well.
    #[cfg_attr(target_family = "wasm", inline(never))]
    #[cfg_attr(not(target_family = "wasm"), inline)]
    fn try_acquire_other(&mut self, limits: &Limits, cost: Tokens, now: u64) -> bool {
        match (&mut self.held, limits.cycles()) {
            (Held::Cycle([state]), [config]) => state.try_acquire(config, cost.into(), now),
            _ => acquire::try_acquire(limits, self.slots_mut(), cost, now),
        }
    }

    /// As [`Limiter::check`](crate::Limiter::check).
    pub fn check(&mut self, limits: &Limits, cost: Tokens, now: u64) -> Decision {
        acquire::check(limits, self.slots_mut(), cost, now)
    }

    /// As [`Limiter::peek`](crate::Limiter::peek).
    pub fn peek(&self, limits: &Limits, cost: Tokens, now: u64) -> Decision {
        acquire::peek(limits, self.slots(), cost, now)
    }

    /// As [`Limiter::acquire_up_to`](crate::Limiter::acquire_up_to).
    #[must_use = "less than asked for may have been taken"]
    pub fn acquire_up_to(&mut self, limits: &Limits, most: Tokens, now: u64) -> u64 {
        acquire::acquire_up_to(limits, self.slots_mut(), most, now)
    }

    /// As [`Limiter::acquire_ignoring_limits`](crate::Limiter::acquire_ignoring_limits).
    ///
    /// # Errors
    ///
    /// As [`Limiter::acquire_ignoring_limits`](crate::Limiter::acquire_ignoring_limits).
    pub fn acquire_ignoring_limits(
        &mut self,
        limits: &Limits,
        cost: Tokens,
        now: u64,
    ) -> Result<u64, ReserveError> {
        reserve::acquire_ignoring_limits(limits, self.slots_mut(), cost, now)
    }

    /// As [`Limiter::reserve`](crate::Limiter::reserve).
    ///
    /// # Errors
    ///
    /// As [`Limiter::reserve`](crate::Limiter::reserve).
    pub fn reserve(
        &mut self,
        limits: &Limits,
        cost: Tokens,
        max_wait: u64,
        now: u64,
    ) -> Result<LimiterReservation, ReserveError> {
        reserve::reserve(limits, self.slots_mut(), cost, max_wait, now)
    }

    /// As [`Limiter::cancel`](crate::Limiter::cancel).
    pub fn cancel(&mut self, limits: &Limits, reservation: LimiterReservation, now: u64) -> bool {
        reserve::cancel(limits, self.slots_mut(), reservation, now)
    }

    /// As [`Limiter::refund`](crate::Limiter::refund).
    pub fn refund(&mut self, limits: &Limits, tokens: Tokens, now: u64) {
        refund::refund(limits, self.slots_mut(), tokens, now);
    }

    /// As [`Limiter::force_add`](crate::Limiter::force_add).
    pub fn force_add(&mut self, limits: &Limits, tokens: Tokens, now: u64) {
        refund::force_add(limits, self.slots_mut(), tokens, now);
    }

    /// As [`Limiter::reset`](crate::Limiter::reset).
    pub fn reset(&mut self, limits: &Limits, now: u64) {
        refund::reset(limits, self.slots_mut(), now);
    }

    /// The state that takes over from this one when `old` is replaced by `new`, see
    /// [`Limiter::update`](crate::Limiter::update).
    #[must_use]
    pub fn replaced(
        &self,
        old: &Limits,
        new: &Limits,
        inheritance: TokensInheritance,
        now: u64,
    ) -> Self {
        update::replaced((old, self.slots()), new, inheritance, now)
    }

    /// As [`Limiter::available`](crate::Limiter::available).
    #[must_use]
    pub fn available(&self, limits: &Limits, now: u64) -> i64 {
        acquire::available(limits, self.slots(), now)
    }

    /// As [`Limiter::time_to_full`](crate::Limiter::time_to_full).
    #[must_use]
    pub fn time_to_full(&self, limits: &Limits, now: u64) -> Wait {
        acquire::time_to_full(limits, self.slots(), now)
    }

    /// Whether this state at `now` says nothing of use that a new one would not: every limit is exactly
    /// full, and a new state of these limits starts full.
    ///
    /// When its cycles and intervals began is forgotten with it: those of a new state begin anew, unless
    /// they are aligned.
    #[must_use]
    pub fn is_as_new(&self, limits: &Limits, now: u64) -> bool {
        limits.parts(self.slots()).all(|part| part.is_full(now)) && limits.start_full()
    }

    /// As [`Limiter::statuses`](crate::Limiter::statuses).
    pub fn statuses<'a>(
        &'a self,
        limits: &'a Limits,
        now: u64,
    ) -> impl Iterator<Item = LimitStatus> + 'a {
        limits
            .parts(self.slots())
            .map(move |part| acquire::status(&part, now))
    }

    /// As [`Limiter::subject`](crate::Limiter::subject), without a listener.
    #[must_use]
    pub fn subject<'a>(&'a mut self, limits: &'a Limits, cost: Tokens) -> Subject<'a> {
        Subject::new(limits, self.slots_mut(), cost, None)
    }

    /// The state made of its parts.
    pub(crate) fn of(
        mut levels: impl ExactSizeIterator<Item = Level>,
        mut cycles: impl ExactSizeIterator<Item = CycleState>,
    ) -> Self {
        let held = match (levels.len(), cycles.len()) {
            (1, 0) => levels.next().map(|level| Held::Bucket([level])),
            (0, 1) => cycles.next().map(|state| Held::Cycle([state])),
            _ => None,
        };
        Self {
            held: held.unwrap_or_else(|| Held::Several(levels.collect(), cycles.collect())),
        }
    }

    pub(crate) fn slots(&self) -> Slots<'_> {
        match &self.held {
            Held::Bucket(levels) => Slots {
                levels,
                cycles: &[],
            },
            Held::Cycle(cycles) => Slots {
                levels: &[],
                cycles,
            },
            Held::Several(levels, cycles) => Slots { levels, cycles },
        }
    }

    pub(crate) fn slots_mut(&mut self) -> SlotsMut<'_> {
        match &mut self.held {
            Held::Bucket(levels) => SlotsMut {
                levels,
                cycles: &mut [],
            },
            Held::Cycle(cycles) => SlotsMut {
                levels: &mut [],
                cycles,
            },
            Held::Several(levels, cycles) => SlotsMut { levels, cycles },
        }
    }
}
