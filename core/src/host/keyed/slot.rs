//! A key and its state.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::TokensInheritance;
use crate::host::limits::Limits;
use crate::host::state::LimiterState;

/// What is kept of one key.
#[derive(Debug)]
pub(super) struct Slot<K> {
    pub(super) key: K,
    pub(super) state: LimiterState,
    /// How many replacements of the limits the state has been through.
    pub(super) generation: usize,
}

/// Limits that were replaced, how and when.
#[derive(Debug)]
pub(super) struct Replaced {
    pub(super) limits: Arc<Limits>,
    pub(super) inheritance: TokensInheritance,
    pub(super) at: u64,
}

/// The limits in force and those before them.
#[derive(Debug)]
pub(super) struct Generations {
    pub(super) current: Arc<Limits>,
    pub(super) replaced: Vec<Replaced>,
}

impl<K> Slot<K> {
    /// Brings the state up to date with replacements since it was last used, as of their instants.
    #[inline]
    pub(super) fn catch_up(&mut self, generations: &Generations) {
        if self.generation < generations.replaced.len() {
            self.catch_up_now(generations);
        }
    }

    #[cold]
    fn catch_up_now(&mut self, generations: &Generations) {
        let news = generations.replaced.iter().map(|old| &old.limits).skip(1);
        let news = news.chain([&generations.current]);
        let steps = generations.replaced.iter().zip(news).skip(self.generation);
        for (old, new) in steps {
            self.state = self
                .state
                .replaced(&old.limits, new, old.inheritance, old.at);
        }
        self.generation = generations.replaced.len();
    }
}
