//! A hash map of fixed size whose entries stay where they are.
//!
//! Chains of places, because an entry that stays where it is can be named by its number. And because
//! nothing here can panic, which the linker proves: heapless's own map has it in its removal.

use core::hash::Hash;

use hash32::{FnvHasher, Hasher as _};
use heapless::Vec;

/// The number of an entry.
pub(super) type Place = u16;

/// The end of a chain: the number of no entry.
const END: Place = Place::MAX;

#[derive(Clone, Debug)]
pub(super) struct Table<K, S, const N: usize> {
    /// The first entry of each chain; a key is in the chain of its hash.
    chains: [Place; N],
    entries: Vec<Entry<K, S>, N>,
    /// The first of the entries that are not in use.
    unused: Place,
    len: usize,
}

#[derive(Clone, Debug)]
struct Entry<K, S> {
    key: K,
    state: S,
    next: Place,
}

impl<K: Eq + Hash, S, const N: usize> Table<K, S, N> {
    pub(super) const fn new() -> Self {
        const {
            assert!(N > 0, "a keyed limiter needs at least one place");
            assert!(N < END as usize, "a keyed limiter has at most 65534 places");
        }
        Self {
            chains: [END; N],
            entries: Vec::new(),
            unused: END,
            len: 0,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) const fn is_full(&self) -> bool {
        self.len >= N
    }

    pub(super) fn get(&self, key: &K) -> Option<&S> {
        self.at(self.find(key)?)
    }

    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut S> {
        let place = self.find(key)?;
        self.entries
            .get_mut(usize::from(place))
            .map(|entry| &mut entry.state)
    }

    /// The state at a place that is in use.
    pub(super) fn at(&self, place: Place) -> Option<&S> {
        self.entries
            .get(usize::from(place))
            .map(|entry| &entry.state)
    }

    /// Puts a key that is not there at a place; `None` if all are in use.
    pub(super) fn insert(&mut self, key: K, state: S) -> Option<Place> {
        let chain = self.chains.get_mut(chain::<K, N>(&key))?;
        let next = *chain;
        let entry = Entry { key, state, next };
        let place = match self.entries.get_mut(usize::from(self.unused)) {
            Some(unused) => {
                let place = self.unused;
                self.unused = unused.next;
                *unused = entry;
                place
            }
            None => {
                let place = Place::try_from(self.entries.len()).ok()?;
                self.entries.push(entry).ok()?;
                place
            }
        };
        *chain = place;
        self.len = self.len.saturating_add(1);
        Some(place)
    }

    /// Takes a place out of use.
    pub(super) fn remove(&mut self, place: Place) {
        let Some(entry) = self.entries.get_mut(usize::from(place)) else {
            return;
        };
        let next = core::mem::replace(&mut entry.next, self.unused);
        let chain = chain::<K, N>(&entry.key);
        self.unused = place;
        self.len = self.len.saturating_sub(1);
        let Some(first) = self.chains.get_mut(chain) else {
            return;
        };
        if *first == place {
            *first = next;
            return;
        }
        let mut before = *first;
        while let Some(entry) = self.entries.get_mut(usize::from(before)) {
            if entry.next == place {
                entry.next = next;
                return;
            }
            before = entry.next;
        }
    }

    fn find(&self, key: &K) -> Option<Place> {
        let mut place = *self.chains.get(chain::<K, N>(key))?;
        loop {
            let entry = self.entries.get(usize::from(place))?;
            if entry.key == *key {
                return Some(place);
            }
            place = entry.next;
        }
    }
}

#[expect(
    clippy::arithmetic_side_effects,
    reason = "N is not 0, as the constructor checks at compile time"
)]
fn chain<K: Hash, const N: usize>(key: &K) -> usize {
    let mut hasher = FnvHasher::default();
    key.hash(&mut hasher);
    hasher.finish32() as usize % N
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::vec::Vec;

    use super::*;

    /// Keys that are all in one chain.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Colliding(u32);

    impl Hash for Colliding {
        fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
            state.write_u8(0);
        }
    }

    /// Inserts and removes in an order that comes to all positions of a chain.
    fn behaves_as_a_map<K: Eq + Hash + Copy + core::fmt::Debug>(key: fn(u32) -> K) {
        let mut table = Table::<K, u32, 7>::new();
        let mut known = HashMap::<u32, Place>::new();
        let mut random = 1_u32;
        for round in 0..5_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let number = (random >> 16) % 12;
            match known.remove(&number) {
                Some(place) => table.remove(place),
                None => match table.insert(key(number), round) {
                    Some(place) => {
                        *table.get_mut(&key(number)).unwrap() += number;
                        assert_eq!(table.at(place), Some(&(round + number)));
                        assert!(!known.values().any(|taken| *taken == place));
                        known.insert(number, place);
                    }
                    None => assert_eq!(known.len(), 7),
                },
            }
            assert_eq!(
                (table.len(), table.is_full()),
                (known.len(), known.len() == 7)
            );
            let found: Vec<_> = (0..12).filter(|n| table.get(&key(*n)).is_some()).collect();
            assert!(found.iter().all(|n| known.contains_key(n)));
            assert_eq!(found.len(), known.len());
        }
    }

    #[test]
    fn keys_are_found_as_long_as_they_are_there() {
        behaves_as_a_map(|number| number);
    }

    #[test]
    fn keys_that_collide_are_found_all_the_same() {
        behaves_as_a_map(Colliding);
    }
}
