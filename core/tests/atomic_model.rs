//! Limiters in one atomic word beside the others and beside arithmetic on wide integers, with
//! random configurations, instants and requests.

use proptest::prelude::*;
use tokenweir::{
    AtomicBucket, AtomicCycleLimiter, Bandwidth, Bucket, CycleConfig, CycleLimiter, Permits,
    Tokens, Wait,
};

/// A number whose size, not only its value, varies.
fn up_to(bits: u32) -> impl Strategy<Value = u64> {
    (1..=bits, any::<u64>()).prop_map(|(bits, number)| (number >> (64 - bits)).max(1))
}

#[derive(Clone, Debug)]
enum Request {
    Consume(u64),
    UpTo(u64),
    Add(u64),
    Reset,
    Touch,
}

fn requests() -> impl Strategy<Value = Vec<(Request, u64, u16)>> {
    let request = prop_oneof![
        6 => up_to(20).prop_map(Request::Consume),
        4 => Just(Request::Consume(1)),
        2 => up_to(20).prop_map(Request::UpTo),
        2 => up_to(20).prop_map(Request::Add),
        1 => Just(Request::Reset),
        1 => Just(Request::Touch),
    ];
    prop::collection::vec((request, any::<u64>(), any::<u16>()), 1..60)
}

fn bandwidth() -> impl Strategy<Value = (u64, u64, u64, u64)> {
    (up_to(20), up_to(19), up_to(36), any::<u64>())
}

/// How far the clock moves: nothing, a few ticks, the time of some tokens, anything that is allowed.
fn step(kind: u16, number: u64, limit: &Bandwidth, most: u64) -> u64 {
    let step = match kind % 8 {
        0 | 1 => 0,
        2 => number % 5,
        3 | 4 => number % (limit.period() / limit.tokens() + 2),
        5 | 6 => number % (limit.period() * 8),
        _ => number,
    };
    step % (most + 1)
}

