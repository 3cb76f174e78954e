//! The tries of one call.

use crate::Wait;

use super::{Backoff, GiveUp};

/// Where one call stands: how many retries were made and how long the next interval is.
///
/// Plain data, to be kept for the time of the call and passed with its [`Backoff`].
///
/// ```
/// use tokenweir::Wait;
/// use tokenweir::backoff::{Backoff, Ratio, Retry};
///
/// let backoff = Backoff::exponential(100, Ratio::whole(2))?.with_max_retries(2);
/// let mut retry = Retry::new(&backoff);
/// assert_eq!(retry.next_delay(&backoff, 0, 0, Wait::NONE), Ok(100));
/// assert_eq!(retry.next_delay(&backoff, 100, 0, Wait::NONE), Ok(200));
/// let refused = retry.next_delay(&backoff, 300, 0, Wait::NONE).unwrap_err();
/// assert_eq!(refused.code(), "retries_exhausted");
/// # Ok::<(), tokenweir::backoff::BackoffError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Retry {
    retries: u32,
    interval: u64,
}

impl Retry {
    /// Before the first retry.
    #[must_use]
    pub const fn new(backoff: &Backoff) -> Self {
        Self {
            retries: 0,
            interval: backoff.first(),
        }
    }

    /// How long to wait before the next try, in ticks, at least 1.
    ///
    /// `elapsed` is the time since the first try, `random` 64 random bits, `retry_after` the wait
    /// the server asked for: [`Wait::NONE`] if it did not, or not in a way that could be read. The
    /// delay is never shorter than that, and never longer than needed for it.
    ///
    /// # Errors
    ///
    /// [`GiveUp`], checked in this order: the retries are used up, the server asks for too much
    /// (or for [`Wait::Never`]), the time is used up. Nothing changes then.
    pub const fn next_delay(
        &mut self,
        backoff: &Backoff,
        elapsed: u64,
        random: u64,
        retry_after: Wait,
    ) -> Result<u64, GiveUp> {
        match backoff.max_retries {
            Some(max_retries) if self.retries >= max_retries => {
                return Err(GiveUp::RetriesExhausted { max_retries });
            }
            _ => {}
        }
        let longest = match backoff.longest_retry_after {
            Some(longest) => longest,
            None => u64::MAX,
        };
        let asked = match retry_after {
            Wait::Ticks(asked) if asked <= longest => asked,
            _ => {
                return Err(GiveUp::RetryAfterTooLong {
                    retry_after,
                    longest,
                });
            }
        };
        let own = backoff.jittered(self.interval, random);
        let delay = if own < asked { asked } else { own };
        let needed = elapsed.saturating_add(delay);
        match backoff.budget {
            Some(budget) if needed > budget => {
                return Err(GiveUp::BudgetExhausted { needed, budget });
            }
            _ => {}
        }
        self.retries = self.retries.saturating_add(1);
        self.interval = backoff.after(self.interval);
        Ok(delay)
    }

    /// How many retries were planned so far.
    #[must_use]
    pub const fn retries(&self) -> u32 {
        self.retries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backoff::{Jitter, Ratio};

    #[test]
    fn a_refusal_to_go_on_changes_nothing() {
        let backoff = Backoff::fixed(10)
            .unwrap()
            .with_budget(100)
            .with_longest_retry_after(50);
        let mut retry = Retry::new(&backoff);
        assert_eq!(retry.next_delay(&backoff, 0, 0, Wait::NONE), Ok(10));
        let before = retry;
        let mut refused = |elapsed, wait| {
            retry
                .next_delay(&backoff, elapsed, 0, wait)
                .map_err(|e| e.code())
        };
        assert_eq!(refused(0, Wait::Never), Err("retry_after_too_long"));
        assert_eq!(refused(0, Wait::Ticks(51)), Err("retry_after_too_long"));
        assert_eq!(refused(91, Wait::NONE), Err("retry_budget_exhausted"));
        assert_eq!(refused(u64::MAX, Wait::NONE), Err("retry_budget_exhausted"));
        assert_eq!(retry, before);
        // Both bounds are inclusive.
        assert_eq!(retry.next_delay(&backoff, 50, 0, Wait::Ticks(50)), Ok(50));
    }

    #[test]
    fn jitter_stays_below_the_maximum_and_does_not_end_there() {
        let backoff = Backoff::exponential(1_000, Ratio::whole(2))
            .unwrap()
            .with_max(5_000)
            .unwrap()
            .with_jitter(Jitter::Randomized {
                factor: Ratio::new(1, 2).unwrap(),
            })
            .unwrap();
        let delays: std::vec::Vec<_> = (0..4)
            .map(|quarter| backoff.jittered(5_000, quarter << 62))
            .collect();
        assert_eq!(delays, [2_500, 3_125, 3_750, 4_375]);
        assert_eq!(backoff.jittered(5_000, u64::MAX), 5_000);
    }
}
