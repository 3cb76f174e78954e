//! When a state can be given up.

use core::cmp::Ordering;

use super::state::Instant;

/// A key and an instant, ordered by the instant.
#[derive(Clone, Debug)]
pub(super) struct Due<K, I> {
    pub(super) at: I,
    pub(super) key: K,
}

impl<K, I> Due<K, I> {
    pub(super) const fn new(at: I, key: K) -> Self {
        Self { at, key }
    }
}

impl<K, I: Instant> Ord for Due<K, I> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.order(other.at)
    }
}

impl<K, I: Instant> PartialOrd for Due<K, I> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K, I: Instant> PartialEq for Due<K, I> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<K, I: Instant> Eq for Due<K, I> {}