fn tokens(n: u64) -> Tokens {
    Tokens::new(n).expect("in range")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// With readings in order, an atomic bucket is a `Bucket<1>`.
    #[test]
    fn a_bucket_equals_the_bucket_of_one_bandwidth(
        (capacity, rate, period, start) in bandwidth(), initial in 0..=u64::from(u16::MAX), requests in requests(),
    ) {
        let limit = Bandwidth::greedy(capacity, rate, period).unwrap();
        let limit = limit.with_initial_tokens(capacity.saturating_sub(initial)).unwrap();
        let mut now = start >> 1;
        let Ok(bucket) = AtomicBucket::new(limit, now) else {
            return Err(TestCaseError::reject("does not fit one word"));
        };
        let mut twin = Bucket::<1>::new(limit.into(), now);
        let mut touched = now;
        for (request, number, kind) in requests {
            let most = bucket.max_idle() - (now - touched);
            let Some(next) = now.checked_add(step(kind, number, &limit, most)) else { break };
            now = next;
            let touch = matches!(request, Request::Touch);
            match request {
                Request::Consume(n) => {
                    let (n, seen) = (tokens(n), bucket.wait(tokens(n), now));
                    prop_assert_eq!(seen, twin.estimate(n, now).wait);
                    if kind % 3 == 0 {
                        prop_assert_eq!(
                            bucket.try_consume_with_probe(n, now),
                            twin.try_consume_with_probe(n, now)
                        );
                    } else {
                        prop_assert_eq!(bucket.try_consume(n, now), seen.is_none());
                        prop_assert_eq!(twin.try_consume(n, now), seen.is_none());
                    }
                    // The promise: not before the wait is over, and then.
                    if let Wait::Ticks(wait @ 1..) = seen {
                        prop_assert_eq!(bucket.wait(n, now.wrapping_add(wait)), Wait::NONE);
                        prop_assert!(!bucket.wait(n, now.wrapping_add(wait - 1)).is_none());
                    }
                }
                Request::UpTo(n) => prop_assert_eq!(
                    bucket.consume_up_to(tokens(n), now), twin.consume_up_to(tokens(n), now)
                ),
                Request::Add(n) => {
                    bucket.add(tokens(n), now);
                    twin.add(tokens(n), now);
                }
                Request::Reset => {
                    bucket.reset(now);
                    twin.reset(now);
                }
                Request::Touch => bucket.touch(now),
            }
            prop_assert_eq!(i64::try_from(bucket.available(now)).unwrap(), twin.available(now));
            prop_assert_eq!(bucket.time_to_full(now), twin.time_to_full(now));
            if touch || !bucket.time_to_full(now).is_none() {
                touched = now;
            }
        }
    }

    /// With readings in any order, an atomic bucket is the generic cell rate algorithm on unbounded
    /// integers, and never grants more than its capacity and the refill between its readings.
    #[test]
    fn late_readings_never_grant_more(
        (capacity, rate, period, start) in bandwidth(), requests in requests(),
    ) {
        let limit = Bandwidth::greedy(capacity, rate, period).unwrap();
        let start = start >> 1 | 1 << 62;
        let Ok(bucket) = AtomicBucket::new(limit, start) else {
            return Err(TestCaseError::reject("does not fit one word"));
        };
        // In units of a token over `rate × period`, without lowest terms.
        let (rate, period) = (i128::from(rate), i128::from(period));
        let full = i128::from(capacity) * period;
        let mut full_at = i128::from(start) * rate;
        let (mut first, mut last, mut granted) = (start, start, 0);
        for (request, number, kind) in requests {
            let n = match request {
                Request::Consume(n) | Request::UpTo(n) | Request::Add(n) => n,
                Request::Reset | Request::Touch => 1,
            };
            // More than the capacity is not touched by: then a pause must not follow a pause.
            let n = if kind & 1 << 8 == 0 { n.min(capacity) } else { n };
            let most = if n > capacity { 0 } else { bucket.max_idle() };
            let step = step(kind, number, &limit, most);
            // Every other reading is late, within what is allowed.
            let now = if kind & 1 << 9 == 0 {
                let Some(now) = last.checked_add(step) else { break };
                now
            } else {
                last - step % bucket.max_lag().min(1 << 62)
            };
            let (at, cost) = (i128::from(now) * rate, i128::from(n) * period);
            let next = full_at.max(at) + cost;
            let due = next - at <= full;
            prop_assert_eq!(bucket.try_consume(tokens(n), now), due);
            (first, last) = (first.min(now), last.max(now));
            if due {
                full_at = next;
                granted += cost;
                prop_assert!(granted <= full + i128::from(last - first) * rate);
            } else if n <= capacity {
                let missing = next - full - at;
                let wait = (missing + rate - 1) / rate;
                prop_assert_eq!(
                    bucket.wait(tokens(n), now), Wait::Ticks(u64::try_from(wait).unwrap())
                );
            }
        }
    }

    /// An atomic cycle limiter is a `CycleLimiter`, whatever the readings.
    #[test]
    fn a_cycle_limiter_equals_the_other(
        limit in up_to(40), period in up_to(40), edge in prop::option::of(up_to(50)), start in up_to(60),
        requests in requests(),
    ) {
        let mut config = CycleConfig::new(limit, period).unwrap();
        if let Some(edge) = edge {
            config = config.aligned_to(edge);
        }
        let Ok(limiter) = AtomicCycleLimiter::new(config, start) else {
            return Err(TestCaseError::reject("does not fit one word"));
        };
        let mut twin = CycleLimiter::new(config, start);
        let mut last = start;
        for (request, number, kind) in requests {
            let pause = match kind % 8 {
                0..=2 => 0,
                3 | 4 => number % (period / 2 + 1),
                5 | 6 => number % (period.saturating_mul(4)),
                _ => number % limiter.max_idle().clamp(1, 1 << 50),
            };
            let now = if kind & 3 << 9 != 0 { last.saturating_add(pause) } else { last.saturating_sub(pause) };
            // A query does not touch the limiter.
            if !matches!(request, Request::Touch) {
                last = last.max(now);
            }
            match request {
                Request::Consume(n) | Request::Add(n) | Request::UpTo(n) => {
                    let n = Permits::new(n.min(limit + 1)).unwrap();
                    prop_assert_eq!(limiter.try_acquire(n, now), twin.try_acquire(n, now));
                }
                Request::Reset => prop_assert_eq!(limiter.drain(now), twin.drain(now)),
                Request::Touch => {}
            }
            let whole = Permits::new(limit).unwrap();
            prop_assert_eq!(i64::try_from(limiter.available(now)).unwrap(), twin.available(now));
            prop_assert_eq!(limiter.cycle(now), twin.cycle(now));
            prop_assert_eq!(limiter.time_to_full(now), twin.time_to_full(now));
            prop_assert_eq!(limiter.wait(Permits::ONE, now), twin.wait(Permits::ONE, now));
            prop_assert_eq!(limiter.wait(whole, now), twin.wait(whole, now));
        }
    }
}
