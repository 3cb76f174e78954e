//! Groups by number: limits and the states of the subjects they hold for.

use std::cell::RefCell;
use std::sync::Arc;

use tokenweir::{Bandwidth, FloatUnit, Limit, LimiterState, Limits, Rule, Tokens};

use crate::convert::{instant_at, tokens, tokens_at};
use crate::fault::{FAILED, Fault, outcome};
use crate::limits;
use crate::run::{RECORD, decision};
use crate::slab::Slab;
use crate::words::{NOW, NUMBER, RECORDS, RESULT, set_amount, word};

/// How many entries a new one looks at, to give up those that are as good as new.
const TIDY: usize = 4;
/// How many it looks at where there is no room otherwise.
const SEARCH: usize = 64;
/// There is no room for another entry.
const NO_ROOM: i32 = -2;

/// Limits and the states of their subjects.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) limits: Arc<Limits>,
    /// The bandwidth that they are, at hand for the hot path; if they are not one, another that it has
    /// no use for.
    single: Bandwidth,
    pub(crate) states: Slab<LimiterState, 1>,
    /// How often the limits have been replaced.
    pub(crate) generation: i64,
    /// The entry that is looked at next.
    hand: u32,
    /// Entries below this are never given up.
    pinned: u32,
}

/// Where a group is.
#[derive(Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "the usual one is to be at hand without a detour"
)]
pub(crate) enum Place {
    /// Of this thread.
    Own(Group),
    /// Of all threads of the process.
    #[cfg(feature = "shared")]
    Shared(Arc<std::sync::Mutex<Group>>),
}

/// As many groups as most programs have are where they are found at once.
type Groups = Slab<Place, 64>;

thread_local! {
    static GROUPS: RefCell<Groups> = const { RefCell::new(Slab::new()) };
}

/// A new group of these limits, without entries; the number word is 1 for a wall clock.
#[must_use]
pub fn group_new(limits: u32) -> i32 {
    outcome(Group::new(limits).map(|group| keep(Place::Own(group))))
}

/// Keeps a group for this thread.
pub(crate) fn keep(place: Place) -> i32 {
    GROUPS.with_borrow_mut(|slab| slab.insert(place))
}

/// Gives a group up.
pub fn group_drop(group: u32) {
    GROUPS.with_borrow_mut(|slab| slab.remove(group));
}

/// A new entry at the instant in the words; −2 if there is no room, for as many as the number word
/// says.
///
/// Entries that are as good as new are given up on the way, a few of those there are each time: their
/// numbers are left from the records on, and how many they are as a result. One that has used anything
/// is never given up for another, nor is one for which the word after the number is 1.
#[must_use]
pub fn entry_new(group: u32) -> i32 {
    with(group, |group| {
        let now = instant_at(NOW)?;
        let room = word(NUMBER) as usize;
        let mut evicted = group.tidy(TIDY, 0, now);
        if group.states.len() >= room {
            evicted = group.tidy(SEARCH, evicted, now);
        }
        set_amount(RESULT, evicted as i64);
        if group.states.len() >= room {
            return Ok(NO_ROOM);
        }
        let state = LimiterState::new(&group.limits, now);
        let entry = group.states.insert(state);
        if word(NUMBER + 1) == 1 {
            group.pinned = entry.cast_unsigned() + 1;
        }
        Ok(entry)
    })
}

/// Gives an entry up.
pub fn entry_drop(group: u32, entry: u32) {
    let _ = with(group, |group| {
        group.states.remove(entry);
        Ok(0)
    });
}

impl Group {
    /// A group of these limits; the number word is 1 for a wall clock.
    pub(crate) fn new(limits: u32) -> Result<Self, Fault> {
        let limits = limits::find(limits, Arc::clone)?;
        limits
            .check_clock(word(NUMBER) == 1)
            .map_err(|error| Fault::new("clock", error.code()))?;
        Ok(Self {
            single: single(&limits)?,
            limits,
            states: Slab::new(),
            generation: 0,
            hand: 0,
            pinned: 0,
        })
    }

    /// Takes other limits into use.
    pub(crate) fn set_limits(&mut self, limits: Arc<Limits>) -> Result<(), Fault> {
        self.single = single(&limits)?;
        self.limits = limits;
        self.generation = self.generation.wrapping_add(1);
        Ok(())
    }

    /// Looks at some entries and gives up those that are as good as new; returns how many have been
    /// since `evicted` was 0.
    fn tidy(&mut self, steps: usize, mut evicted: usize, now: u64) -> usize {
        for _ in 0..steps.min(self.states.places()) {
            if self.hand as usize >= self.states.places() {
                self.hand = 0;
            }
            let entry = self.hand;
            self.hand += 1;
            let state = self.states.get(entry);
            let is_idle = state.is_ok_and(|state| state.is_as_new(&self.limits, now));
            if is_idle && entry >= self.pinned {
                self.states.remove(entry);
                set_amount(RECORDS + evicted, entry.into());
                evicted += 1;
            }
        }
        evicted
    }
}

