//! A place for each key: who gets one, who keeps it, and what finding one costs.

use std::cell::Cell;
use std::collections::HashMap;
use std::num::NonZeroU32;

use proptest::prelude::*;
use tokenweir::{
    Bandwidth, BucketConfig, BucketState, CycleConfig, CycleState, Keyed, KeyedOutcome, KeyedState,
    Overflow, Permits, TinyConfig, TinyState, Tokens, Wait,
};

use KeyedOutcome::{Granted, NoRoom, Refused};

fn bucket(capacity: u64, tokens: u64, period: u64) -> BucketConfig<1> {
    Bandwidth::greedy(capacity, tokens, period).unwrap().into()
}

fn tokens(n: u64) -> Tokens {
    Tokens::new(n).unwrap()
}

/// A state for every key there ever was.
struct Unlimited<S: KeyedState> {
    config: S::Config,
    states: HashMap<u8, S>,
}

impl<S: KeyedState + Copy> Unlimited<S> {
    fn new(config: S::Config) -> Self {
        let states = HashMap::new();
        Self { config, states }
    }

    fn is_idle(&self, state: &S, now: S::Instant) -> bool {
        state.time_to_idle(&self.config, now).is_none()
    }

    /// What a keyed limiter of `places` places must answer.
    fn try_take(&mut self, places: usize, key: u8, n: S::Amount, now: S::Instant) -> KeyedOutcome {
        let known = self.states.get(&key).copied();
        let before = known.unwrap_or_else(|| S::first_seen(&self.config, now));
        let mut after = before;
        let granted = after.try_take(&self.config, n, now);
        if self.is_idle(&before, now) && !self.is_idle(&after, now) {
            let others = self.states.iter().filter(|(other, _)| **other != key);
            if others
                .filter(|(_, state)| !self.is_idle(state, now))
                .count()
                >= places
            {
                return NoRoom;
            }
        }
        self.states.insert(key, after);
        if granted { Granted } else { Refused }
    }
}

