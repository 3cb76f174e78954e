//! The rules of the bucket that the vectors do not hold, or hold only by example.

mod common;

use common::Random;
use num_bigint::BigInt;
use tokenweir_reference::{Bandwidth, Bucket, Error, Inheritance, Style};

fn greedy(capacity: i64, tokens: i64, period: i64) -> Bandwidth {
    Bandwidth::new(capacity, tokens, period, Style::Greedy)
}

fn bucket(bandwidths: Vec<Bandwidth>) -> Bucket {
    Bucket::new(bandwidths, 0).expect("a valid configuration")
}

fn any_bucket(random: &mut Random) -> Bucket {
    let bandwidths = (0..random.pick(1, 3)).map(|_| {
        let first_refill = BigInt::from(random.pick(0, 40));
        let style = match random.pick(0, 4) {
            0 => Style::Interval,
            1 => Style::Aligned { first_refill },
            2 => Style::Adaptive { first_refill },
            _ => Style::Greedy,
        };
        let (capacity, tokens, period) = (random.pick(1, 9), random.pick(1, 9), random.pick(1, 9));
        Bandwidth::new(capacity, tokens, period, style)
    });
    let mut bucket = bucket(bandwidths.collect());
    for _ in 0..random.pick(0, 4) {
        let (n, now) = (random.pick(1, 12), random.pick(0, 60));
        match random.pick(0, 3) {
            0 => drop(bucket.consume_ignoring(n, now)),
            1 => drop(bucket.force_add(n, now)),
            _ => drop(bucket.as_much_as_possible(Some(n.into()), now)),
        }
    }
    bucket
}

#[test]
fn a_refusal_holds_until_its_wait_is_over_and_not_longer() {
    let mut random = Random(1);
    let (mut waited, mut never) = (0, 0);
    for _ in 0..20_000 {
        let start = any_bucket(&mut random);
        let (n, now) = (random.pick(1, 10), random.pick(0, 60));
        let probe = start.clone().probe(n, now).expect("a valid request");
        let try_at = |at: BigInt| start.clone().try_consume(n, at).expect("a valid request");
        match probe.wait {
            Some(wait) => {
                assert_eq!(probe.consumed, wait == BigInt::ZERO);
                assert!(
                    try_at(now + &wait),
                    "{start:?} gives {n} {wait} after {now}"
                );
                assert!(
                    probe.consumed || !try_at(now + &wait - 1),
                    "{start:?} {n} {now} {wait}"
                );
                waited += usize::from(!probe.consumed);
            }
            None => {
                assert!(!try_at(BigInt::from(i64::MAX)), "{start:?} never gives {n}");
                never += 1;
            }
        }
    }
    assert!(
        waited > 2_000 && never > 2_000,
        "{waited} waits, {never} nevers"
    );
}

#[test]
fn a_debt_is_repaid_when_its_reservation_is_due() {
    let mut random = Random(2);
    for _ in 0..10_000 {
        let mut bucket = any_bucket(&mut random);
        let (n, now) = (random.pick(1, 30), random.pick(0, 60));
        let made = bucket.reserve_unlimited(n, now).expect("a short wait");
        if made.wait > BigInt::ZERO {
            assert!(bucket.available(made.due.clone()) >= BigInt::ZERO);
            assert!(bucket.available(made.due - 1) < BigInt::ZERO);
        }
    }
}

#[test]
fn the_time_to_full_is_exact() {
    let mut random = Random(3);
    let is_full = |bucket: &Bucket, at: BigInt| {
        let levels = bucket.available_per_bandwidth(at);
        levels
            .iter()
            .zip(bucket.bandwidths())
            .all(|(tokens, b)| *tokens >= b.capacity)
    };
    for _ in 0..10_000 {
        let bucket = any_bucket(&mut random);
        let now = random.pick(0, 60);
        let wait = bucket.time_to_full(now).expect("a short wait");
        assert!(is_full(&bucket, now + &wait));
        assert!(wait == BigInt::ZERO || !is_full(&bucket, now + &wait - 1));
    }
}

#[test]
fn how_often_the_level_is_stored_makes_no_difference() {
    let mut random = Random(4);
    for _ in 0..2_000 {
        let mut often = any_bucket(&mut random);
        often.consume_ignoring(50, 60).expect("a short wait");
        let once = often.clone();
        // Adding to and taking from all alike stores the refill and nothing else, while nothing is full.
        for now in 61..64 {
            often.force_add(1, now).expect("a valid amount");
            often.consume_ignoring(1, now).expect("a short wait");
        }
        let deep = |bucket: &Bucket| {
            let mut levels = bucket
                .available_per_bandwidth(64)
                .into_iter()
                .zip(bucket.bandwidths());
            levels.all(|(tokens, b)| tokens < b.capacity)
        };
        if deep(&once) {
            assert_eq!(
                often.available_per_bandwidth(64),
                once.available_per_bandwidth(64)
            );
        }
    }
}

#[test]
fn a_reservation_can_be_cancelled_until_it_is_due() {
    let mut start = bucket(vec![greedy(10, 1, 10)]);
    assert_eq!(start.try_consume(10, 0), Ok(true));
    let made = start
        .reserve(4, 40, 0)
        .expect("a valid request")
        .expect("a wait of 40");
    assert_eq!(made.wait, 40.into());

    let mut in_time = start.clone();
    assert!(in_time.cancel(&made, 39));
    assert_eq!(in_time.available(39), 3.into());
    assert_eq!(in_time.available(40), 4.into());

    let mut late = start.clone();
    assert!(!late.cancel(&made, 40));
    assert_eq!(late, start);
}

