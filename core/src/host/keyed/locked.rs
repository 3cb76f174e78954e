//! Keys that are locked together, for decisions over several subjects.

use alloc::borrow::ToOwned;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::sync::atomic::Ordering;
use std::sync::MutexGuard;

use hashbrown::DefaultHashBuilder;

use super::shard::Shard;
use super::{KeyedLimiter, SEARCH, Shared, TIDY, TooManyKeys, lock};
use crate::Tokens;
use crate::host::joint::Subject;
use crate::host::limits::Limits;
use crate::host::state::LimiterState;

/// Keys of one [`KeyedLimiter`] that nobody else can use meanwhile, and what they are asked for: made
/// by [`KeyedLimiter::lock_keys`].
///
/// What was done to them is there for others once this is dropped.
pub struct LockedKeys<'l, K: Hash + Eq, S: BuildHasher = DefaultHashBuilder> {
    limiter: &'l KeyedLimiter<K, S>,
    /// In the order of their numbers, which is that of locking.
    shards: Vec<(usize, MutexGuard<'l, Shard<K>>)>,
    shared: Option<MutexGuard<'l, Shared>>,
    states: Vec<Taken<K>>,
    now: u64,
}

/// The state of a key, or of several that have the same, for the time it is locked.
struct Taken<K> {
    home: Home<K>,
    limits: Arc<Limits>,
    state: LimiterState,
    /// The first of the keys that have it.
    first: usize,
    /// What all of them are asked for.
    cost: u64,
}

/// Where a state is put back to.
enum Home<K> {
    Kept {
        hash: u64,
        key: K,
    },
    New {
        hash: u64,
        key: K,
        fresh: LimiterState,
    },
    Shared,
}

impl<K: Hash + Eq, S: BuildHasher> KeyedLimiter<K, S> {
    /// Locks keys, each with the cost it is asked for, to decide about them together with other keys
    /// and limiters. Use this limiter in no other way until they are dropped.
    ///
    /// Where keys of several keyed limiters are locked at once, lock these limiters in the same order
    /// everywhere, or two threads may wait for each other. The order of the keys does not matter. A
    /// key that is given twice is asked for both costs together.
    ///
    /// ```
    /// use tokenweir::{KeyedLimiter, Limiter, Limits, Tokens, TooManyKeys, decide_all};
    ///
    /// let mut everybody = Limiter::new(Limits::parse("1000/s")?, 0);
    /// let accounts = KeyedLimiter::<String>::new(Limits::parse("2/min")?, 10_000);
    /// let mut transfer = |from: &str, to: &str| {
    ///     let mut keys = accounts.lock_keys(&[(from, Tokens::ONE), (to, Tokens::ONE)], 0)?;
    ///     let mut subjects = keys.subjects();
    ///     subjects.push(everybody.subject(Tokens::ONE));
    ///     Ok::<_, TooManyKeys>(decide_all(&mut subjects, 0).decision.allowed)
    /// };
    /// assert!(transfer("alice", "bob")?);
    /// assert!(transfer("bob", "carol")?);
    /// assert!(!transfer("carol", "bob")?);
    /// assert_eq!(accounts.peek("carol", Tokens::ONE, 0)?.remaining, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TooManyKeys`] if one of them is new and has no room under [`Overflow::Deny`]; nothing is
    /// locked then. Under [`Overflow::Share`] those without room have one state.
    ///
    /// [`Overflow::Deny`]: crate::Overflow::Deny
    /// [`Overflow::Share`]: crate::Overflow::Share
    pub fn lock_keys<Q>(
        &self,
        keys: &[(&Q, Tokens)],
        now: u64,
    ) -> Result<LockedKeys<'_, K, S>, TooManyKeys>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let hashed: Vec<_> = keys
            .iter()
            .map(|&(key, cost)| (self.hasher.hash_one(key), key, cost))
            .collect();
        let mut locked = self.lock_shards(&hashed, now);
        if locked.take(&hashed).is_empty() {
            return Ok(locked);
        }
        // One may have become idle in another shard. To look there, none can stay locked.
        locked.give_up();
        drop(locked);
        self.evict_idle(SEARCH, now);
        let mut locked = self.lock_shards(&hashed, now);
        let without_room = locked.take(&hashed);
        if !without_room.is_empty() && !locked.share(&without_room) {
            locked.give_up();
            return Err(TooManyKeys {
                max_keys: self.max_keys,
            });
        }
        Ok(locked)
    }

    fn lock_shards<Q: ?Sized>(&self, keys: &[(u64, &Q, Tokens)], now: u64) -> LockedKeys<'_, K, S> {
        let mut needed: Vec<_> = keys.iter().map(|(hash, ..)| self.index_of(*hash)).collect();
        needed.sort_unstable();
        needed.dedup();
        LockedKeys {
            limiter: self,
            shards: needed
                .into_iter()
                .filter_map(|index| Some((index, lock(self.shards.get(index)?))))
                .collect(),
            shared: None,
            states: Vec::new(),
            now,
        }
    }
}

