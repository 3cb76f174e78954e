//! A part of the keys, under one lock.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::borrow::Borrow;

use hashbrown::HashTable;

use super::slot::{Generations, Replaced, Slot};
use crate::TokensInheritance;
use crate::host::limits::Limits;
use crate::host::state::LimiterState;

/// After how many replacements every key is brought up to date, to forget what was in force.
const GENERATIONS: usize = 15;

/// Keys of one shard, in a hash table.
#[derive(Debug)]
pub(super) struct Shard<K> {
    generations: Generations,
    table: HashTable<Slot<K>>,
    /// The place in the table that is looked at next for an idle key.
    hand: usize,
}

impl<K: Eq> Shard<K> {
    pub(super) const fn new(limits: Arc<Limits>) -> Self {
        Self {
            generations: Generations {
                current: limits,
                replaced: Vec::new(),
            },
            table: HashTable::new(),
            hand: 0,
        }
    }

    pub(super) fn limits(&self) -> Arc<Limits> {
        Arc::clone(&self.generations.current)
    }

    /// The state of a key that is kept, up to date, and the limits in force.
    #[inline]
    pub(super) fn find<Q>(&mut self, hash: u64, key: &Q) -> Option<(&Limits, &mut LimiterState)>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        let slot = self.table.find_mut(hash, |slot| slot.key.borrow() == key)?;
        slot.catch_up(&self.generations);
        Some((&self.generations.current, &mut slot.state))
    }

    /// Keeps a key that was not kept.
    pub(super) fn insert(
        &mut self,
        hash: u64,
        key: K,
        state: LimiterState,
        hasher: impl Fn(&K) -> u64,
    ) {
        let slot = Slot {
            key,
            state,
            generation: self.generations.replaced.len(),
        };
        self.table
            .insert_unique(hash, slot, |slot| hasher(&slot.key));
    }

    /// Forgets a key; whether it was kept.
    pub(super) fn remove<Q>(&mut self, hash: u64, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        let entry = self.table.find_entry(hash, |slot| slot.key.borrow() == key);
        entry.map(|entry| entry.remove()).is_ok()
    }

    pub(super) fn update(&mut self, limits: Arc<Limits>, inheritance: TokensInheritance, now: u64) {
        if self.table.is_empty() || self.generations.replaced.len() >= GENERATIONS {
            for slot in &mut self.table {
                slot.catch_up(&self.generations);
                slot.generation = 0;
            }
            self.generations.replaced.clear();
        }
        let old = core::mem::replace(&mut self.generations.current, limits);
        self.generations.replaced.push(Replaced {
            limits: old,
            inheritance,
            at: now,
        });
    }

    /// Looks at up to `steps` places of the table and removes the keys that are as good as new;
    /// returns how many were looked at and how many removed.
    pub(super) fn evict_idle(&mut self, steps: usize, now: u64) -> (usize, usize) {
        let places = self.table.num_buckets();
        if self.table.is_empty() {
            return (0, 0);
        }
        let looked = steps.min(places);
        let mut evicted = 0_usize;
        for _ in 0..looked {
            if self.hand >= places {
                self.hand = 0;
            }
            let place = self.hand;
            self.hand = place.saturating_add(1);
            let Some(slot) = self.table.get_bucket_mut(place) else {
                continue;
            };
            slot.catch_up(&self.generations);
            if slot.state.is_as_new(&self.generations.current, now)
                && let Ok(entry) = self.table.get_bucket_entry(place)
            {
                entry.remove();
                evicted = evicted.saturating_add(1);
            }
        }
        (looked, evicted)
    }
}
