//! The rules of the fixed-cycle limiter that go beyond the vectors.

mod common;

use common::Random;
use num_bigint::BigInt;
use tokenweir_reference::{CycleLimiter, Error};

fn limiter(limit: i64, period: i64, timeout: i64) -> CycleLimiter {
    CycleLimiter::new(limit, period, timeout, 0).expect("a valid configuration")
}

fn any_limiter(random: &mut Random) -> CycleLimiter {
    let (limit, period) = (random.pick(1, 6), random.pick(1, 9));
    let (anchor, start) = (random.pick(-30, 30), random.pick(-30, 30));
    let mut limiter = CycleLimiter::aligned(limit, period, random.pick(0, 40), anchor, start)
        .expect("a valid configuration");
    for _ in 0..random.pick(0, 4) {
        let (n, now) = (random.pick(1, 15), start + random.pick(-3, 30));
        match random.pick(0, 4) {
            0 => drop(limiter.drain(now)),
            1 => drop(limiter.change_limit(random.pick(1, 6), now)),
            _ => drop(limiter.reserve(n, now)),
        }
    }
    limiter
}

#[test]
fn edges_are_on_the_grid_of_the_anchor_wherever_that_lies() {
    for anchor in [-240, 0, 60, 300] {
        let mut limiter =
            CycleLimiter::aligned(3, 60, 0, anchor, 29).expect("a valid configuration");
        assert_eq!(limiter.drain(29), 3.into());
        assert_eq!(limiter.wait(1, 29), Ok(Some(31.into())));
        assert_eq!(limiter.cycle(59), 0.into());
        assert_eq!(limiter.available(59), 0.into());
        assert_eq!(limiter.cycle(60), 1.into());
        assert_eq!(limiter.available(60), 3.into());
    }
}

#[test]
fn a_reading_before_the_construction_counts_as_cycle_0() {
    let limiter = CycleLimiter::aligned(3, 60, 0, 5, 29).expect("a valid configuration");
    assert_eq!(limiter.cycle(-1_000), 0.into());
    assert_eq!(limiter.wait(4, -1_000), Ok(Some(1_065.into())));
}

#[test]
fn a_wait_is_over_at_the_edge_and_not_earlier() {
    let mut random = Random(5);
    for _ in 0..20_000 {
        let mut limiter = any_limiter(&mut random);
        limiter.change_timeout(i64::MAX).expect("a valid timeout");
        let (n, now) = (random.pick(1, 15), random.pick(-40, 90));
        let permit = limiter
            .reserve(n, now)
            .expect("a valid request")
            .expect("a short wait");
        assert_eq!(limiter.cycle(now + &permit.wait), permit.cycle);
        if permit.wait > BigInt::ZERO {
            assert!(limiter.available(now + &permit.wait) >= BigInt::ZERO);
            assert!(limiter.available(now + &permit.wait - 1) < BigInt::ZERO);
        }
    }
}

#[test]
fn a_retry_is_granted_then_and_not_earlier() {
    let mut random = Random(6);
    let (mut later, mut never) = (0, 0);
    for _ in 0..10_000 {
        let limiter = any_limiter(&mut random);
        let (n, now) = (random.pick(1, 15), random.pick(-40, 60));
        let granted = |wait: i64| {
            let permit = limiter
                .clone()
                .reserve(n, now + wait)
                .expect("a valid request");
            permit.is_some()
        };
        let wait = limiter
            .retry_after(n, limiter.timeout().clone(), now)
            .expect("a valid request");
        // No debt, clock lag or cycle here is so long that more than this would have to be looked at.
        let found = (0..400).find(|wait| granted(*wait));
        assert_eq!(wait, found.map(BigInt::from), "{limiter:?} {n} {now}");
        later += usize::from(found > Some(0));
        never += usize::from(found.is_none());
    }
    assert!(
        later > 1_000 && never > 1_000,
        "{later} later, {never} never"
    );
}

#[test]
fn a_reservation_can_be_cancelled_until_its_cycle_begins() {
    let mut start = limiter(5, 10, 1_000);
    assert_eq!(start.drain(0), 5.into());
    let permit = start
        .reserve(3, 0)
        .expect("a valid request")
        .expect("a wait of 10");

    let mut in_time = start.clone();
    assert!(in_time.cancel(&permit, 9));
    assert_eq!(
        (in_time.available(9), in_time.available(10)),
        (0.into(), 5.into())
    );

    let mut late = start.clone();
    assert!(!late.cancel(&permit, 10));
    assert_eq!(late.available(10), 2.into());
    assert!(
        !late.cancel(&permit, 9),
        "a stale reading does not bring the cycle back"
    );
    assert_eq!(late.available(10), 2.into());
}

