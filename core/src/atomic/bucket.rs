//! The token bucket in one atomic word.

use super::error::AtomicError;
use super::pace::Pace;
use super::word::{Word, const_fn};
use crate::{Bandwidth, Probe, Tokens, Wait};

/// A token bucket of one greedy bandwidth, shared by `&self`: lock-free, 8 bytes of state, for
/// threads and interrupt handlers, in a `static`.
///
/// ```
/// use tokenweir::{AtomicBucket, Bandwidth, TickRate, Tokens, Wait, checked};
///
/// // 30 a minute, 10 at once, in the ticks of a 32 768 Hz crystal.
/// const LIMIT: Bandwidth = checked!(Bandwidth::greedy(10, 30, 60 * 32_768));
/// // A limit that does not fit one word does not compile.
/// static LOG: AtomicBucket = checked!(AtomicBucket::new(LIMIT, 0));
///
/// assert!(LOG.try_consume(checked!(Tokens::new(10)), 0));
/// assert_eq!(LOG.wait(Tokens::ONE, 0), Wait::Ticks(65_536));
/// assert!(!LOG.try_consume(Tokens::ONE, 65_535));
/// assert!(LOG.try_consume(Tokens::ONE, 65_536));
/// ```
///
/// Its decisions are exactly those of a [`Bucket<1>`](crate::Bucket), whatever the order in which
/// callers arrive. It has no initial tokens above the capacity, no forced tokens and no debt.
///
/// # Readings that are late
///
/// A caller may be interrupted between its reading of the clock and its call. Such a reading, earlier
/// than one that the bucket has seen, never grants more: tokens refilled since are not there yet, and
/// the wait counts the lag. A `Bucket<1>` that has tokens left grants them nevertheless; in all else
/// the two agree.
///
/// # The horizon
///
/// The word holds an instant in units of 1/*r* of a tick, *r* being the tokens of the rate in lowest
/// terms: 1 for 1000 a second in nanoseconds, 7 for 7 a second. It wraps, which limits two things
/// and no others; an instant may be any `u64`.
///
/// | | ticks | nanoseconds, *r* = 1 | *r* = 441 (44 100 a second) |
/// |---|---|---|---|
/// | [`max_idle`](Self::max_idle): a full bucket left untouched | (⅞ × 2⁶⁴ − time to fill) / *r* | 511 years | 1.1 years |
/// | [`max_lag`](Self::max_lag): how late a reading may be | 2⁶¹ / *r* | 73 years | 60 days |
///
/// Each granted call touches the bucket, and [`touch`](Self::touch) does nothing else. A bucket left
/// for longer is safe: it refuses, for at most `max_lag` and the time to fill. To a reading that is
/// later than `max_lag` the bucket appears full: it grants its burst, not more.
///
/// # Targets
///
/// Where a target has 64-bit atomics, there is nothing to choose. Elsewhere the *final binary* chooses
/// how [`portable-atomic`] makes them, by a dependency of its own; a library must not, since only
/// the binary knows how many cores there are and who may disable interrupts. Without a choice, the
/// feature `atomic` is a compile error.
///
/// | target | in the final binary |
/// |---|---|
/// | x86-64, AArch64, riscv64, wasm32 | nothing |
/// | thumbv6m, thumbv7m, thumbv7em, thumbv8m, riscv32: one core, privileged | `features = ["unsafe-assume-single-core"]` |
/// | thumbv6m, riscv32imc: several cores (RP2040), or unprivileged under an RTOS | `features = ["critical-section"]`, and an implementation of it |
/// | thumbv7m, thumbv7em, thumbv8m.main, riscv32imac: several cores | `features = ["unsafe-assume-privileged"]` |
///
/// All with `portable-atomic`'s default features. On the last row's targets the default features *alone*
/// compile too, and use a spin lock: good for threads, but an interrupt handler that meets it locked
/// never returns. [`AtomicBucket::IS_LOCK_FREE`] tells; a firmware can insist on it:
///
/// ```
/// const { assert!(tokenweir::AtomicBucket::IS_LOCK_FREE) };
/// ```
///
/// [`portable-atomic`]: https://docs.rs/portable-atomic/latest/portable_atomic/#optional-features
#[doc(alias = "GCRA")]
#[doc(alias = "lock-free")]
#[derive(Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct AtomicBucket {
    word: Word,
    pace: Pace,
}