fn calls() -> impl Strategy<Value = Vec<(u8, u32, u32)>> {
    let ticks = prop_oneof![4 => 0..3_u32, 2 => 0..40_u32, 1 => 0..1_000_u32];
    prop::collection::vec((0..12_u8, 1..5_u32, ticks), 1..200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_few_places_decide_as_one_for_every_key(calls in calls(), capacity in 1..4_u64) {
        let config = bucket(capacity, 1, 10);
        let mut keyed = Keyed::<u8, BucketState<1>, 4>::new(config, Overflow::Deny);
        let mut unlimited = Unlimited::<BucketState<1>>::new(config);
        let mut now = 0;
        for (key, n, ticks) in calls {
            now += u64::from(ticks);
            let n = tokens(n.into());
            let wait = keyed.wait(&key, n, now);
            let outcome = keyed.try_take(&key, n, now);
            prop_assert_eq!(outcome, unlimited.try_take(4, key, n, now));
            match wait {
                Wait::NONE => prop_assert_eq!(outcome, Granted),
                Wait::Never => prop_assert_eq!(outcome, Refused),
                Wait::Ticks(wait) => {
                    let at = |now| keyed.clone().try_take(&key, n, now).is_granted();
                    prop_assert!(!outcome.is_granted() && !at(now + wait - 1) && at(now + wait));
                }
            }
        }
    }

    #[test]
    fn states_of_32_bits_decide_the_same_over_wraps(calls in calls(), start in any::<u32>()) {
        let config = TinyConfig::new(Bandwidth::greedy(2, 1, 10).unwrap()).unwrap();
        let mut keyed = Keyed::<u8, TinyState, 4>::new(config, Overflow::Deny);
        let mut unlimited = Unlimited::<TinyState>::new(config);
        let mut now = start;
        for (round, (key, n, ticks)) in calls.into_iter().enumerate() {
            now = now.wrapping_add(ticks);
            if round % 16 == 15 {
                // As long as a counter of 32 bits allows, and looked after at its end.
                now = now.wrapping_add((1 << 31) - 20_000);
                let known = keyed.len();
                prop_assert_eq!(keyed.release(now), known);
                unlimited.states.values_mut().for_each(|state| state.touch(now));
            }
            let n = NonZeroU32::new(n).unwrap();
            prop_assert_eq!(
                keyed.try_take(&key, n, now),
                unlimited.try_take(4, key, n, now)
            );
        }
    }

    #[test]
    fn aligned_cycles_decide_the_same(calls in calls()) {
        let config = CycleConfig::new(2, 50).unwrap().aligned_to(7);
        let mut keyed = Keyed::<u8, CycleState, 4>::new(config, Overflow::Deny);
        let mut unlimited = Unlimited::<CycleState>::new(config);
        let mut now = 0;
        for (key, n, ticks) in calls {
            now += u64::from(ticks);
            let n = Permits::new(n.into()).unwrap();
            prop_assert_eq!(
                keyed.try_take(&key, n, now),
                unlimited.try_take(4, key, n, now)
            );
        }
    }

    #[test]
    fn the_shared_state_is_all_that_further_keys_get(calls in calls()) {
        let config = bucket(2, 1, 10);
        let mut keyed = Keyed::<u8, BucketState<1>, 4>::new(config, Overflow::Share);
        let mut unlimited = Unlimited::<BucketState<1>>::new(config);
        let mut shared = None;
        let mut now = 0;
        for (key, n, ticks) in calls {
            now += u64::from(ticks);
            let n = tokens(n.into());
            let wait = keyed.wait(&key, n, now);
            let expected = match unlimited.try_take(4, key, n, now) {
                NoRoom => {
                    let shared = shared.get_or_insert_with(|| BucketState::new(&config, now));
                    if shared.try_consume(&config, n, now) { Granted } else { Refused }
                }
                outcome => outcome,
            };
            prop_assert_eq!(keyed.try_take(&key, n, now), expected);
            prop_assert_eq!(wait.is_none(), expected == Granted);
        }
    }
}

/// The report: with a small table, rotating keys bought a fresh token each time they came round.
#[test]
fn rotating_keys_get_their_own_token_and_no_more() {
    fn rotate<const N: usize>(overflow: Overflow) -> (usize, u32) {
        let hour = 3_600_000_u64;
        let config = bucket(1, 1, hour);
        let mut keyed = Keyed::<u16, BucketState<1>, N>::new(config, overflow);
        let mut granted = vec![0_u32; 1025];
        for now in (0..hour).step_by(400) {
            let key = (now / 400 % 1025) as u16;
            granted[usize::from(key)] +=
                u32::from(keyed.try_take(&key, Tokens::ONE, now).is_granted());
        }
        let of_keys = granted.iter().filter(|count| **count > 0).count();
        (of_keys, granted.into_iter().max().unwrap())
    }
    assert_eq!(rotate::<2048>(Overflow::Deny), (1025, 1));
    assert_eq!(rotate::<1024>(Overflow::Deny), (1024, 1));
    assert_eq!(rotate::<1024>(Overflow::Share), (1025, 1));
    assert_eq!(rotate::<16>(Overflow::Deny), (16, 1));
    assert_eq!(rotate::<2>(Overflow::Deny), (2, 1));
}

#[test]
fn waiting_on_one_key_never_delays_another() {
    let mut keyed = Keyed::<&str, BucketState<1>, 2>::new(bucket(1, 1, 100), Overflow::Deny);
    assert_eq!(keyed.try_take(&"a", Tokens::ONE, 0), Granted);
    assert_eq!(keyed.try_take(&"a", Tokens::ONE, 50), Refused);
    assert_eq!(keyed.wait(&"b", Tokens::ONE, 50), Wait::NONE);
    assert_eq!(keyed.try_take(&"b", Tokens::ONE, 50), Granted);
    assert_eq!(keyed.wait(&"a", Tokens::ONE, 50), Wait::Ticks(50));
}

#[test]
fn a_state_with_initial_tokens_above_its_capacity_is_not_forgotten() {
    let limit = Bandwidth::greedy(2, 2, 10)
        .unwrap()
        .with_initial_tokens(5)
        .unwrap();
    let mut keyed = Keyed::<u8, BucketState<1>, 2>::new(limit.into(), Overflow::Deny);
    assert_eq!(keyed.try_take(&1, tokens(5), 0), Granted);
    assert_eq!(keyed.try_take(&2, tokens(1), 0), Granted);
    // Both are at capacity or above, but would have 5 again if they were forgotten.
    assert_eq!(keyed.try_take(&3, tokens(1), 1_000), NoRoom);
    assert_eq!(keyed.wait(&3, tokens(1), 1_000), Wait::Never);
    assert_eq!(keyed.try_take(&1, tokens(5), 1_000), Refused);
    assert_eq!(keyed.try_take(&1, tokens(2), 1_000), Granted);
}

#[test]
fn a_refused_new_key_takes_no_place() {
    let mut keyed =
        Keyed::<u8, CycleState, 2>::new(CycleConfig::new(2, 10).unwrap(), Overflow::Deny);
    let three = Permits::new(3).unwrap();
    for key in 0..5 {
        assert_eq!(keyed.try_take(&key, three, 0), Refused);
        assert_eq!(keyed.wait(&key, three, 0), Wait::Never);
    }
    assert!(keyed.is_empty());
    assert_eq!(keyed.try_take(&7, Permits::ONE, 0), Granted);
    assert_eq!(
        (keyed.len(), keyed.get(&7).is_some(), keyed.get(&0)),
        (1, true, None)
    );
    assert_eq!(keyed.release(9), 0);
    assert_eq!(keyed.release(10), 1);
    assert!(keyed.is_empty());
}

#[test]
fn the_shared_state_is_looked_after_as_well() {
    let config = TinyConfig::new(Bandwidth::greedy(1, 1, 1_000).unwrap()).unwrap();
    let mut keyed = Keyed::<u8, TinyState, 1>::new(config, Overflow::Share);
    let one = NonZeroU32::MIN;
    assert_eq!(keyed.try_take(&1, one, 0), Granted);
    assert_eq!(keyed.try_take(&2, one, 0), Granted);
    assert_eq!(keyed.try_take(&3, one, 999), Refused);
    // Half a lap, and another half: a state that nobody touched would look as if it were to come.
    assert_eq!(keyed.release(1 << 31), 1);
    let now = (1 << 31) + (1 << 30);
    assert_eq!(keyed.try_take(&1, one, now), Granted);
    assert_eq!(keyed.try_take(&2, one, now), Granted);
    assert_eq!(keyed.try_take(&3, one, now), Refused);
}

thread_local! {
    static INSPECTED: Cell<usize> = const { Cell::new(0) };
}

/// A bucket that counts how often it is asked whether it is idle.
#[derive(Clone, Copy)]
struct Watched(BucketState<1>);

impl KeyedState for Watched {
    type Config = BucketConfig<1>;
    type Amount = Tokens;
    type Instant = u64;

    fn first_seen(config: &Self::Config, now: u64) -> Self {
        Self(BucketState::new(config, now))
    }

    fn try_take(&mut self, config: &Self::Config, n: Tokens, now: u64) -> bool {
        self.0.try_consume(config, n, now)
    }

    fn wait_for(&self, config: &Self::Config, n: Tokens, now: u64) -> Wait {
        self.0.estimate(config, n, now).wait
    }

    fn time_to_idle(&self, config: &Self::Config, now: u64) -> Wait {
        INSPECTED.set(INSPECTED.get() + 1);
        self.0.time_to_full(config, now)
    }
}

#[test]
fn finding_a_place_does_not_look_at_all_of_them() {
    const PLACES: u64 = 1024;
    // Known keys, new ones, and the worst order of both: the place that would be idle next is used just
    // before a new key looks for it.
    let patterns: [fn(u64) -> u64; 4] = [
        |call| call,
        |call| call % (PLACES + 1),
        |call| {
            if call % 2 == 0 {
                call / 2 % PLACES
            } else {
                PLACES + call
            }
        },
        |call| (call * 7_919) % (2 * PLACES),
    ];
    for key in patterns {
        for ticks in [0, 1, 7] {
            INSPECTED.set(0);
            let config = bucket(10, 1, 100);
            let mut keyed = Keyed::<u64, Watched, { PLACES as usize }>::new(config, Overflow::Deny);
            let calls = 10 * PLACES;
            for call in 0..calls {
                let _ = keyed.try_take(&key(call), Tokens::ONE, call * ticks);
            }
            // A scan of all places for each call would be a thousand times as many.
            let inspected = INSPECTED.get() as u64;
            assert!(inspected <= 3 * calls, "{inspected} for {calls} calls");
        }
    }
}
