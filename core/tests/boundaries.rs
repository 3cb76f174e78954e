//! The ends of the range, where the property tests once found a difference: instants, amounts and debts
//! as large as they can be, and a bucket that begins at tick 0.

use tokenweir::{
    Bandwidth, Bucket, CycleConfig, CycleLimiter, Permits, Tokens, TokensInheritance, Wait,
};

fn permits(n: u64) -> Permits {
    Permits::new(n).expect("in range")
}

#[test]
fn the_cycle_of_the_very_last_tick_has_its_own_permits() {
    let mut limiter = CycleLimiter::new(CycleConfig::new(1, 1).unwrap(), 0);
    assert!(limiter.try_acquire(Permits::ONE, u64::MAX - 1));
    assert!(!limiter.try_acquire(Permits::ONE, u64::MAX - 1));
    assert!(limiter.try_acquire(Permits::ONE, u64::MAX));
    assert!(!limiter.try_acquire(Permits::ONE, u64::MAX));
    assert_eq!(limiter.cycle(u64::MAX), u64::MAX);
}

#[test]
fn the_largest_reservation_gives_back_what_it_took_and_no_more() {
    let config = CycleConfig::new(i64::MAX as u64, 10).unwrap();
    let mut limiter = CycleLimiter::new(config.with_timeout(100).unwrap(), 0);
    assert_eq!(limiter.drain(0), i64::MAX as u64);
    let reservation = limiter.reserve(Permits::MAX, 0).unwrap();
    assert_eq!(limiter.available(0), -i64::MAX);
    assert!(limiter.cancel(reservation, 9));
    assert_eq!(limiter.available(9), 0);
}

#[test]
fn a_reservation_above_the_limit_is_granted_when_its_refusal_says() {
    // 25 of 10 a cycle are two cycles away from a fresh one: within the timeout from its last tick on.
    let config = CycleConfig::new(10, 1_000).unwrap();
    let mut limiter = CycleLimiter::new(config.with_timeout(1_001).unwrap(), 0);
    assert_eq!(
        limiter.reserve(permits(25), 0).unwrap_err().wait,
        Wait::Ticks(999)
    );
    assert!(limiter.reserve(permits(25), 998).is_err());
    assert_eq!(limiter.reserve(permits(25), 999).unwrap().wait(), 1_001);

    // One tick less, and they never are.
    let mut limiter = CycleLimiter::new(config.with_timeout(1_000).unwrap(), 0);
    assert_eq!(
        limiter.reserve(permits(25), 0).unwrap_err().wait,
        Wait::Never
    );
    assert!(limiter.reserve(permits(25), 999).is_err());
}

#[test]
fn a_debt_too_deep_for_64_bits_is_refused_until_enough_is_repaid() {
    let config = CycleConfig::new(3, 1).unwrap();
    let mut limiter = CycleLimiter::new(config.with_timeout(i64::MAX as u64).unwrap(), 0);
    assert!(limiter.reserve(Permits::MAX, 0).is_ok());
    // 2^63 - 4 are owed: 5 more do not fit, and 3 are repaid each tick.
    assert_eq!(
        limiter.reserve(permits(5), 0).unwrap_err().wait,
        Wait::Ticks(1)
    );
    assert_eq!(
        limiter.reserve(permits(8), 0).unwrap_err().wait,
        Wait::Ticks(2)
    );
    assert!(limiter.reserve(permits(8), 1).is_err());
    assert!(limiter.reserve(permits(8), 2).is_ok());
}

#[test]
fn a_bucket_replaced_before_its_first_edge_can_be_restored() {
    // The edge before the first lies 34 ticks before tick 0, more than the new period.
    let aligned = Bandwidth::aligned(1, 1, 43, 9).unwrap();
    let mut bucket = Bucket::new(aligned.into(), 0);
    let interval = Bandwidth::interval(1, 1, 21).unwrap();
    bucket.replace(interval.into(), TokensInheritance::AsIs, 0);
    let restored = Bucket::restore(interval.into(), &bucket.snapshot()).unwrap();
    assert_eq!(restored, bucket);
    assert!(bucket.try_consume(Tokens::ONE, 0));
    assert_eq!(bucket.estimate(Tokens::ONE, 0).wait, Wait::Ticks(8));
}
