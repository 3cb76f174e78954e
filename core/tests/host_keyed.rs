//! The rules of limiters for many keys.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use tokenweir::{KeyedLimiter, Limits, Overflow, Tokens, TokensInheritance, Wait};

const HOUR: u64 = 3_600_000_000_000;

fn limiter(text: &str, max_keys: usize) -> KeyedLimiter<u64> {
    KeyedLimiter::new(Limits::parse(text).expect("limits"), max_keys)
}

#[test]
fn two_keys_never_share_a_bucket() {
    let limiter = limiter("1/h", 100_000);
    for key in 0..50_000 {
        assert!(limiter.try_acquire(&key, Tokens::ONE, 0), "key {key}");
    }
    for key in 0..50_000 {
        assert!(!limiter.try_acquire(&key, Tokens::ONE, 0), "key {key}");
    }
    assert_eq!(limiter.len(), 50_000);
}

#[test]
fn rotating_keys_get_one_each_whatever_the_room_is() {
    for max_keys in [1, 2, 100, 1_024, 1_025, 5_000] {
        let limiter = limiter("1/h", max_keys);
        let mut granted = vec![0; 1_025];
        for round in 0..5_u64 {
            for (key, granted) in (0..).zip(&mut granted) {
                let now = round * 1_025 + key;
                *granted += u32::from(limiter.try_acquire(&key, Tokens::ONE, now));
            }
        }
        assert!(
            granted.iter().all(|count| *count <= 1),
            "{max_keys}: {granted:?}"
        );
        let keys = granted.iter().filter(|count| **count == 1).count();
        assert_eq!(keys, max_keys.min(1_025), "{max_keys}");
        assert_eq!(limiter.len(), keys);
    }
}

#[test]
fn a_key_that_is_full_again_makes_room_for_a_new_one() {
    let limiter = limiter("1/h", 1_000);
    for key in 0..1_000 {
        assert!(limiter.try_acquire(&key, Tokens::ONE, 0));
    }
    assert!(limiter.check(&1_000, Tokens::ONE, HOUR - 1).is_err());
    // A few looks may be needed to find an idle one, but each new key looks.
    for key in 1_000..2_000 {
        let mut tries = 0;
        while !limiter.try_acquire(&key, Tokens::ONE, HOUR) {
            tries += 1;
            assert!(tries < 100, "key {key}: no room with idle keys there");
        }
    }
    assert_eq!(limiter.len(), 1_000);
}

#[test]
fn without_room_a_new_key_is_refused_by_an_error_of_its_own() {
    let limiter = limiter("2/h", 2);
    for key in [1, 2] {
        assert!(limiter.try_acquire(&key, Tokens::ONE, 0));
    }
    let error = limiter.check(&3, Tokens::ONE, 0).expect_err("no room");
    assert_eq!((error.code(), error.max_keys), ("too_many_keys", 2));
    assert!(!limiter.try_acquire(&3, Tokens::ONE, 0));
    // Keys that are there go on.
    assert!(limiter.try_acquire(&1, Tokens::ONE, 0));
}

#[test]
fn without_room_new_keys_can_share_one_limiter() {
    let limiter = limiter("2/h", 2).with_overflow(Overflow::Share, 0);
    for key in [1, 2] {
        assert!(limiter.try_acquire(&key, Tokens::ONE, 0));
    }
    let granted: Vec<_> = (3..8)
        .map(|key| limiter.try_acquire(&key, Tokens::ONE, 0))
        .collect();
    assert_eq!(granted, [true, true, false, false, false]);
    assert_eq!(limiter.len(), 2);
}

#[test]
fn a_refused_or_peeked_key_takes_no_place() {
    let limiter = limiter("2/h", 10);
    assert_eq!(
        limiter.check(&1, Tokens::MAX, 0).expect("room").retry_after,
        Wait::Never
    );
    assert!(limiter.peek(&2, Tokens::ONE, 0).expect("room").allowed);
    assert!(limiter.is_empty());
}