impl<K: Hash + Eq, S: BuildHasher> LockedKeys<'_, K, S> {
    /// The keys as subjects of a decision, in their order; those that have the same state are one,
    /// where the first of them is.
    #[must_use]
    pub fn subjects(&mut self) -> Vec<Subject<'_>> {
        let states = self.states.iter_mut();
        states
            .map(|taken| {
                let cost = taken.cost();
                taken.state.subject(&taken.limits, cost)
            })
            .collect()
    }

    /// Which of the keys a subject is.
    #[must_use]
    pub fn key_of(&self, subject: usize) -> Option<usize> {
        self.states.get(subject).map(|taken| taken.first)
    }

    /// The limits of a subject.
    #[must_use]
    pub fn limits_of(&self, subject: usize) -> Option<&Arc<Limits>> {
        self.states.get(subject).map(|taken| &taken.limits)
    }

    /// The state of a subject.
    #[must_use]
    pub fn state_of(&self, subject: usize) -> Option<&LimiterState> {
        self.states.get(subject).map(|taken| &taken.state)
    }

    /// What a subject is asked for.
    #[must_use]
    pub fn cost_of(&self, subject: usize) -> Option<Tokens> {
        self.states.get(subject).map(Taken::cost)
    }

    /// Takes the states of the keys, and returns the place and the cost of those without room.
    fn take<Q>(&mut self, keys: &[(u64, &Q, Tokens)]) -> Vec<(usize, Tokens)>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let kept = keys.iter().all(|(hash, key, _)| {
            let shard = self.shard_of(*hash);
            shard.is_some_and(|shard| shard.find(*hash, *key).is_some())
        });
        if !kept {
            // Before any state is taken, so that none is given back that is.
            for (_, shard) in &mut self.shards {
                self.limiter.tidy(shard, TIDY, self.now);
            }
        }
        let mut without_room = Vec::new();
        for (place, (hash, key, cost)) in keys.iter().enumerate() {
            if let Some(taken) = self.states.iter_mut().find(|taken| taken.is_of(*key)) {
                taken.cost = taken.cost.saturating_add(cost.get());
                continue;
            }
            match self.state_for(*hash, *key) {
                Some((home, limits, state)) => self.states.push(Taken {
                    home,
                    limits,
                    state,
                    first: place,
                    cost: cost.get(),
                }),
                None => without_room.push((place, *cost)),
            }
        }
        without_room
    }

    /// A copy of the state of a key, or a new one if there is room.
    fn state_for<Q>(&mut self, hash: u64, key: &Q) -> Option<(Home<K>, Arc<Limits>, LimiterState)>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ToOwned<Owned = K> + ?Sized,
    {
        let (limiter, now) = (self.limiter, self.now);
        let shard = self.shard_of(hash)?;
        let limits = shard.limits();
        let owned = || key.to_owned();
        if let Some((_, state)) = shard.find(hash, key) {
            let state = state.clone();
            return Some((Home::Kept { hash, key: owned() }, limits, state));
        }
        limiter.take_place().then(|| {
            let state = LimiterState::new(&limits, now);
            let fresh = state.clone();
            let key = owned();
            (Home::New { hash, key, fresh }, limits, state)
        })
    }

    /// Has keys without room share one limiter; whether that is what they do.
    fn share(&mut self, keys: &[(usize, Tokens)]) -> bool {
        let (Some(overflow), Some((first, _))) = (&self.limiter.overflow, keys.first()) else {
            return false;
        };
        let shared = lock(overflow);
        let costs = keys.iter().map(|(_, cost)| cost.get());
        self.states.push(Taken {
            home: Home::Shared,
            limits: Arc::clone(&shared.limits),
            state: shared.state.clone(),
            first: *first,
            cost: costs.fold(0, u64::saturating_add),
        });
        self.states.sort_by_key(|taken| taken.first);
        self.shared = Some(shared);
        true
    }

    /// Forgets the states, as nothing was decided.
    fn give_up(&mut self) {
        for taken in self.states.drain(..) {
            if let Home::New { .. } = taken.home {
                self.limiter.len.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    fn shard_of(&mut self, hash: u64) -> Option<&mut Shard<K>> {
        let index = self.limiter.index_of(hash);
        let mut shards = self.shards.iter_mut();
        let (_, shard) = shards.find(|(shard, _)| *shard == index)?;
        Some(shard)
    }
}

impl<K: Hash + Eq, S: BuildHasher> Drop for LockedKeys<'_, K, S> {
    fn drop(&mut self) {
        let now = self.now;
        for taken in core::mem::take(&mut self.states) {
            let (limits, state) = (taken.limits, taken.state);
            match taken.home {
                Home::Kept { hash, key } => {
                    let shard = self.shard_of(hash);
                    if let Some((_, kept)) = shard.and_then(|shard| shard.find(hash, &key)) {
                        *kept = state;
                    }
                }
                // As a new one that is only looked at.
                Home::New { fresh, .. } if state == fresh && state.is_as_new(&limits, now) => {
                    self.limiter.len.fetch_sub(1, Ordering::Relaxed);
                }
                Home::New { hash, key, .. } => {
                    let limiter = self.limiter;
                    if let Some(shard) = self.shard_of(hash) {
                        shard.insert(hash, key, state, |key| limiter.hasher.hash_one(key));
                    }
                }
                Home::Shared => {
                    if let Some(shared) = &mut self.shared {
                        shared.state = state;
                    }
                }
            }
        }
    }
}

impl<K> Taken<K> {
    /// More than any limit has is as much as can be asked for.
    fn cost(&self) -> Tokens {
        Tokens::new(self.cost).unwrap_or(Tokens::MAX)
    }

    fn is_of<Q: Eq + ?Sized>(&self, wanted: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        match &self.home {
            Home::Kept { key, .. } | Home::New { key, .. } => key.borrow() == wanted,
            Home::Shared => false,
        }
    }
}

impl<K: Hash + Eq, S: BuildHasher> fmt::Debug for LockedKeys<'_, K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LockedKeys")
            .field("limiter", self.limiter)
            .field("subjects", &self.states.len())
            .finish_non_exhaustive()
    }
}
