//! Faults that users of other rate limiters reported, each as a test of the right outcome.

mod cycles;

use std::cell::Cell;
use std::collections::HashMap;

use tokenweir::{
    AmountError, Bandwidth, Bucket, BucketConfig, BucketState, ClockedBucket, TickRate, Tokens,
    Wait, WideningClock,
};

const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MILLISECOND;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

fn tokens(n: u64) -> Tokens {
    Tokens::new(n).expect("in range")
}

fn bucket(bandwidth: Bandwidth) -> Bucket<1> {
    Bucket::new(bandwidth.into(), 0)
}

fn greedy(capacity: u64, tokens: u64, period: u64) -> Bucket<1> {
    bucket(Bandwidth::greedy(capacity, tokens, period).expect("in range"))
}

/// How many calls are granted if one is made every `step` from 0 to `end`.
fn polled(mut bucket: Bucket<1>, step: u64, end: u64) -> u64 {
    let mut granted = 0;
    let mut now = 0;
    while now <= end {
        granted += u64::from(bucket.try_consume(Tokens::ONE, now));
        now += step;
    }
    granted
}

// Arithmetic and waits

#[test]
fn obeying_the_wait_at_three_a_second_is_granted_at_the_first_try_every_time() {
    let mut bucket = greedy(3, 3, SECOND);
    let mut now = 0;
    for _ in 0..10_000 {
        let probe = bucket.try_consume_with_probe(Tokens::ONE, now);
        if let (false, Wait::Ticks(wait)) = (probe.consumed, probe.wait) {
            assert!(wait > 0);
            now += wait;
            assert!(bucket.try_consume(Tokens::ONE, now), "refused at {now}");
        }
    }
    // Three at once, and a third of a second for each other; no rounding adds up.
    assert_eq!(now, (9_997 * SECOND).div_ceil(3));
}

#[test]
fn one_a_second_polled_every_1999_ns_for_20_s_gives_20_and_the_burst() {
    // To the first poll that is not before 20 s.
    assert_eq!(
        polled(greedy(2, 1, SECOND), 1_999, 20 * SECOND + 1_999),
        20 + 2
    );
    // A burst of 1 has no room for the time between a token and the poll that takes it.
    assert_eq!(
        polled(greedy(1, 1, SECOND), 1_999, 20 * SECOND + 1_999),
        19 + 1
    );
}

#[test]
fn seven_a_second_polled_every_1500_ns_for_20_s_gives_140_and_the_burst() {
    assert_eq!(
        polled(greedy(7, 7, SECOND), 1_500, 20 * SECOND + 1_500),
        140 + 7
    );
}

#[test]
fn thirty_a_minute_with_a_burst_of_10_called_every_second_for_40_s_gives_29() {
    // 10 at once and half a token for each of the 39 seconds between the 40 calls.
    assert_eq!(polled(greedy(10, 30, MINUTE), SECOND, 39 * SECOND), 29);
}

#[test]
fn a_cost_of_millions_of_a_burst_of_2_is_never_granted() {
    let mut bucket = greedy(2, 1, HOUR);
    let probe = bucket.try_consume_with_probe(tokens(5_124_097), 0);
    assert_eq!((probe.consumed, probe.remaining), (false, 2));
    assert_eq!(probe.wait, Wait::Never);
    assert!(!bucket.try_consume(tokens(5_124_097), u64::MAX));
}

#[test]
fn one_in_365_days_with_a_burst_of_1000_gives_exactly_1000_at_once() {
    let mut bucket = greedy(1_000, 1, 365 * DAY);
    let granted = (0..2_000)
        .filter(|_| bucket.try_consume(Tokens::ONE, 0))
        .count();
    assert_eq!(granted, 1_000);
}

#[test]
fn a_granted_cost_is_charged_in_full() {
    let mut bucket = greedy(10, 10, MINUTE);
    let granted = [8, 2, 1].map(|cost| bucket.try_consume(tokens(cost), 0));
    assert_eq!(granted, [true, true, false]);
}

#[test]
fn a_refused_cost_is_not_charged() {
    let mut bucket = greedy(10, 10, MINUTE);
    let granted = [8, 5, 1].map(|cost| bucket.try_consume(tokens(cost), 0));
    assert_eq!(granted, [true, false, true]);
}