impl AtomicBucket {
    /// Whether no caller ever waits for another: false where `portable-atomic` uses a lock or a
    /// critical section that may take one.
    pub const IS_LOCK_FREE: bool = Word::IS_LOCK_FREE;

    const_fn! {
        /// A new bucket at `now`, with the initial tokens of the bandwidth.
        ///
        /// # Errors
        ///
        /// An [`AtomicError`] if the refill is not greedy, if there are more initial tokens than the
        /// capacity, if it takes more than 2⁶² / *r* ticks to fill, or if [`max_idle`] is below
        /// 2⁴⁵ ticks (9.8 hours in nanoseconds).
        ///
        /// ```
        /// use tokenweir::{AtomicBucket, Bandwidth, TickRate};
        ///
        /// // 1 a day with a burst of a million: in nanoseconds 2700 years to fill, in microseconds fine.
        /// let daily = |rate: TickRate| Bandwidth::greedy(1_000_000, 1, 86_400 * rate.hz());
        /// let error = AtomicBucket::new(daily(TickRate::NANOS)?, 0).unwrap_err();
        /// assert_eq!(error.code(), "atomic_capacity_too_large");
        /// assert!(AtomicBucket::new(daily(TickRate::MICROS)?, 0).is_ok());
        /// # Ok::<(), tokenweir::BandwidthError>(())
        /// ```
        ///
        /// [`max_idle`]: Self::max_idle
        pub fn new(limit: Bandwidth, now: u64) -> Result<Self, AtomicError> {
            match Pace::new(&limit, now) {
                Ok((pace, word)) => Ok(Self {
                    word: Word::new(word),
                    pace,
                }),
                Err(error) => Err(error),
            }
        }
    }

    /// Takes `n` tokens if they are there; otherwise takes none and writes nothing.
    #[must_use]
    #[inline]
    pub fn try_consume(&self, n: Tokens, now: u64) -> bool {
        let Some(due) = self.pace.due(n) else {
            return false;
        };
        let now = self.pace.instant(now);
        self.word
            .update(move |word| self.pace.taken(word, now, due))
    }

    /// As [`AtomicBucket::try_consume`], with what is left, the wait and the time to full, all of the
    /// same moment. Unlike it, this divides.
    ///
    /// ```
    /// use tokenweir::{AtomicBucket, Bandwidth, Tokens, Wait};
    ///
    /// // 3 tokens each 10 ticks: one takes 3⅓ ticks, a wait is rounded up.
    /// let bucket = AtomicBucket::new(Bandwidth::greedy(3, 3, 10)?.with_initial_tokens(0)?, 0)?;
    /// let probe = bucket.try_consume_with_probe(Tokens::ONE, 1);
    /// assert_eq!((probe.consumed, probe.remaining), (false, 0));
    /// assert_eq!((probe.wait, probe.reset), (Wait::Ticks(3), Wait::Ticks(9)));
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn try_consume_with_probe(&self, n: Tokens, now: u64) -> Probe {
        let instant = self.pace.instant(now);
        let due = self.pace.due(n);
        let mut after = 0;
        let consumed = self.word.update(|word| {
            let next = due.and_then(|due| self.pace.taken(word, instant, due));
            after = next.unwrap_or(word);
            next
        });
        Probe {
            consumed,
            remaining: self.pace.available(after, instant),
            wait: match due {
                _ if consumed => Wait::NONE,
                Some(due) => self.pace.wait(after, instant, due),
                None => Wait::Never,
            },
            reset: self.pace.time_to_full(after, instant),
        }
    }

