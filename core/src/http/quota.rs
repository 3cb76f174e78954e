//! What is left of a policy, as a server tells it.

use crate::Wait;

use super::Policy;

/// The state of one policy at a reply. Waits are in nanoseconds.
///
/// ```
/// use tokenweir::Wait;
/// use tokenweir::http::{Policy, Quota};
///
/// let policy = Policy::new("burst", 10)?.with_window(60_000_000_000)?;
/// // Refused for 5.2 s more; full again after a minute.
/// let quota = Quota::new(&policy, 0, Wait::Ticks(60_000_000_000))
///     .with_retry_after(Wait::Ticks(5_200_000_000));
/// assert_eq!((quota.reset(), quota.effective_window()), (Wait::Ticks(60_000_000_000), None));
/// assert_eq!(quota.effective_window_seconds(), Some(6));
/// # Ok::<(), tokenweir::http::PolicyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota<'p> {
    policy: &'p Policy,
    remaining: u64,
    reset: Wait,
    retry_after: Wait,
    window: Option<Wait>,
}

/// The longest reset of the older styles in seconds, some 31 years: larger numbers are taken for
/// Unix times.
pub(super) const LONGEST_RESET: u64 = 999_999_999;

impl<'p> Quota<'p> {
    /// `remaining` units are left, and all of them are back after `reset`.
    #[must_use]
    pub const fn new(policy: &'p Policy, remaining: u64, reset: Wait) -> Self {
        Self {
            policy,
            remaining,
            reset,
            retry_after: Wait::NONE,
            window: None,
        }
    }

    /// This policy refuses the request: the same one would be granted after `wait`, or
    /// [`Wait::Never`]. [`Wait::NONE`] if it does not refuse.
    #[must_use]
    pub const fn with_retry_after(mut self, wait: Wait) -> Self {
        self.retry_after = wait;
        self
    }

    /// For how long no more than what is left can be used, if that is known: the wait for one unit
    /// more than is left. Without it, the time until all are back is sent as `t`, and a client that
    /// obeys waits longer than it has to.
    #[must_use]
    pub const fn with_effective_window(mut self, wait: Wait) -> Self {
        self.window = Some(wait);
        self
    }

    /// The policy.
    #[must_use]
    pub const fn policy(&self) -> &'p Policy {
        self.policy
    }

    /// How many units are left.
    #[must_use]
    pub const fn remaining(&self) -> u64 {
        self.remaining
    }

    /// How long until all units are back.
    #[must_use]
    pub const fn reset(&self) -> Wait {
        self.reset
    }

    /// For how long no more than what is left can be used, if that is known.
    #[must_use]
    pub const fn effective_window(&self) -> Option<Wait> {
        self.window
    }

    /// How long until this policy would grant the request.
    #[must_use]
    pub const fn retry_after(&self) -> Wait {
        self.retry_after
    }

    /// Whether this policy refuses the request.
    #[must_use]
    pub const fn refuses(&self) -> bool {
        !self.retry_after.is_none()
    }

    /// The `t` of the draft's `RateLimit`, in seconds, rounded up: the effective window if it is
    /// known, else the wait of a refusal, else the time until all are back; `None` for never.
    ///
    /// For a policy that refuses it is at most the wait, so that `Retry-After` is never earlier, as
    /// section 6 of the draft wishes. A policy that does not refuse may have a later `t`.
    #[must_use]
    pub fn effective_window_seconds(&self) -> Option<u64> {
        let window = match self.window {
            Some(window) if self.refuses() => window.min(self.retry_after),
            Some(window) => window,
            None if self.refuses() => self.retry_after,
            None => self.reset,
        };
        window.ticks().map(super::seconds)
    }

    /// The reset of the older styles, in seconds, rounded up: until all units are back, at most
    /// 999,999,999 (also for never), since larger numbers are read as Unix times.
    #[must_use]
    pub fn reset_seconds(&self) -> u64 {
        self.reset
            .ticks()
            .map_or(LONGEST_RESET, super::seconds)
            .min(LONGEST_RESET)
    }
}
