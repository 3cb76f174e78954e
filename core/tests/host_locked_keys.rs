//! Keys of a keyed limiter in decisions over several subjects.
#![cfg(feature = "std")]

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread;

use tokenweir::{
    JointDecision, KeyedLimiter, Limiter, Limits, Overflow, Tokens, TokensInheritance, decide_all,
};

const HOUR: u64 = 3_600_000_000_000;

fn limits(text: &str) -> Limits {
    Limits::parse(text).expect("limits")
}

fn tokens(n: u64) -> Tokens {
    Tokens::new(n).expect("tokens")
}

fn decide(limiter: &KeyedLimiter<u64>, keys: &[(u64, u64)], now: u64) -> Option<JointDecision> {
    let asked: Vec<_> = keys.iter().map(|(key, n)| (key, tokens(*n))).collect();
    let mut locked = limiter.lock_keys(&asked, now).ok()?;
    Some(decide_all(&mut locked.subjects(), now))
}

fn left(limiter: &KeyedLimiter<u64>, key: u64, now: u64) -> u64 {
    limiter
        .peek(&key, Tokens::ONE, now)
        .expect("room")
        .remaining
}

#[test]
fn a_key_that_has_too_little_leaves_the_others_untouched() {
    let keyed = KeyedLimiter::new(limits("10/h"), 100);
    let mut everybody = Limiter::new(limits("1000/h"), 0);
    let mut call = |a: u64, b: u64| {
        let mut locked = keyed
            .lock_keys(&[(&1, tokens(a)), (&2, tokens(b))], 0)
            .expect("room");
        let mut subjects = locked.subjects();
        subjects.push(everybody.subject(Tokens::ONE));
        let joint = decide_all(&mut subjects, 0);
        drop(subjects);
        (
            joint.decision.allowed,
            joint.subject,
            locked.key_of(joint.subject),
        )
    };
    assert_eq!(call(6, 8), (true, 1, Some(1)));
    assert_eq!(call(1, 3), (false, 1, Some(1)));
    assert_eq!(call(5, 1), (false, 0, Some(0)));
    assert_eq!(call(4, 2), (true, 0, Some(0)));
    assert_eq!((left(&keyed, 1, 0), left(&keyed, 2, 0)), (0, 0));
    assert_eq!(everybody.available(0), 998);
}

#[test]
fn new_keys_that_are_refused_take_no_place() {
    let keyed = KeyedLimiter::new(limits("2/h"), 3);
    let refused = decide(&keyed, &[(1, 1), (2, 3)], 0).expect("room");
    assert!(!refused.decision.allowed);
    assert!(keyed.is_empty());
    assert!(
        decide(&keyed, &[(1, 1), (2, 2)], 0)
            .expect("room")
            .decision
            .allowed
    );
    assert_eq!(keyed.len(), 2);
}

#[test]
fn a_key_that_is_given_twice_is_asked_for_both_costs() {
    let keyed = KeyedLimiter::new(limits("10/h"), 100);
    let refused = decide(&keyed, &[(1, 6), (2, 1), (1, 5)], 0).expect("room");
    assert_eq!((refused.decision.allowed, refused.subject), (false, 0));
    let granted = decide(&keyed, &[(1, 6), (2, 1), (1, 4)], 0).expect("room");
    assert_eq!((granted.decision.allowed, granted.subject), (true, 0));
    assert_eq!((left(&keyed, 1, 0), left(&keyed, 2, 0)), (0, 9));
    // Costs that no limiter has, and that no number has.
    let never = decide(&keyed, &[(3, Tokens::MAX.get()), (3, Tokens::MAX.get())], 0);
    assert!(never.expect("room").decision.never());
}

#[test]
fn without_room_nothing_is_decided_and_no_place_is_lost() {
    let keyed = KeyedLimiter::new(limits("2/h"), 2);
    assert!(decide(&keyed, &[(1, 1)], 0).expect("room").decision.allowed);
    assert_eq!(decide(&keyed, &[(2, 1), (3, 1)], 0), None);
    assert_eq!((keyed.len(), left(&keyed, 1, 0)), (1, 1));
    assert!(
        decide(&keyed, &[(2, 1), (1, 1)], 0)
            .expect("room")
            .decision
            .allowed
    );
    // Wherever a key belongs, one that is idle makes room for it, also in another part of the table.
    for key in 3..100 {
        let now = key * HOUR;
        let granted = decide(&keyed, &[(key, 1)], now).expect("room");
        assert!(granted.decision.allowed);
        assert!(keyed.len() <= 2);
    }
}

