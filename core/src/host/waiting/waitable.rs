//! What can be waited for.

use crate::Tokens;
use crate::host::limiter::Limiter;
use crate::host::limits::Limits;
use crate::host::listener::Listener;
use crate::host::state::LimiterState;

/// Limits with their state, which a [`WaitQueue`](crate::WaitQueue) takes from.
///
/// A [`Limiter`], whose listener is told, or the limits and state of one key:
///
/// ```
/// use tokenweir::{Joined, LimiterState, Limits, Tokens, WaitQueue};
///
/// let limits = Limits::parse("1/s")?;
/// let mut state = LimiterState::new(&limits, 0);
/// let mut queue = WaitQueue::new(10);
/// let joined = queue.join(&mut (&limits, &mut state), Tokens::ONE, None, 0)?;
/// assert_eq!(joined, Joined::Granted);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub trait Waitable {
    /// The limits and their state.
    fn parts(&mut self) -> (&Limits, &mut LimiterState);

    /// Is told that a cost was taken or refused.
    fn tell(&mut self, allowed: bool, cost: Tokens, now: u64) {
        let _ = (allowed, cost, now);
    }

    /// Is told that a cost was given back.
    fn tell_refunded(&mut self, cost: Tokens, now: u64) {
        let _ = (cost, now);
    }
}

impl<L: Listener> Waitable for Limiter<L> {
    fn parts(&mut self) -> (&Limits, &mut LimiterState) {
        self.parts_mut()
    }

    #[inline]
    fn tell(&mut self, allowed: bool, cost: Tokens, now: u64) {
        Limiter::tell(self, allowed, cost, now);
    }

    fn tell_refunded(&mut self, cost: Tokens, now: u64) {
        self.listener_mut().refunded(cost, now);
    }
}

impl Waitable for (&Limits, &mut LimiterState) {
    fn parts(&mut self) -> (&Limits, &mut LimiterState) {
        (self.0, self.1)
    }
}
