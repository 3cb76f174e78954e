//! Being told of what a limiter decides.

use core::fmt;

use super::acquire;
use super::decision::Decision;
use super::limits::Limits;
use super::slots::Slots;
use crate::{Tokens, TokensInheritance};

/// Is told what a [`Limiter`](crate::Limiter) decides. Each method does nothing unless written.
///
/// A limiter without one has `()`, which costs nothing.
///
/// ```
/// use tokenweir::{Decided, Limiter, Limits, Listener, Tokens, Wait};
///
/// #[derive(Default)]
/// struct Log(Vec<String>);
///
/// impl Listener for Log {
///     fn refused(&mut self, event: &Decided<'_>) {
///         let decision = event.decision();
///         let name = event.limits().name(decision.scope);
///         self.0.push(format!("{name} refused {}: {}", event.cost(), decision.retry_after));
///     }
/// }
///
/// let limits = Limits::parse("api: 10/s")?;
/// let mut limiter = Limiter::new(limits, 0).with_listener(Log::default());
/// assert!(limiter.try_acquire(Tokens::new(8)?, 0));
/// assert!(!limiter.try_acquire(Tokens::new(3)?, 0));
/// assert_eq!(limiter.listener().0, ["api refused 3: 100000000 ticks"]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
pub trait Listener {
    /// A cost was taken: at once, ahead of time or whether it was there or not.
    fn allowed(&mut self, event: &Decided<'_>) {
        let _ = event;
    }

    /// A cost was refused.
    fn refused(&mut self, event: &Decided<'_>) {
        let _ = event;
    }

    /// Tokens were given back, or a reservation was cancelled.
    fn refunded(&mut self, tokens: Tokens, now: u64) {
        let _ = (tokens, now);
    }

    /// The limits were replaced by these.
    fn replaced(&mut self, limits: &Limits, inheritance: TokensInheritance, now: u64) {
        let _ = (limits, inheritance, now);
    }
}

/// Nobody is told.
impl Listener for () {}

impl<L: Listener + ?Sized> Listener for &mut L {
    fn allowed(&mut self, event: &Decided<'_>) {
        (**self).allowed(event);
    }

    fn refused(&mut self, event: &Decided<'_>) {
        (**self).refused(event);
    }

    fn refunded(&mut self, tokens: Tokens, now: u64) {
        (**self).refunded(tokens, now);
    }

    fn replaced(&mut self, limits: &Limits, inheritance: TokensInheritance, now: u64) {
        (**self).replaced(limits, inheritance, now);
    }
}

/// A decision that was made. What is not asked for is not worked out.
#[derive(Clone, Copy)]
pub struct Decided<'a> {
    allowed: bool,
    cost: Tokens,
    now: u64,
    limits: &'a Limits,
    slots: Slots<'a>,
}

impl<'a> Decided<'a> {
    pub(crate) const fn new(
        allowed: bool,
        cost: Tokens,
        now: u64,
        limits: &'a Limits,
        slots: Slots<'a>,
    ) -> Self {
        Self {
            allowed,
            cost,
            now,
            limits,
            slots,
        }
    }

    /// Tells the listener of it.
    pub(crate) fn tell(&self, listener: &mut (impl Listener + ?Sized)) {
        if self.allowed {
            listener.allowed(self);
        } else {
            listener.refused(self);
        }
    }

    /// What was asked for.
    #[must_use]
    pub const fn cost(&self) -> Tokens {
        self.cost
    }

    /// When, in nanoseconds.
    #[must_use]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// The limits that decided.
    #[must_use]
    pub const fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// The numbers of the limit that decided, as [`Limiter::check`](crate::Limiter::check) gives
    /// them.
    ///
    /// A reservation that was refused because it would have to wait too long has the wait of the same
    /// cost taken at once; one that was granted needs no other.
    pub fn decision(&self) -> Decision {
        if self.allowed {
            acquire::granted(self.limits, self.slots, self.now)
        } else {
            acquire::refused(self.limits, self.slots, self.cost, self.now)
        }
    }
}

impl fmt::Debug for Decided<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decided")
            .field("allowed", &self.allowed)
            .field("cost", &self.cost)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}
