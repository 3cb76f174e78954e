//! When a state can be given up.

use core::cmp::Ordering;

use super::state::Instant;
use super::table::Place;

/// A place and an instant, ordered by the instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due<I> {
    pub(super) at: I,
    pub(super) place: Place,
}

impl<I: Instant> Ord for Due<I> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.order(other.at)
    }
}

impl<I: Instant> PartialOrd for Due<I> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<I: Instant> PartialEq for Due<I> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<I: Instant> Eq for Due<I> {}
