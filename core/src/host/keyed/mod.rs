//! One limiter for each of many keys.

mod locked;
mod shard;
mod slot;
mod too_many_keys;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::borrow::Borrow;
use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashbrown::DefaultHashBuilder;

use super::decision::Decision;
use super::limits::Limits;
use super::state::LimiterState;
use crate::{Overflow, Tokens, TokensInheritance};
pub use locked::LockedKeys;
use shard::Shard;
pub use too_many_keys::TooManyKeys;

/// A limiter for each key, all under the same limits: per client, per user, per tenant.
///
/// Shared by `&self` between threads; a decision locks the part of the table that its key is in, and
/// takes the same time however many keys there are.
///
/// # Memory
///
/// At most `max_keys` keys are kept. Each takes the size of the key and 49 bytes in a hash table that
/// is between 7/16 and 7/8 full; several limits add 24 bytes on the heap for each bandwidth and 32 for
/// each cycle. A key whose limits are all full says
/// nothing that a new one would not, so it is given back: each new key looks at a few others
/// for that, and [`KeyedLimiter::evict_idle`] does so whenever you like. A key that has used
/// anything is never given up for another, so that rotating keys cannot buy a fresh burst. Limits
/// that do not start full (with initial tokens of their own or an adaptive share) keep every key.
/// Cycles and intervals of a key that was given back begin anew with its next call, as those of any new
/// key do; aligned ones are the same for all keys.
///
/// Where all `max_keys` are in use, a new key is refused, or shares one further limiter with all
/// others that find no room: [`Overflow`] says which.
///
/// ```
/// use tokenweir::{KeyedLimiter, Limits, Tokens};
///
/// let limiter = KeyedLimiter::new(Limits::parse("2/min")?, 10_000);
/// assert!(limiter.try_acquire("alice", Tokens::new(2)?, 0));
/// assert!(!limiter.try_acquire("alice", Tokens::ONE, 0));
/// assert!(limiter.try_acquire("bob", Tokens::ONE, 0));
/// assert_eq!(limiter.len(), 2);
/// # let _: &KeyedLimiter<String> = &limiter;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KeyedLimiter<K, S = DefaultHashBuilder> {
    shards: Box<[Mutex<Shard<K>>]>,
    hasher: S,
    max_keys: usize,
    /// How many keys there are in all shards, or are about to be.
    len: AtomicUsize,
    /// Which shard is looked through next where there is no room.
    hand: AtomicUsize,
    overflow: Option<Mutex<Shared>>,
}

/// The limiter of all keys without room.
struct Shared {
    limits: Arc<Limits>,
    state: LimiterState,
}

/// How many keys a new one looks at to give them back.
const TIDY: usize = 4;
/// How many it looks at where there is no room otherwise.
const SEARCH: usize = 64;

impl<K: Hash + Eq> KeyedLimiter<K> {
    /// Limiters for at most `max_keys` keys, at least 1.
    #[must_use]
    pub fn new(limits: Limits, max_keys: usize) -> Self {
        Self::with_hasher(limits, max_keys, DefaultHashBuilder::default())
    }
}

