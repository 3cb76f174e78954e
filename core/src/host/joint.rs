//! One decision over several subjects: the caller's limits and the global ones.

use alloc::vec::Vec;
use core::fmt;

use super::acquire;
use super::decision::Decision;
use super::limits::Limits;
use super::listener::{Decided, Listener};
use super::reserve::{self, LimiterReservation};
use super::slots::SlotsMut;
use crate::{ReserveError, Tokens, Wait};

/// A limiter and what it is asked for, in a decision over several.
///
/// Made by [`Limiter::subject`](crate::Limiter::subject) and
/// [`LimiterState::subject`](crate::LimiterState::subject).
pub struct Subject<'a> {
    limits: &'a Limits,
    slots: SlotsMut<'a>,
    cost: Tokens,
    listener: Option<&'a mut dyn Listener>,
}

/// What several subjects decided together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
#[non_exhaustive]
pub struct JointDecision {
    /// Which subject decided: the one with the longest wait if the call was refused, otherwise the
    /// one with the least left.
    pub subject: usize,
    /// Its decision; allowed only if all of them are.
    pub decision: Decision,
}

/// Why a reservation over several subjects was not made; nothing was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct JointReserveError {
    /// Which subject refused: the one with the longest wait.
    pub subject: usize,
    /// Why.
    pub error: ReserveError,
}

/// Takes each subject's cost, if every one has it; otherwise no one pays.
///
/// ```
/// use tokenweir::{Limiter, Limits, Tokens, decide_all};
///
/// // Requests and the tokens of a language model, counted side by side.
/// let mut requests = Limiter::new(Limits::parse("10/min")?, 0);
/// let mut tokens = Limiter::new(Limits::parse("1000/min")?, 0);
/// let mut call = |size| {
///     let subjects = &mut [requests.subject(Tokens::ONE), tokens.subject(size)];
///     decide_all(subjects, 0)
/// };
/// assert!(call(Tokens::new(800)?).decision.allowed);
/// let refused = call(Tokens::new(201)?);
/// assert_eq!((refused.decision.allowed, refused.subject), (false, 1));
/// assert_eq!(requests.available(0), 9);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// Without subjects there is nothing to refuse, and the numbers are all 0.
pub fn decide_all(subjects: &mut [Subject<'_>], now: u64) -> JointDecision {
    for subject in &mut *subjects {
        acquire::see(subject.limits, subject.slots.reborrow(), now);
    }
    let allowed = subjects.iter().all(|subject| {
        acquire::can_acquire(subject.limits, subject.slots.view(), subject.cost, now)
    });
    if allowed {
        for subject in &mut *subjects {
            // Seen to be there.
            let _ =
                acquire::try_acquire(subject.limits, subject.slots.reborrow(), subject.cost, now);
        }
    }
    let mut joint: Option<JointDecision> = None;
    for (subject, part) in subjects.iter_mut().enumerate() {
        part.tell(allowed, now);
        let decision = if allowed {
            acquire::granted(part.limits, part.slots.view(), now)
        } else {
            acquire::refused(part.limits, part.slots.view(), part.cost, now)
        };
        let decides = joint.is_none_or(|joint| decision.decides_before(&joint.decision));
        if decides {
            joint = Some(JointDecision { subject, decision });
        }
    }
    joint.unwrap_or(JointDecision {
        subject: 0,
        decision: Decision::NOTHING,
    })
}

/// Takes each subject's cost, to be used after a wait of at most `max_wait` nanoseconds (inclusive),
/// which is that of the subject with the longest; otherwise no one pays.
///
/// The reservations are in the order of the subjects; each is cancelled at the limiter it came from.
///
/// # Errors
///
/// A [`JointReserveError`]: that of [`Limiter::reserve`](crate::Limiter::reserve), and which subject
/// it comes from.
pub fn reserve_all(
    subjects: &mut [Subject<'_>],
    max_wait: u64,
    now: u64,
) -> Result<Vec<LimiterReservation>, JointReserveError> {
    let reserved = try_reserve_all(subjects, max_wait, now);
    for subject in &mut *subjects {
        subject.tell(reserved.is_ok(), now);
    }
    reserved
}

fn try_reserve_all(
    subjects: &mut [Subject<'_>],
    max_wait: u64,
    now: u64,
) -> Result<Vec<LimiterReservation>, JointReserveError> {
    if max_wait == 0 {
        return Err(JointReserveError {
            subject: 0,
            error: ReserveError::NonPositiveWait,
        });
    }
    let (mut longest, mut scope) = (Wait::NONE, 0);
    for (index, subject) in subjects.iter_mut().enumerate() {
        acquire::see(subject.limits, subject.slots.reborrow(), now);
        let wait = reserve::wait_owing(subject.limits, subject.slots.view(), subject.cost, now);
        if wait > longest {
            (longest, scope) = (wait, index);
        }
    }
    let wait = match longest {
        Wait::Ticks(wait) if wait <= max_wait => wait,
        wait => {
            return Err(JointReserveError {
                subject: scope,
                error: ReserveError::NotInTime { wait },
            });
        }
    };
    let full = subjects.iter().position(|subject| {
        !reserve::can_owe(subject.limits, subject.slots.view(), subject.cost, now)
    });
    if let Some(subject) = full {
        return Err(JointReserveError {
            subject,
            error: ReserveError::ReservationOverflow,
        });
    }
    let reservations = subjects.iter_mut().enumerate().map(|(index, subject)| {
        let slots = subject.slots.reborrow();
        reserve::reserve_for(subject.limits, slots, subject.cost, wait, now).map_err(|error| {
            JointReserveError {
                subject: index,
                error,
            }
        })
    });
    reservations.collect()
}

impl<'a> Subject<'a> {
    pub(crate) const fn new(
        limits: &'a Limits,
        slots: SlotsMut<'a>,
        cost: Tokens,
        listener: Option<&'a mut dyn Listener>,
    ) -> Self {
        Self {
            limits,
            slots,
            cost,
            listener,
        }
    }

    fn tell(&mut self, allowed: bool, now: u64) {
        if let Some(listener) = &mut self.listener {
            let event = Decided::new(allowed, self.cost, now, self.limits, self.slots.view());
            event.tell(&mut **listener);
        }
    }
}

impl fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject")
            .field("limits", self.limits)
            .field("cost", &self.cost)
            .finish_non_exhaustive()
    }
}

impl JointReserveError {
    /// The stable code of this error: the same in every language and release.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.error.code()
    }
}

impl fmt::Display for JointReserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "subject {}: {}", self.subject, self.error)
    }
}

impl core::error::Error for JointReserveError {}
