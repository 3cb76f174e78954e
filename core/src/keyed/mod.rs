//! One limit for each of a fixed number of keys.

mod due;
pub(crate) mod outcome;
pub(crate) mod state;
mod table;

use core::hash::Hash;

use heapless::binary_heap::{BinaryHeap, Min};

use crate::{Overflow, Wait};
use due::Due;
use outcome::KeyedOutcome;
use state::{Instant, KeyedState};
use table::Table;

/// A limiter with a state for each key, at most `N` at a time, and one configuration.
///
/// `N` goes from 1 to 65 534; another number does not compile. All memory is in the value itself: each
/// place has room for a key, a state, an instant, and three numbers of 16 bits.
///
/// ```
/// use core::num::NonZeroU32;
/// use tokenweir::{Bandwidth, Keyed, KeyedOutcome, TinyConfig, TinyState, Overflow, checked};
///
/// // Each of up to 16 nodes may send 2 packets at once, and one each 1000 ms.
/// const LIMIT: TinyConfig = checked!(TinyConfig::new(checked!(Bandwidth::greedy(2, 1, 1_000))));
/// let mut nodes = Keyed::<u16, TinyState, 16>::new(LIMIT, Overflow::Deny);
///
/// let one = NonZeroU32::MIN;
/// assert_eq!(nodes.try_take(&0x1001, one, 0), KeyedOutcome::Granted);
/// assert_eq!(nodes.try_take(&0x1001, one, 0), KeyedOutcome::Granted);
/// assert_eq!(nodes.try_take(&0x1001, one, 0), KeyedOutcome::Refused);
/// assert_eq!(nodes.try_take(&0x1002, one, 0), KeyedOutcome::Granted);
/// ```
///
/// # Which keys have a place
///
/// A key takes a place with its first grant and is known from then on. A place is given to another
/// key only when that is needed and its state is *idle*: it holds all that a new state would hold, so
/// that its key loses and gains nothing by being forgotten. A depleted state is never given up:
/// going through many keys buys no fresh burst. Where no place is free or idle, [`Overflow`] decides.
///
/// # What it costs
///
/// Asking for a known key is one look-up in a hash map, O(1) on average and O(N) for keys chosen to
/// collide. A new key that finds all places taken looks at the place that is idle next, kept on top
/// of a heap. A place that was used since it came there is put back further down, which each use
/// can cause at most once: O(log N) for each call in the long run, and an idle place is always found.
///
/// # 32-bit clocks
///
/// With [`TinyState`](crate::TinyState)s, call [`Keyed::release`] at least once within 2³¹ ticks: it
/// touches the states that nobody asks for, by giving them up.
#[derive(Clone, Debug)]
pub struct Keyed<K, S: KeyedState, const N: usize> {
    config: S::Config,
    overflow: Overflow,
    states: Table<K, S, N>,
    /// One entry for each known key, with an instant that is not later than that from which its
    /// state is idle.
    due: BinaryHeap<Due<S::Instant>, Min, N>,
    /// What keys without a place share, from when it is first needed.
    shared: Option<S>,
}

impl<K: Eq + Hash + Clone, S: KeyedState, const N: usize> Keyed<K, S, N> {
    /// A limiter that knows no key yet.
    #[must_use]
    pub const fn new(config: S::Config, overflow: Overflow) -> Self {
        Self {
            config,
            overflow,
            states: Table::new(),
            due: BinaryHeap::new(),
            shared: None,
        }
    }

    /// Takes `n` for `key` if its state has that much at `now`; otherwise takes nothing.
    #[inline]
    pub fn try_take(&mut self, key: &K, n: S::Amount, now: S::Instant) -> KeyedOutcome {
        match self.states.get_mut(key) {
            Some(state) => KeyedOutcome::of(state.try_take(&self.config, n, now)),
            None => self.try_take_first(key, n, now),
        }
    }

