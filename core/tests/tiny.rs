//! A tiny bucket is a bucket, whatever its counter reads; and what holds where it cannot be one.

use std::num::NonZeroU32;

use proptest::prelude::*;
use tokenweir::{Bandwidth, Bucket, TinyBucket, TinyConfig, Tokens, Wait};

const LAP: u64 = 1 << 32;
const HALF: u64 = 1 << 31;

fn limit(capacity: u64, tokens: u64, period: u64) -> Bandwidth {
    Bandwidth::greedy(capacity, tokens, period).unwrap()
}

fn tiny(limit: Bandwidth, now: u32) -> TinyBucket {
    TinyBucket::new(TinyConfig::new(limit).unwrap(), now)
}

fn n(n: u32) -> NonZeroU32 {
    NonZeroU32::new(n).unwrap()
}

/// Takes single tokens until it is refused.
fn drain(bucket: &mut TinyBucket, now: u32) -> u64 {
    let granted = (0..).take_while(|_| bucket.try_consume_one(now)).count();
    granted as u64
}

/// Bandwidths that fit, of all sizes, also those of a bucket that is not full at first.
fn limits() -> impl Strategy<Value = Bandwidth> {
    let up_to = |bits: u32| (0..=bits).prop_flat_map(|bits| 1..=(1_u64 << bits));
    let limit = (up_to(31), up_to(33), up_to(40), any::<Option<u64>>());
    limit.prop_filter_map("fits", |(capacity, tokens, period, initial)| {
        let limit = Bandwidth::greedy(capacity, tokens, period).unwrap();
        let limit = match initial {
            Some(initial) => limit.with_initial_tokens(initial % (capacity + 1)).unwrap(),
            None => limit,
        };
        TinyConfig::new(limit).ok().map(|_| limit)
    })
}

/// How the next instant is chosen.
#[derive(Clone, Debug)]
enum Step {
    Ticks(u64),
    /// As long as the bucket says, less this many ticks.
    Promised(u64),
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(Step::Ticks(0)),
        (0..50_u64).prop_map(Step::Ticks),
        (0..=31_u32).prop_flat_map(|bits| (0..=(1_u64 << bits)).prop_map(Step::Ticks)),
        Just(Step::Ticks(HALF)),
        (0..=1_u64).prop_map(Step::Promised),
    ]
}