#[test]
fn idle_keys_are_given_back_in_bounded_steps() {
    let limiter = limiter("1/s", 200_000);
    for key in 0..100_000 {
        assert!(limiter.try_acquire(&key, Tokens::ONE, 0));
    }
    let later = HOUR;
    let mut calls = 0;
    while !limiter.is_empty() {
        let before = limiter.len();
        let evicted = limiter.evict_idle(100, later);
        assert!(evicted <= 100);
        assert_eq!(limiter.len(), before - evicted);
        calls += 1;
        assert!(calls < 100_000, "{} keys stay", limiter.len());
    }
}

#[test]
fn keys_whose_limits_do_not_start_full_are_kept() {
    // A new one would have 5 again, of which the old one has used all.
    let limiter = limiter("1/h initial 5", 10);
    assert!(limiter.try_acquire(&1, Tokens::new(5).expect("positive"), 0));
    assert_eq!(limiter.evict_idle(1_000, 10 * HOUR), 0);
    assert!(!limiter.try_acquire(&1, Tokens::new(2).expect("positive"), 10 * HOUR));
}

#[test]
fn new_limits_reach_each_key_as_of_the_change() {
    let limiter = limiter("api: 10/h", 10);
    let take = |key: u64, n, now| limiter.try_acquire(&key, Tokens::new(n).expect("positive"), now);
    assert!(take(1, 4, 0) && take(2, 10, 0));
    let larger = Limits::parse("api: 20/h").expect("limits");
    limiter.update(larger.clone(), TokensInheritance::Proportional, 0);
    // Many more, of which each is a generation.
    for _ in 0..40 {
        limiter.update(larger.clone(), TokensInheritance::AsIs, 0);
    }
    assert!(take(1, 12, 0) && !take(1, 1, 0), "6 of 10 are 12 of 20");
    assert!(!take(2, 1, HOUR / 20 - 1) && take(2, 1, HOUR / 20));
    assert!(take(3, 20, 0), "a new key has the new limits");
    assert_eq!(*limiter.limits(), larger);
}

#[test]
fn refund_and_reset_are_for_one_key() {
    let limiter = limiter("2/h", 10);
    for key in [1, 2] {
        assert!(limiter.try_acquire(&key, Tokens::new(2).expect("positive"), 0));
    }
    limiter.refund(&1, Tokens::ONE, 0);
    assert!(limiter.try_acquire(&1, Tokens::ONE, 0) && !limiter.try_acquire(&1, Tokens::ONE, 0));
    limiter.reset(&1);
    assert!(limiter.try_acquire(&1, Tokens::new(2).expect("positive"), 0));
    assert!(!limiter.try_acquire(&2, Tokens::ONE, 0));
    limiter.refund(&3, Tokens::ONE, 0);
    assert_eq!(limiter.len(), 2);
}

#[test]
fn threads_that_share_keys_get_exactly_the_limit() {
    let limiter = limiter("100/h", 1_000);
    let granted: Vec<_> = (0..10).map(|_| AtomicUsize::new(0)).collect();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for turn in 0..2_000_u64 {
                    let key = turn % 10;
                    if limiter.try_acquire(&key, Tokens::ONE, 0) {
                        granted[key as usize].fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let granted: Vec<_> = granted
        .iter()
        .map(|count| count.load(Ordering::Relaxed))
        .collect();
    assert_eq!(granted, [100; 10]);
    assert_eq!(limiter.len(), 10);
}

#[test]
fn threads_that_bring_new_keys_never_exceed_the_room() {
    let limiter = limiter("1/h", 100);
    let granted = AtomicUsize::new(0);
    thread::scope(|scope| {
        for thread in 0..4_u64 {
            let (limiter, granted) = (&limiter, &granted);
            scope.spawn(move || {
                for key in 0..1_000 {
                    if limiter.try_acquire(&(thread * 1_000 + key), Tokens::ONE, 0) {
                        granted.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(granted.into_inner(), 100);
    assert_eq!(limiter.len(), 100);
}