    /// How long until [`Keyed::try_take`] would grant what it refuses now, if nobody else takes any.
    ///
    /// For a new key without a place: until there is one, and then a new state decides.
    pub fn wait(&mut self, key: &K, n: S::Amount, now: S::Instant) -> Wait {
        if let Some(state) = self.states.get(key) {
            return state.wait_for(&self.config, n, now);
        }
        let wait = S::first_seen(&self.config, now).wait_for(&self.config, n, now);
        let to_place = self.time_to_place(now);
        if to_place.is_none() || wait == Wait::Never {
            return wait;
        }
        match (self.overflow, &self.shared) {
            (Overflow::Deny, _) => to_place,
            (Overflow::Share, Some(shared)) => shared.wait_for(&self.config, n, now),
            (Overflow::Share, None) => wait,
        }
    }

    /// Gives up all states that are idle at `now`; returns how many that were.
    ///
    /// Needed only for states with a 32-bit clock, or to see how many keys are in use.
    pub fn release(&mut self, now: S::Instant) -> usize {
        let before = self.states.len();
        for _ in 0..before {
            if !self.settle(now).is_none() {
                break;
            }
            self.give_up();
        }
        let idle = |state: &S| state.time_to_idle(&self.config, now).is_none();
        if self.shared.as_ref().is_some_and(idle) {
            self.shared = None;
        }
        before.saturating_sub(self.states.len())
    }

    /// The state of a known key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&S> {
        self.states.get(key)
    }

    /// How many keys are known, idle ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether no key is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.len() == 0
    }

    /// The configuration that the keys share.
    #[must_use]
    pub const fn config(&self) -> &S::Config {
        &self.config
    }

    /// Takes for a key that is not known.
    fn try_take_first(&mut self, key: &K, n: S::Amount, now: S::Instant) -> KeyedOutcome {
        let mut state = S::first_seen(&self.config, now);
        let granted = state.try_take(&self.config, n, now);
        let to_idle = state.time_to_idle(&self.config, now);
        if to_idle.is_none() {
            // As a state that would be made the next time: nothing has to be remembered.
            return KeyedOutcome::of(granted);
        }
        if self.time_to_place(now).is_none() {
            if self.states.is_full() {
                self.give_up();
            }
            if let Some(place) = self.states.insert(key.clone(), state) {
                let at = now.after(to_idle);
                // There is room: one entry for each place.
                let _ = self.due.push(Due { at, place });
                return KeyedOutcome::of(granted);
            }
        }
        match self.overflow {
            Overflow::Deny => KeyedOutcome::NoRoom,
            Overflow::Share => {
                let first_seen = || S::first_seen(&self.config, now);
                let shared = self.shared.get_or_insert_with(first_seen);
                KeyedOutcome::of(shared.try_take(&self.config, n, now))
            }
        }
    }

    /// How long until there is a place for a new key.
    fn time_to_place(&mut self, now: S::Instant) -> Wait {
        if self.states.is_full() {
            self.settle(now)
        } else {
            Wait::NONE
        }
    }

    /// Brings the state that is idle first to the top of the heap, and returns how long until it is.
    fn settle(&mut self, now: S::Instant) -> Wait {
        let mut to_idle = Wait::Never;
        // Each round but the last puts a state that was used since it came to the top further down.
        for _ in 0..=self.due.len() {
            let Some(top) = self.due.peek() else {
                return Wait::Never;
            };
            let Some(state) = self.states.at(top.place) else {
                return Wait::NONE;
            };
            to_idle = state.time_to_idle(&self.config, now);
            let at = now.after(to_idle);
            if to_idle.is_none() || at.order(top.at).is_eq() {
                return to_idle;
            }
            if let Some(mut top) = self.due.peek_mut() {
                top.at = at;
            }
        }
        to_idle
    }

    /// Gives up the state on top of the heap.
    fn give_up(&mut self) {
        if let Some(due) = self.due.pop() {
            self.states.remove(due.place);
        }
    }
}
