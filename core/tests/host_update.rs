//! Replacing limits: what the new ones take over.

use tokenweir::{Limiter, Limits, Tokens, TokensInheritance};

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;

fn limits(text: &str) -> Limits {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn limiter(text: &str, now: u64) -> Limiter {
    Limiter::new(limits(text), now)
}

fn tokens(n: u64) -> Tokens {
    Tokens::new(n).unwrap()
}

fn each(limiter: &Limiter, now: u64) -> Vec<i64> {
    limiter
        .statuses(now)
        .map(|status| status.available)
        .collect()
}

#[test]
fn an_update_matches_limits_by_name_and_kind() {
    let old = "api: 10/min; daily: cycle 100/day; gone: 5/s; turned: 7/min";
    let new = "daily: cycle 200/day; turned: cycle 70/min; api: 20/min; fresh: 3/s";
    let cases = [
        (TokensInheritance::AsIs, [96, 70, 6, 3]),
        (TokensInheritance::Proportional, [192, 70, 12, 3]),
        (TokensInheritance::Additive, [196, 70, 16, 3]),
        (TokensInheritance::Reset, [200, 70, 20, 3]),
    ];
    for (inheritance, expected) in cases {
        let mut limiter = limiter(old, 0);
        assert!(limiter.try_acquire(tokens(4), 0));
        limiter.update(limits(new), inheritance, 0);
        assert_eq!(each(&limiter, 0), expected, "{inheritance:?}");
        assert_eq!(limiter.limits(), &limits(new));
    }
}

#[test]
fn limits_without_a_name_match_if_there_is_one_of_their_kind() {
    let updated = |old: &str, new: &str| {
        let mut limiter = limiter(old, 0);
        assert!(limiter.try_acquire(Tokens::ONE, 0));
        limiter.update(limits(new), TokensInheritance::AsIs, 0);
        each(&limiter, 0)
    };
    assert_eq!(updated("5/s; cycle 5/s", "cycle 9/s; 9/s"), [4, 4]);
    assert_eq!(updated("5/s; 6/min", "9/s"), [9]);
    assert_eq!(updated("cycle 5/s; cycle 6/min", "cycle 9/s"), [9]);
    assert_eq!(updated("a: 5/s", "5/s"), [5]);
    assert_eq!(updated("a: cycle 5/s", "cycle 5/s"), [5]);
}

#[test]
fn a_lowered_cycle_keeps_what_is_left_until_its_end() {
    let left = |inheritance, used: u64| {
        let mut limiter = limiter("cycle 10/min", 0);
        assert!(limiter.try_acquire(tokens(used), 0));
        limiter.update(limits("cycle 5/min"), inheritance, SECOND);
        (limiter.available(SECOND), limiter.available(MINUTE))
    };
    assert_eq!(left(TokensInheritance::AsIs, 3), (7, 5));
    assert_eq!(left(TokensInheritance::Additive, 3), (7, 5));
    assert_eq!(left(TokensInheritance::Proportional, 3), (3, 5));
    assert_eq!(left(TokensInheritance::Reset, 3), (5, 5));
    // A debt scales as well, rounded down.
    let mut owing = limiter("cycle 10/min", 0);
    owing.acquire_ignoring_limits(tokens(25), 0).unwrap();
    owing.update(limits("cycle 3/min"), TokensInheritance::Proportional, 0);
    assert_eq!(owing.available(0), -5);
    // Permits added by force are a full cycle, whatever the inheritance.
    for (inheritance, expected) in [
        (TokensInheritance::AsIs, 25),
        (TokensInheritance::Proportional, 20),
        (TokensInheritance::Additive, 25),
    ] {
        let mut forced = limiter("cycle 10/min", 0);
        forced.force_add(tokens(15), 0);
        forced.update(limits("cycle 20/min"), inheritance, 0);
        assert_eq!(forced.available(0), expected, "{inheritance:?}");
    }
}