#[test]
fn keys_without_room_share_one_limiter_and_their_costs_add_up() {
    let keyed = KeyedLimiter::new(limits("5/h"), 1).with_overflow(Overflow::Share, 0);
    assert!(keyed.try_acquire(&1, Tokens::ONE, 0));
    let refused = decide(&keyed, &[(2, 3), (1, 1), (3, 3)], 0).expect("they share");
    assert_eq!((refused.decision.allowed, refused.subject), (false, 0));
    let granted = decide(&keyed, &[(1, 1), (2, 3), (3, 2)], 0).expect("they share");
    assert_eq!((granted.decision.allowed, granted.subject), (true, 1));
    assert!(!keyed.try_acquire(&4, Tokens::ONE, 0));
    assert_eq!((keyed.len(), left(&keyed, 1, 0)), (1, 3));
}

#[test]
fn limits_that_were_replaced_are_those_a_key_is_asked_under() {
    let keyed = KeyedLimiter::new(limits("10/h"), 100);
    assert!(decide(&keyed, &[(1, 4)], 0).expect("room").decision.allowed);
    keyed.update(limits("20/h"), TokensInheritance::Additive, 0);
    let locked = keyed.lock_keys(&[(&1, Tokens::ONE)], 0).expect("room");
    assert_eq!(
        locked.limits_of(0).map(|limits| limits.to_string()),
        Some("20/h".into())
    );
    assert_eq!((locked.limits_of(1), locked.key_of(1)), (None, None));
    drop(locked);
    assert!(
        decide(&keyed, &[(1, 16)], 0)
            .expect("room")
            .decision
            .allowed
    );
}

#[test]
fn keys_decide_as_limiters_of_their_own_would() {
    let keyed = KeyedLimiter::new(limits("7/s; cycle 20/3s"), 1_000);
    let mut alone: HashMap<u64, Limiter> = HashMap::new();
    let mut random = 7_u64;
    let mut draw = |below: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % below
    };
    let mut granted = 0;
    // Cycles are counted from the first use of a key.
    for key in 0..6 {
        alone.insert(key, Limiter::new(limits("7/s; cycle 20/3s"), 0));
        assert!(keyed.try_acquire(&key, Tokens::ONE, 0));
        assert!(
            alone
                .get_mut(&key)
                .expect("a limiter")
                .try_acquire(Tokens::ONE, 0)
        );
    }
    for step in 1..2_000_u64 {
        let now = step * 50_000_000;
        let first = draw(6);
        let keys = [
            (first, 1 + draw(4)),
            ((first + 1 + draw(5)) % 6, 1 + draw(4)),
        ];
        let ours = decide(&keyed, &keys, now).expect("room");
        let mut pair: Vec<_> = keys
            .iter()
            .map(|(key, _)| alone.remove(key).expect("a limiter"))
            .collect();
        let mut subjects: Vec<_> = pair
            .iter_mut()
            .zip(keys)
            .map(|(limiter, (_, n))| limiter.subject(tokens(n)))
            .collect();
        let theirs = decide_all(&mut subjects, now);
        drop(subjects);
        assert_eq!(ours, theirs, "step {step}: {keys:?}");
        granted += u32::from(theirs.decision.allowed);
        alone.extend(keys.iter().map(|(key, _)| *key).zip(pair));
    }
    assert!((100..1_900).contains(&granted), "{granted}");
}

#[test]
fn threads_that_lock_keys_in_any_order_get_exactly_the_limit() {
    const KEYS: u64 = 8;
    const EACH: u64 = 1_000;
    let keyed = KeyedLimiter::new(limits("1000/h"), 100);
    let taken = Mutex::new([0_u64; KEYS as usize]);
    thread::scope(|scope| {
        for turn in 0..4_u64 {
            let (keyed, taken) = (&keyed, &taken);
            scope.spawn(move || {
                let mut mine = [0_u64; KEYS as usize];
                for step in 0..8 * EACH {
                    let (a, b) = ((step * (turn + 1)) % KEYS, (step + 1 + turn) % KEYS);
                    let keys = if turn % 2 == 0 {
                        [(a, 1), (b, 1)]
                    } else {
                        [(b, 1), (a, 1)]
                    };
                    let joint = decide(keyed, &keys, 0).expect("room");
                    if joint.decision.allowed {
                        mine[a as usize] += 1;
                        mine[b as usize] += 1;
                    }
                }
                let mut taken = taken.lock().expect("no panic");
                for (sum, mine) in taken.iter_mut().zip(mine) {
                    *sum += mine;
                }
            });
        }
    });
    for (key, taken) in (0..).zip(taken.into_inner().expect("no panic")) {
        assert_eq!(left(&keyed, key, 0), EACH - taken, "key {key}");
    }
    let empty = (0..KEYS).filter(|key| left(&keyed, *key, 0) == 0).count();
    assert!(empty > 0, "the limit was never reached");
}