    /// Takes the tokens there are, at most `most`, and returns how many that were.
    ///
    /// [`Tokens::MAX`] takes all. Unlike the other operations it divides.
    ///
    /// ```
    /// use tokenweir::{AtomicBucket, Bandwidth, Tokens};
    ///
    /// let bucket = AtomicBucket::new(Bandwidth::greedy(10, 1, 5)?, 0)?;
    /// assert_eq!(bucket.consume_up_to(Tokens::new(8)?, 0), 8);
    /// assert_eq!(bucket.consume_up_to(Tokens::new(8)?, 4), 2);
    /// assert_eq!(bucket.consume_up_to(Tokens::MAX, 4), 0);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use = "fewer tokens than asked for may have been taken"]
    pub fn consume_up_to(&self, most: Tokens, now: u64) -> u64 {
        let now = self.pace.instant(now);
        let mut taken = 0;
        self.word.update(|word| {
            taken = self.pace.available(word, now).min(most.get());
            let due = self.pace.due(Tokens::new(taken).ok()?)?;
            self.pace.taken(word, now, due)
        });
        taken
    }

    /// Gives `n` tokens back, up to the capacity.
    ///
    /// ```
    /// use tokenweir::{AtomicBucket, Bandwidth, Tokens};
    ///
    /// let bucket = AtomicBucket::new(Bandwidth::greedy(10, 1, 5)?, 0)?;
    /// assert!(bucket.try_consume(Tokens::new(6)?, 0));
    /// bucket.add(Tokens::new(4)?, 0);
    /// assert_eq!(bucket.available(0), 8);
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[doc(alias = "refund")]
    pub fn add(&self, n: Tokens, now: u64) {
        let now = self.pace.instant(now);
        self.word.update(|word| self.pace.added(word, now, n.get()));
    }

    /// Fills the bucket to its capacity. If `now` is late, it is full when the clock is back at the
    /// latest reading the bucket has seen.
    pub fn reset(&self, now: u64) {
        let now = self.pace.instant(now);
        self.word
            .update(|word| self.pace.added(word, now, u64::MAX));
    }

    /// Starts the horizon anew; changes nothing else.
    ///
    /// Needed only where nobody asks for longer than [`max_idle`](Self::max_idle).
    pub fn touch(&self, now: u64) {
        let now = self.pace.instant(now);
        self.word.update(|word| self.pace.touched(word, now));
    }

    /// The tokens there are now, rounded down.
    #[must_use]
    pub fn available(&self, now: u64) -> u64 {
        self.pace.available(self.word.get(), self.pace.instant(now))
    }

    /// How long until `n` tokens are there if nobody takes any, in ticks, rounded up; never for more
    /// than the capacity.
    #[must_use]
    pub fn wait(&self, n: Tokens, now: u64) -> Wait {
        match self.pace.due(n) {
            Some(due) => self.pace.wait(self.word.get(), self.pace.instant(now), due),
            None => Wait::Never,
        }
    }

    /// How long until the bucket is full, in ticks, rounded up.
    #[must_use]
    pub fn time_to_full(&self, now: u64) -> Wait {
        self.pace
            .time_to_full(self.word.get(), self.pace.instant(now))
    }

    /// The largest number of tokens the refill leads to.
    #[must_use]
    pub const fn capacity(&self) -> u64 {
        self.pace.capacity()
    }

    /// How long a full bucket may stay untouched, in ticks; at least 2⁴⁵.
    #[must_use]
    pub const fn max_idle(&self) -> u64 {
        self.pace.max_idle()
    }

    /// How much earlier than the latest one a reading may be, in ticks.
    #[must_use]
    pub const fn max_lag(&self) -> u64 {
        self.pace.max_lag()
    }
}