/// A part of the capacity, so that large and small amounts are both frequent.
fn amount(capacity: u32, choice: u32) -> NonZeroU32 {
    let most = match choice % 4 {
        0 => 1,
        1 => capacity.min(10),
        2 => capacity,
        _ => capacity.saturating_add(1),
    };
    n(1 + (choice / 4) % most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn decides_as_a_bucket_over_any_number_of_wraps(
        limit in limits(),
        start in any::<u32>(),
        calls in prop::collection::vec((steps(), any::<u32>(), 0..5_u8), 1..60),
    ) {
        let mut small = tiny(limit, start);
        let mut now = u64::from(start);
        let mut bucket = Bucket::new(limit.into(), now);
        for (step, choice, operation) in calls {
            let count = amount(small.config().capacity(), choice);
            let tokens = Tokens::new(count.get().into()).unwrap();
            let wait = bucket.estimate(tokens, now).wait;
            now += match step {
                Step::Ticks(ticks) => ticks,
                Step::Promised(early) => wait.ticks().unwrap_or(0).saturating_sub(early),
            };
            let reading = now as u32;
            let estimate = bucket.estimate(tokens, now);
            prop_assert_eq!(small.wait(count, reading), estimate.wait);
            prop_assert_eq!(u64::from(small.available(reading)), estimate.remaining);
            prop_assert_eq!(small.time_to_full(reading), bucket.time_to_full(now));
            match operation {
                0 => prop_assert_eq!(
                    small.try_consume_one(reading),
                    bucket.try_consume(Tokens::ONE, now)
                ),
                1..=3 => prop_assert_eq!(
                    small.try_consume(count, reading),
                    bucket.try_consume(tokens, now)
                ),
                _ => {
                    let taken = small.consume_up_to(count, reading);
                    prop_assert_eq!(u64::from(taken), bucket.consume_up_to(tokens, now));
                }
            }
        }
    }

    /// The bound of the documentation of `Bandwidth`, for readings in any order.
    #[test]
    fn late_readings_grant_nothing_extra_and_keep_the_promise(
        limit in limits(),
        start in any::<u32>(),
        calls in prop::collection::vec((steps(), any::<u32>(), any::<u32>()), 1..60),
    ) {
        let mut small = tiny(limit, start);
        let max_lag = u64::from(small.config().max_lag());
        let mut latest = u64::from(start);
        let mut granted = Vec::new();
        for (step, choice, lag) in calls {
            let count = amount(small.config().capacity(), choice);
            latest += match step {
                Step::Ticks(ticks) => ticks,
                Step::Promised(_) => 0,
            };
            small.touch(latest as u32);
            let lag = u64::from(lag) % (max_lag + 1);
            let late = (latest as u32).wrapping_sub(lag as u32);
            if let Wait::Ticks(wait @ 1..) = small.wait(count, late) {
                let promised = late.wrapping_add(wait as u32);
                let at = |reading| TinyBucket::try_consume(&mut { small }, count, reading);
                prop_assert!(!at(promised.wrapping_sub(1)));
                prop_assert!(at(promised));
            }
            if small.try_consume(count, late) {
                granted.push((latest, u128::from(count.get())));
            }
        }
        for (index, (since, _)) in granted.iter().enumerate() {
            let mut sum = 0;
            for (at, count) in &granted[index..] {
                sum += count;
                let gain = u128::from(at - since) * u128::from(limit.tokens());
                let refilled = gain.div_ceil(u128::from(limit.period()));
                prop_assert!(sum <= u128::from(limit.capacity()) + refilled);
            }
        }
    }

    /// What a silence of any length leads to: at most the burst, at any reading.
    #[test]
    fn after_any_silence_at_most_the_burst_is_granted(
        tokens in 1..20_u64,
        period in 1..1_000_000_u64,
        capacity in 1..200_u64,
        start in any::<u32>(),
        taken in 1..200_u32,
        silence in any::<u64>(),
    ) {
        let mut small = tiny(limit(capacity, tokens, period), start);
        let _ = small.consume_up_to(n(taken), start);
        let reading = start.wrapping_add(silence as u32);
        prop_assert!(drain(&mut small, reading) <= capacity);
        // From there on it is a bucket as any other.
        let more = drain(&mut small, reading.wrapping_add(period as u32));
        prop_assert!(more <= capacity.min(tokens));
    }
}

#[test]
fn on_no_reading_of_the_whole_range_more_than_the_burst_is_granted() {
    // A step that is prime to 2^32, so that it comes to all residues in turn: over 260 000 readings.
    const STEP: u32 = 16_411;
    let limit = limit(7, 3, 500_000);
    for touched in [0_u32, 1, 12_345, 1 << 31, u32::MAX] {
        let mut depleted = tiny(limit, touched);
        assert_eq!(drain(&mut depleted, touched), 7);
        let mut reading = touched;
        loop {
            for state in [depleted, tiny(limit, touched)] {
                let mut bucket = state;
                let available = bucket.available(reading);
                assert!(available <= 7);
                assert_eq!(drain(&mut bucket, reading), u64::from(available));
            }
            match reading.wrapping_sub(touched).checked_add(STEP) {
                Some(next) => reading = touched.wrapping_add(next),
                None => break,
            }
        }
    }
}

#[test]
fn a_lap_after_a_neglect_grants_at_most_the_burst_and_the_refill() {
    let (capacity, tokens, period) = (5, 1, 1_000_000);
    for neglected_for in [HALF + 1, HALF + 5_000_000, 3 * HALF / 2, LAP - 1, LAP + 77] {
        let mut bucket = tiny(limit(capacity, tokens, period), 42);
        assert_eq!(drain(&mut bucket, 42), capacity);
        let begin = 42_u32.wrapping_add(neglected_for as u32);
        let mut granted = 0;
        for elapsed in (0..LAP).step_by(250_000) {
            granted += drain(&mut bucket, begin.wrapping_add(elapsed as u32));
        }
        assert!(granted <= capacity + LAP * tokens / period);
        // It has found its way back to what a bucket holds.
        assert!(granted >= LAP * tokens / period / 2 - capacity);
    }
}

/// governor's bucket, asked by a millisecond counter that wraps, refuses everything for 49.7 days.
#[test]
fn a_full_bucket_is_full_after_every_wrap() {
    for capacity in [1, 10, 1_000] {
        let touches: [fn(&mut TinyBucket, u32); 3] = [
            |bucket, now| bucket.touch(now),
            // Refused, as it is more than the capacity.
            |bucket, now| assert!(!bucket.try_consume(n(1_001), now)),
            |bucket, now| assert!(bucket.try_consume_one(now)),
        ];
        for touch in touches {
            for start in [0, 999, 1 << 31, u32::MAX] {
                let mut bucket = tiny(limit(capacity, 10, 1_000), start);
                let mut now = start;
                for _ in 0..20 {
                    now = now.wrapping_add(HALF as u32);
                    assert_eq!(bucket.time_to_full(now), Wait::NONE);
                    assert_eq!(drain(&mut { bucket }, now), capacity);
                    touch(&mut bucket, now);
                    now = now.wrapping_add(200);
                    assert_eq!(u64::from(bucket.available(now)), capacity);
                    touch(&mut bucket, now);
                }
            }
        }
    }
}

#[test]
fn three_a_second_obeying_the_wait_is_granted_at_the_first_try() {
    // 32 768 Hz: 10 922⅔ ticks for one.
    let mut bucket = tiny(limit(1, 3, 32_768), u32::MAX);
    let mut now = u32::MAX;
    for _ in 0..100_000 {
        assert!(bucket.try_consume_one(now));
        let Wait::Ticks(wait @ 1..) = bucket.wait(NonZeroU32::MIN, now) else {
            panic!("a wait");
        };
        assert!(!{ bucket }.try_consume_one(now.wrapping_add(wait as u32 - 1)));
        now = now.wrapping_add(wait as u32);
    }
}

#[test]
fn a_reading_as_late_as_allowed_is_known_as_late() {
    for limit in [
        limit(5, 1, 100_000),
        limit(5, 3, 100_000),
        limit(1, 1, HALF - 1),
    ] {
        let mut bucket = tiny(limit, 77);
        let _ = drain(&mut bucket, 77);
        let late = 77_u32.wrapping_sub(bucket.config().max_lag());
        assert_eq!(drain(&mut bucket, late), 0);
        assert_eq!(bucket.available(late), 0);
        // One more tick, and it is taken for one of the next lap.
        let next_lap = late.wrapping_sub(1);
        assert_eq!(drain(&mut bucket, next_lap), limit.capacity());
    }
}

#[test]
fn the_state_is_eight_bytes() {
    assert_eq!(size_of::<tokenweir::TinyState>(), 8);
}