/// Takes `cost` if every limit has it, at `now` in milliseconds: 1 if it was taken, 0 if not, −1 for
/// arguments that are not the usual ones: then nothing was done, and [`run`](crate::run::run) looks at them.
#[inline]
#[must_use]
pub fn decide(group: u32, entry: u32, cost: i32, now: f64) -> i32 {
    let decided = tokens(cost)
        .ok()
        .and_then(|cost| GROUPS.with(|groups| decide_usual(groups, group, entry, cost, now)));
    decided.map_or(FAILED, i32::from)
}

/// As [`decide`] by entry 0 and of a cost of 1, which is what most calls ask for.
#[inline]
#[must_use]
pub fn decide_one(group: u32, now: f64) -> i32 {
    let decided = GROUPS.with(|groups| decide_usual(groups, group, 0, Tokens::ONE, now));
    decided.map_or(FAILED, i32::from)
}

#[inline(always)]
#[expect(
    unsafe_code,
    reason = "marking the borrow takes a tenth of the time that deciding does"
)]
fn decide_usual(
    groups: &RefCell<Groups>,
    group: u32,
    entry: u32,
    cost: Tokens,
    now: f64,
) -> Option<bool> {
    let now = FloatUnit::MILLIS.nearest(now).ok()?;
    groups.try_borrow_mut().ok()?;
    // SAFETY: nobody has it, and nothing that is called from here can reach it.
    let place = unsafe { &mut *groups.as_ptr() }.find(group)?;
    #[allow(
        irrefutable_let_patterns,
        reason = "there is one kind only without threads"
    )]
    if let Place::Own(Group { single, states, .. }) = place
        && let Some(state) = states.find(entry)
        && let usual @ Some(_) = state.try_acquire_usual(single, cost, now)
    {
        return usual;
    }
    place.decide(entry, cost, now)
}

impl Place {
    #[inline(always)]
    fn with<R>(&mut self, f: impl FnOnce(&mut Group) -> Result<R, Fault>) -> Result<R, Fault> {
        match self {
            Self::Own(group) => f(group),
            #[cfg(feature = "shared")]
            Self::Shared(group) => f(&mut group
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)),
        }
    }
}

/// The bandwidth that limits are, or one whose refill is not for the hot path.
fn single(limits: &Limits) -> Result<Bandwidth, Fault> {
    match limits.get(0).map(Limit::rule) {
        Some(Rule::Bandwidth(bandwidth)) if limits.len() == 1 => Ok(*bandwidth),
        _ => Ok(Bandwidth::interval(1, 1, 1)?),
    }
}

impl Place {
    /// Decides by limits of any kind.
    #[inline(never)]
    fn decide(&mut self, entry: u32, cost: Tokens, now: u64) -> Option<bool> {
        let decided = self.with(|group| {
            let state = group.states.get(entry)?;
            Ok(state.try_acquire(&group.limits, cost, now))
        });
        decided.ok()
    }

    /// The group, if it is this thread's alone: then it can wait in the middle of a decision.
    fn own(&mut self) -> Result<&mut Group, Fault> {
        match self {
            Self::Own(group) => Ok(group),
            #[cfg(feature = "shared")]
            Self::Shared(_) => Err(Fault::new("subjects", "shared_subject")),
        }
    }
}

/// One decision over as many entries as the number word says, each of a record: its group, its number
/// and the cost. Returns 1 if every one had it; leaves the decision and after it which entry made it.
#[must_use]
pub fn decide_all() -> i32 {
    let count = word(NUMBER) as usize;
    GROUPS.with_borrow_mut(|groups| outcome(decide_together(groups, count)))
}

fn decide_together(groups: &mut Groups, count: usize) -> Result<i32, Fault> {
    let now = instant_at(NOW)?;
    let record = |index| RECORDS + index * RECORD;
    // Each is taken out of its group for the moment, so that all can be changed at once.
    let mut taken = Vec::with_capacity(count);
    let mut decide = || {
        for index in 0..count {
            let at = record(index);
            let cost = tokens_at(at + 2)?;
            let (group, entry) = (word(at) as u32, word(at + 1) as u32);
            let found = groups.get(group)?.own()?;
            let state = found.states.lift(entry).ok_or_else(twice)?;
            taken.push((group, entry, Arc::clone(&found.limits), state, cost));
        }
        let mut subjects: Vec<_> = taken
            .iter_mut()
            .map(|(_, _, limits, state, cost)| state.subject(limits, *cost))
            .collect();
        Ok(tokenweir::decide_all(&mut subjects, now))
    };
    let result: Result<tokenweir::JointDecision, Fault> = decide();
    for (group, entry, _, state, _) in taken {
        groups.get(group)?.own()?.states.put_back(entry, state);
    }
    let joint = result?;
    set_amount(RESULT + 10, joint.subject as i64);
    Ok(decision(joint.decision))
}

#[cold]
fn twice() -> Fault {
    Fault::new("subjects", "duplicate_subject")
}

#[inline(always)]
pub(crate) fn with(group: u32, f: impl FnOnce(&mut Group) -> Result<i32, Fault>) -> i32 {
    GROUPS.with_borrow_mut(|slab| outcome(slab.get(group).and_then(|place| place.with(f))))
}