/// The largest number granted in any window of each length up to `longest`, if everything that can be
/// had is taken, now and then after a pause.
fn most_in_a_window(mut bucket: Bucket<1>, longest: usize) -> Vec<u64> {
    let mut taken = vec![0_u64];
    for now in 0..4_000_u64 {
        // Saved up for a while, until one tick before an edge the first time.
        let saves = now % 1_709 < 899;
        let granted = if saves {
            0
        } else {
            bucket.consume_up_to(Tokens::MAX, now)
        };
        taken.push(taken[taken.len() - 1] + granted);
    }
    let most = |length: usize| taken.windows(length + 1).map(|w| w[length] - w[0]).max();
    (1..=longest)
        .map(|length| most(length).expect("a window"))
        .collect()
}

#[test]
fn two_of_two_in_300_ms_never_gives_more_than_two_and_the_refill_in_any_window() {
    let most = most_in_a_window(greedy(2, 2, 300), 1_000);
    for (length, most) in (1_u64..).zip(&most) {
        // A window of T ticks holds what was there at its first one, and the refill of T - 1.
        assert!(*most <= 2 + (length - 1) * 2 / 300, "{most} in {length} ms");
    }
    assert_eq!((most[0], most[300], most[600]), (2, 4, 6));
}

#[test]
fn two_of_two_at_each_edge_never_gives_more_than_two_and_the_edges_in_any_window() {
    let most = most_in_a_window(bucket(Bandwidth::interval(2, 2, 300).unwrap()), 1_000);
    for (length, most) in (1_u64..).zip(&most) {
        assert!(
            *most <= 2 + length.div_ceil(300) * 2,
            "{most} in {length} ms"
        );
    }
    assert_eq!(most[1], 4, "twice the capacity across an edge");
}

#[test]
fn five_in_five_minutes_at_an_edge_are_241_s_away_59_s_after_they_were_used() {
    let mut bucket = bucket(Bandwidth::interval(5, 5, 5 * MINUTE).unwrap());
    assert_eq!(bucket.consume_up_to(Tokens::MAX, 0), 5);
    let probe = bucket.try_consume_with_probe(Tokens::ONE, 59 * SECOND);
    assert_eq!(probe.wait, Wait::Ticks(241 * SECOND));
}

#[test]
fn five_in_five_minutes_as_soon_as_possible_are_1_s_away_59_s_after_they_were_used() {
    let mut bucket = greedy(5, 5, 5 * MINUTE);
    assert_eq!(bucket.consume_up_to(Tokens::MAX, 0), 5);
    let probe = bucket.try_consume_with_probe(Tokens::ONE, 59 * SECOND);
    assert_eq!(probe.wait, Wait::Ticks(SECOND));
}

#[test]
fn a_cost_above_the_capacity_is_never_granted_rather_than_after_a_wait_that_cannot_succeed() {
    let mut bucket = greedy(10, 10, MINUTE);
    assert_eq!(bucket.estimate(tokens(11), 0).wait, Wait::Never);
    assert_eq!(
        bucket.try_consume_with_probe(tokens(11), 0).wait,
        Wait::Never
    );
    assert!(!bucket.try_consume(tokens(11), u64::MAX));
    assert_eq!(bucket.estimate(tokens(10), 0).wait, Wait::NONE);
}

#[test]
fn a_cost_that_is_no_amount_is_an_error_that_names_it() {
    let negative = Tokens::try_from(-3).unwrap_err();
    assert_eq!(
        negative,
        AmountError::NonPositiveTokensToConsume { value: -3 }
    );
    assert_eq!(
        negative.to_string(),
        "tokens to consume are -3, at least 1 is needed"
    );
    assert_eq!(
        Tokens::new(0).unwrap_err().code(),
        "non_positive_tokens_to_consume"
    );
    let large = Tokens::try_from(1 << 63).unwrap_err();
    assert!(large.to_string().contains("9223372036854775808"), "{large}");
}

// Clocks

#[test]
fn a_clock_an_hour_back_waits_for_the_refill_and_the_lag_and_grants_nothing_extra() {
    let mut bucket = greedy(5, 1, MINUTE);
    let (noon, eleven) = (12 * HOUR, 11 * HOUR);
    assert_eq!(bucket.consume_up_to(Tokens::MAX, noon), 5);
    let probe = bucket.try_consume_with_probe(Tokens::ONE, eleven);
    assert_eq!(
        (probe.consumed, probe.wait),
        (false, Wait::Ticks(HOUR + MINUTE))
    );
    let granted = (eleven / SECOND..noon / SECOND + 60)
        .filter(|second| bucket.try_consume(Tokens::ONE, second * SECOND))
        .count();
    assert_eq!(granted, 0);
    assert!(bucket.try_consume(Tokens::ONE, noon + MINUTE));
}