#[test]
fn tokens_that_were_there_at_once_cannot_be_cancelled() {
    let mut bucket = bucket(vec![greedy(10, 1, 10)]);
    let made = bucket
        .reserve(4, 1, 5)
        .expect("a valid request")
        .expect("there at once");
    assert!(!bucket.cancel(&made, 4));
    assert!(!bucket.cancel(&made, 5));
}

#[test]
fn a_cancelled_reservation_neither_lowers_nor_overfills() {
    let mut bucket = bucket(vec![greedy(10, 1, 10)]);
    assert_eq!(bucket.try_consume(10, 0), Ok(true));
    let made = bucket.reserve_unlimited(4, 0).expect("a short wait");
    bucket.force_add(13, 0).expect("a valid amount");
    assert!(bucket.cancel(&made, 1));
    assert_eq!(bucket.available(1), 10.into());

    bucket.force_add(7, 1).expect("a valid amount");
    assert!(bucket.cancel(&made, 1));
    assert_eq!(bucket.available(1), 17.into());
}

#[test]
fn an_addition_keeps_what_has_arrived_of_the_next_token() {
    let mut bucket = bucket(vec![greedy(2, 1, 10)]);
    assert_eq!(bucket.try_consume(2, 0), Ok(true));
    bucket.force_add(2, 9).expect("a valid amount");
    let level = bucket.levels()[0].clone();
    assert_eq!((level.tokens, level.remainder), (2.into(), 9.into()));
    bucket.add(1, 9).expect("a valid amount");
    assert_eq!(bucket.levels()[0].remainder, 9.into());
}

#[test]
fn a_debt_too_deep_for_64_bits_is_an_error_and_leaves_no_trace() {
    // A rate of more than one token per tick: the wait is short long before the debt is representable.
    let mut bucket = bucket(vec![greedy(1, i64::MAX, 1)]);
    assert_eq!(bucket.consume_ignoring(i64::MAX, 0), Ok(1.into()));
    let before = bucket.clone();
    assert_eq!(
        bucket.consume_ignoring(4, 0),
        Err(Error::ReservationOverflow)
    );
    assert_eq!(bucket.reserve(4, 100, 0), Err(Error::ReservationOverflow));
    assert_eq!(
        bucket.reserve(4, 1, 0),
        Ok(None),
        "refused before the debt is looked at"
    );
    assert_eq!(bucket, before);
    assert_eq!(bucket.consume_ignoring(2, 0), Ok(2.into()));
    assert_eq!(bucket.available(0), i64::MIN.into());
}

#[test]
fn an_over_full_bandwidth_does_not_make_a_wait_endless() {
    let roomy = greedy(20, 1, 10).with_initial(0);
    let mut bucket = bucket(vec![greedy(5, 1, 10).with_initial(8), roomy]);
    let probe = bucket.probe(8, 0).expect("a valid request");
    assert_eq!((probe.consumed, probe.wait), (false, Some(80.into())));
    assert_eq!(bucket.try_consume(8, 79), Ok(false));
    assert_eq!(bucket.try_consume(8, 80), Ok(true));
}

#[test]
fn a_stale_reading_does_not_bring_a_due_reservation_back() {
    let mut bucket = bucket(vec![greedy(10, 1, 10)]);
    let made = bucket.reserve_unlimited(12, 0).expect("a short wait");
    assert_eq!(made.due, 20.into());
    let mut seen = bucket.clone();
    seen.add(1, 20).expect("a valid amount");
    assert!(!seen.cancel(&made, 19));
    assert!(bucket.cancel(&made, 19));
}

#[test]
fn a_debt_that_is_scaled_too_deep_is_held_at_the_deepest() {
    let mut bucket = bucket(vec![greedy(1, 1, 2)]);
    bucket.consume_ignoring(4, 1).expect("a short wait");
    let double = greedy(i64::MAX, 1, 2);
    bucket
        .replace(vec![double], Inheritance::Proportional, 2)
        .expect("a valid configuration");
    let level = &bucket.levels()[0];
    assert_eq!(
        (&level.tokens, &level.remainder),
        (&i64::MIN.into(), &BigInt::ZERO)
    );
}

#[test]
fn a_greedy_refill_from_before_the_first_instant_can_be_made_at_once() {
    let aligned = Style::Aligned {
        first_refill: 5.into(),
    };
    let mut bucket = bucket(vec![Bandwidth::new(100, 1, 20, aligned).with_initial(0)]);
    bucket
        .replace(vec![greedy(100, 2, 10)], Inheritance::AsIs, 3)
        .expect("a valid configuration");
    assert_eq!(bucket.levels()[0].last, (-15).into());
    let (mut at_once, lazily) = (bucket.clone(), bucket);
    at_once.catch_up(0, 3);
    assert_eq!(at_once.levels()[0].last, 3.into());
    assert_eq!(
        (at_once.available(3), lazily.available(3)),
        (3.into(), 3.into())
    );
    assert_eq!(
        (at_once.available(1), lazily.available(1)),
        (3.into(), 3.into())
    );
    assert_eq!(
        (at_once.available(5), lazily.available(5)),
        (4.into(), 4.into())
    );
}