impl<K: Hash + Eq, S: BuildHasher> KeyedLimiter<K, S> {
    /// As [`KeyedLimiter::new`], with a hash function of your choice: it must be seeded where
    /// strangers choose the keys.
    #[must_use]
    pub fn with_hasher(limits: Limits, max_keys: usize, hasher: S) -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let shards = threads.saturating_mul(4).next_power_of_two();
        let limits = Arc::new(limits);
        Self {
            shards: (0..shards)
                .map(|_| Mutex::new(Shard::new(Arc::clone(&limits))))
                .collect(),
            hasher,
            max_keys: max_keys.max(1),
            len: AtomicUsize::new(0),
            hand: AtomicUsize::new(0),
            overflow: None,
        }
    }

    /// This limiter with another policy for keys that find no room.
    #[must_use]
    pub fn with_overflow(mut self, overflow: Overflow, now: u64) -> Self {
        self.overflow = match overflow {
            Overflow::Deny => None,
            Overflow::Share => {
                let limits = self.limits();
                let state = LimiterState::new(&limits, now);
                Some(Mutex::new(Shared { limits, state }))
            }
        };
        self
    }

    /// Takes `cost` from every limit of the key if all have it; otherwise nothing changes. A new
    /// key without room is refused.
    #[must_use]
    #[inline]
    pub fn try_acquire<Q>(&self, key: &Q, cost: Tokens, now: u64) -> bool
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        self.with(key, now, |limits, state| {
            state.try_acquire(limits, cost, now)
        })
        .unwrap_or(false)
    }

    /// As [`KeyedLimiter::try_acquire`], with the numbers of the limit that decided.
    ///
    /// # Errors
    ///
    /// [`TooManyKeys`] for a new key without room under [`Overflow::Deny`].
    pub fn check<Q>(&self, key: &Q, cost: Tokens, now: u64) -> Result<Decision, TooManyKeys>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        self.with(key, now, |limits, state| state.check(limits, cost, now))
    }

    /// Whether [`KeyedLimiter::check`] would allow the cost, and the numbers as they are; nothing
    /// changes, and a new key is not kept.
    ///
    /// # Errors
    ///
    /// As [`KeyedLimiter::check`].
    pub fn peek<Q>(&self, key: &Q, cost: Tokens, now: u64) -> Result<Decision, TooManyKeys>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        self.with(key, now, |limits, state| state.peek(limits, cost, now))
    }

    /// Runs several operations on the state of one key, with the limits in force, under one lock.
    ///
    /// ```
    /// use tokenweir::{KeyedLimiter, Limits, Tokens};
    ///
    /// let limiter = KeyedLimiter::<u64>::new(Limits::parse("5/s")?, 100);
    /// let cost = Tokens::new(8)?;
    /// let reservation = limiter.with(&7, 0, |limits, state| {
    ///     state.reserve(limits, cost, 1_000_000_000, 0)
    /// })?;
    /// assert_eq!(reservation?.wait(), 600_000_000);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`KeyedLimiter::check`]; then what was done is undone.
    pub fn with<Q, R>(
        &self,
        key: &Q,
        now: u64,
        run: impl FnOnce(&Limits, &mut LimiterState) -> R,
    ) -> Result<R, TooManyKeys>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        let mut shard = self.shard_of(hash);
        if let Some((limits, state)) = shard.find(hash, key) {
            return Ok(run(limits, state));
        }
        if self.has_room(&mut shard, now) {
            return Ok(self.admit(&mut shard, hash, key, now, run));
        }
        drop(shard);
        self.without_room(hash, key, now, run)
    }

    /// Gives `tokens` back to every limit of the key, up to its quota; a key that is not kept is
    /// full.
    pub fn refund<Q>(&self, key: &Q, tokens: Tokens, now: u64)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        if let Some((limits, state)) = self.shard_of(hash).find(hash, key) {
            state.refund(limits, tokens, now);
        }
    }

    /// Forgets the key: it starts anew.
    pub fn reset<Q>(&self, key: &Q)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        if self.shard_of(hash).remove(hash, key) {
            self.len.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Replaces the limits of all keys; what becomes of what each has left is for `inheritance` to
    /// say.
    ///
    /// Each key is brought up to date, as of `now`, when it is next used, so that this takes a moment
    /// that does not grow with the number of keys; but every 16th time it goes through all of them.
    pub fn update(&self, limits: Limits, inheritance: TokensInheritance, now: u64) {
        let limits = Arc::new(limits);
        for shard in &self.shards {
            lock(shard).update(Arc::clone(&limits), inheritance, now);
        }
        if let Some(overflow) = &self.overflow {
            let mut shared = lock(overflow);
            shared.state = shared
                .state
                .replaced(&shared.limits, &limits, inheritance, now);
            shared.limits = limits;
        }
    }

    /// Looks at up to `steps` keys, going on where the last call ended, and gives back those that are
    /// as good as new; returns how many that were.
    ///
    /// Call it now and then where memory should follow the traffic down; nothing depends on it.
    pub fn evict_idle(&self, steps: usize, now: u64) -> usize {
        let mut evicted = 0_usize;
        let mut left = steps;
        for _ in 0..self.shards.len() {
            let index = self.hand.fetch_add(1, Ordering::Relaxed);
            let Some(shard) = self.shards.get(index & self.mask()) else {
                break;
            };
            let (looked, found) = self.tidy(&mut lock(shard), left, now);
            evicted = evicted.saturating_add(found);
            left = left.saturating_sub(looked);
            if left == 0 {
                break;
            }
        }
        evicted
    }

    /// How many keys are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Whether no key is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest number of keys that are kept.
    #[must_use]
    pub const fn max_keys(&self) -> usize {
        self.max_keys
    }

    /// The limits in force.
    #[must_use]
    pub fn limits(&self) -> Arc<Limits> {
        self.shard_of(0).limits()
    }

    /// Makes room for one key, of which the count then knows.
    fn has_room(&self, shard: &mut Shard<K>, now: u64) -> bool {
        self.tidy(shard, TIDY, now);
        self.take_place()
    }

    /// Counts a key that is about to be kept, if there is room.
    fn take_place(&self) -> bool {
        self.len
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |len| {
                (len < self.max_keys).then(|| len.saturating_add(1))
            })
            .is_ok()
    }

    /// Runs the operations on a new key, for which there is room, and keeps it if they did anything.
    fn admit<Q, R>(
        &self,
        shard: &mut Shard<K>,
        hash: u64,
        key: &Q,
        now: u64,
        run: impl FnOnce(&Limits, &mut LimiterState) -> R,
    ) -> R
    where
        Q: ToOwned<Owned = K> + ?Sized,
    {
        let limits = shard.limits();
        let mut state = LimiterState::new(&limits, now);
        let before = state.clone();
        let result = run(&limits, &mut state);
        if state == before && state.is_as_new(&limits, now) {
            // Refused, or only looked at: a new one will do as well.
            self.len.fetch_sub(1, Ordering::Relaxed);
        } else {
            shard.insert(hash, key.to_owned(), state, |key| self.hasher.hash_one(key));
        }
        result
    }

    /// A new key where all places are in use: one may have become idle in another shard.
    #[cold]
    fn without_room<Q, R>(
        &self,
        hash: u64,
        key: &Q,
        now: u64,
        run: impl FnOnce(&Limits, &mut LimiterState) -> R,
    ) -> Result<R, TooManyKeys>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let found = self.evict_idle(SEARCH, now) > 0;
        let mut shard = self.shard_of(hash);
        // Another thread may have brought the key in meanwhile.
        if let Some((limits, state)) = shard.find(hash, key) {
            return Ok(run(limits, state));
        }
        if found && self.has_room(&mut shard, now) {
            return Ok(self.admit(&mut shard, hash, key, now, run));
        }
        drop(shard);
        match &self.overflow {
            Some(overflow) => {
                let shared = &mut *lock(overflow);
                Ok(run(&shared.limits, &mut shared.state))
            }
            None => Err(TooManyKeys {
                max_keys: self.max_keys,
            }),
        }
    }

    fn tidy(&self, shard: &mut Shard<K>, steps: usize, now: u64) -> (usize, usize) {
        let (looked, evicted) = shard.evict_idle(steps, now);
        if evicted > 0 {
            self.len.fetch_sub(evicted, Ordering::Relaxed);
        }
        (looked, evicted)
    }

    /// The shards' number is a power of two.
    fn mask(&self) -> usize {
        self.shards.len().wrapping_sub(1)
    }

    #[inline]
    fn shard_of(&self, hash: u64) -> MutexGuard<'_, Shard<K>> {
        #[expect(clippy::indexing_slicing, reason = "the mask keeps it in range")]
        lock(&self.shards[self.index_of(hash)])
    }

    /// The table of a shard goes by the lowest bits of the hash and by the highest seven.
    #[inline]
    fn index_of(&self, hash: u64) -> usize {
        (hash >> 40) as usize & self.mask()
    }
}

impl<K, S> fmt::Debug for KeyedLimiter<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedLimiter")
            .field("len", &self.len)
            .field("max_keys", &self.max_keys)
            .finish_non_exhaustive()
    }
}

/// A panic of a caller's `run` leaves a state that is still a state.
#[inline]
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