#[test]
fn a_clock_an_hour_back_and_forward_again_loses_nothing() {
    let mut bucket = greedy(5, 1, MINUTE);
    let noon = 12 * HOUR;
    assert_eq!(bucket.consume_up_to(tokens(3), noon), 3);
    // Granted at eleven, of what there was at noon.
    assert!(bucket.try_consume(Tokens::ONE, noon - HOUR));
    assert_eq!(bucket.available(noon - HOUR), 1);
    assert_eq!(bucket.available(noon + 2 * MINUTE), 3);
    assert_eq!(bucket.available(noon + 4 * MINUTE), 5);
}

#[test]
fn a_wrap_of_a_32_bit_millisecond_counter_locks_nobody_out() {
    let counter = Cell::new(u32::MAX - 1_500);
    let clock = WideningClock::new(TickRate::MILLIS, || counter.get());
    let limit = Bandwidth::greedy(2, 1, 1_000).unwrap();
    let mut bucket = ClockedBucket::new(limit.into(), clock).unwrap();
    // At 0 and 1 s before the wrap, and at 2 to 5 s after it, of which the first two drain the burst.
    let granted = [0, 0, 1_000, 1_000, 1_000, 500].map(|step| {
        counter.set(counter.get().wrapping_add(step));
        bucket.try_consume(Tokens::ONE)
    });
    assert!(counter.get() < 10_000, "the counter wrapped");
    assert_eq!(granted, [true, true, true, true, true, false]);
}

// Several limits

#[test]
fn stacked_limits_charge_none_when_one_refuses() {
    let limits = [
        Bandwidth::greedy(10, 10, SECOND).unwrap(),
        Bandwidth::greedy(12, 12, MINUTE).unwrap(),
    ];
    let mut bucket = Bucket::new(BucketConfig::new(limits).unwrap(), 0);
    assert!(bucket.try_consume(tokens(10), 0));
    // A second later the first has its ten again, the second has two.
    let before = bucket;
    assert!(!bucket.try_consume(tokens(3), SECOND));
    assert_eq!(bucket, before);
    assert_eq!(
        bucket.available_of_each(SECOND).collect::<Vec<_>>(),
        [10, 2]
    );
    assert!(bucket.try_consume(tokens(2), SECOND));
    assert_eq!(bucket.available_of_each(SECOND).collect::<Vec<_>>(), [8, 0]);
}

#[cfg(feature = "alloc")]
#[test]
fn a_call_refused_by_its_tokens_leaves_its_requests_untouched() {
    use tokenweir::{Limiter, Limits, decide_all};

    let limiter = |text| Limiter::new(Limits::parse(text).expect("limits"), 0);
    let (mut requests, mut size) = (limiter("10/min"), limiter("1000/min"));
    let mut call = |cost| {
        let subjects = &mut [requests.subject(Tokens::ONE), size.subject(tokens(cost))];
        decide_all(subjects, 0).decision.allowed
    };
    assert_eq!([call(900), call(101), call(100)], [true, false, true]);
    assert_eq!((requests.available(0), size.available(0)), (8, 0));
}

// Keys

#[test]
fn waiting_on_one_key_never_delays_another() {
    let config = BucketConfig::from(Bandwidth::greedy(2, 1, SECOND).unwrap());
    let [mut a, mut b] = [BucketState::new(&config, 0); 2];
    let reservation = a.reserve(&config, tokens(62), HOUR, 0).unwrap();
    assert_eq!((reservation.wait(), a.available(&config, 0)), (MINUTE, -60));
    assert_eq!(b.reserve(&config, tokens(2), HOUR, 0).unwrap().wait(), 0);
    assert_eq!(
        b.estimate(&config, Tokens::ONE, 0).wait,
        Wait::Ticks(SECOND)
    );
}

#[test]
fn of_1025_keys_in_rotation_at_one_an_hour_each_gets_one() {
    let config = BucketConfig::from(Bandwidth::greedy(1, 1, HOUR).unwrap());
    let mut states = HashMap::new();
    let mut granted = HashMap::<u32, u32>::new();
    for (now, key) in (0..5 * 1_025).map(|call| (call * SECOND / 2, (call % 1_025) as u32)) {
        let state = states
            .entry(key)
            .or_insert_with(|| BucketState::new(&config, now));
        *granted.entry(key).or_default() += u32::from(state.try_consume(&config, Tokens::ONE, now));
    }
    assert_eq!(granted.len(), 1_025);
    assert!(granted.values().all(|granted| *granted == 1));
}