#[test]
fn a_cancelled_reservation_neither_overfills_nor_lowers() {
    let mut limiter = limiter(5, 10, 1_000);
    let far = limiter
        .reserve(12, 0)
        .expect("a valid request")
        .expect("a wait of 20");
    assert_eq!(far.wait, 20.into());
    assert!(limiter.cancel(&far, 10), "its cycle is the next but one");
    assert_eq!(limiter.available(10), 5.into());

    limiter.change_limit(2, 10).expect("a valid limit");
    assert!(limiter.cancel(&far, 10));
    assert_eq!(
        limiter.available(10),
        5.into(),
        "what is above a lowered limit stays"
    );
    assert_eq!(limiter.available(20), 2.into());
}

#[test]
fn permits_granted_at_once_cannot_be_cancelled() {
    let mut limiter = limiter(5, 10, 1_000);
    let permit = limiter
        .reserve(3, 15)
        .expect("a valid request")
        .expect("granted");
    assert!(!limiter.cancel(&permit, 15));
    assert!(!limiter.cancel(&permit, 1));
    assert_eq!(limiter.available(15), 2.into());
}

#[test]
fn a_debt_too_deep_for_64_bits_is_refused() {
    let mut limiter = limiter(i64::MAX, 1, 1_000);
    assert!(
        limiter
            .reserve(i64::MAX, 0)
            .expect("a valid request")
            .is_some()
    );
    assert!(
        limiter
            .reserve(i64::MAX, 0)
            .expect("a valid request")
            .is_some()
    );
    assert_eq!(limiter.reserve(2, 0), Ok(None));
    assert!(limiter.reserve(1, 0).expect("a valid request").is_some());
    assert_eq!(limiter.available(0), i64::MIN.into());
    assert_eq!(limiter.reserve(0, 0), Err(Error::NonPositivePermits));
}

#[test]
fn a_debt_too_deep_is_retried_once_enough_of_it_is_repaid() {
    let mut limiter = limiter(3, 1, i64::MAX);
    limiter
        .reserve(i64::MAX, 0)
        .expect("a valid request")
        .expect("a long wait");
    // 2^63 - 4 are owed: one more than 4 is too deep until a cycle has repaid 3.
    let granted = |n: i64, now: i64| limiter.clone().reserve(n, now).expect("a valid request");
    assert!(granted(4, 0).is_some());
    assert_eq!((granted(5, 0), granted(8, 1)), (None, None));
    assert!(granted(5, 1).is_some() && granted(7, 1).is_some());
    let retry = |n: i64| limiter.retry_after(n, i64::MAX, 0);
    assert_eq!(
        (retry(4), retry(5), retry(8)),
        (Ok(Some(0.into())), Ok(Some(1.into())), Ok(Some(2.into())))
    );
}

#[test]
fn a_new_period_lets_the_current_cycle_go_on_to_the_next_new_edge() {
    let mut limiter = limiter(5, 100, 1_000);
    assert_eq!(limiter.try_acquire(4, 230), Ok(true));
    limiter.replace(5, 10, 1_000, None, 233).expect("valid");
    assert_eq!(
        (limiter.cycle(242), limiter.available(242)),
        (2.into(), 1.into())
    );
    assert_eq!(
        (limiter.cycle(243), limiter.available(243)),
        (3.into(), 5.into())
    );

    // Aligned, it goes on to the grid; read at an instant before the cycle, to the grid after its beginning.
    let mut aligned = limiter.clone();
    aligned
        .replace(5, 60, 1_000, Some(0.into()), 245)
        .expect("valid");
    assert_eq!(
        (aligned.cycle(299), aligned.cycle(300)),
        (3.into(), 4.into())
    );
    assert_eq!(limiter.try_acquire(1, 243), Ok(true));
    limiter
        .replace(5, 60, 1_000, Some(0.into()), 7)
        .expect("valid");
    assert_eq!(
        (limiter.cycle(299), limiter.cycle(300)),
        (3.into(), 4.into())
    );
}

#[test]
fn the_same_cycles_are_not_begun_anew_by_a_replacement() {
    let mut limiter = limiter(5, 100, 1_000);
    assert_eq!(limiter.try_acquire(4, 30), Ok(true));
    limiter.replace(9, 100, 0, None, 50).expect("valid");
    assert_eq!(
        (limiter.available(99), limiter.available(100)),
        (1.into(), 9.into())
    );
}
