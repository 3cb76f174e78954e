//! One limiter in a `static`, many callers: what is granted in total, and what a reading of the clock
//! that has become old is worth.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use tokenweir::{
    AtomicBucket, AtomicCycleLimiter, Bandwidth, CycleConfig, Permits, Suppressed, TickRate,
    Tokens, Wait, checked,
};

const SECOND: u64 = 1_000_000_000;

/// All orders in which `n` callers can arrive.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for shorter in orders(n - 1) {
        for place in 0..n {
            let mut order = shorter.clone();
            order.insert(place, n - 1);
            all.push(order);
        }
    }
    all
}

#[test]
fn callers_that_share_a_bucket_count_what_each_was_refused() {
    static BUCKET: AtomicBucket =
        checked!(AtomicBucket::new(checked!(Bandwidth::greedy(1, 1, 10)), 0));
    let (mut one, mut other) = (Suppressed::new(&BUCKET), Suppressed::new(&BUCKET));
    assert_eq!(one.try_take(Tokens::ONE, 0), Some(0));
    assert_eq!(other.try_take(Tokens::ONE, 5), None);
    assert_eq!(one.try_take(Tokens::ONE, 9), None);
    assert_eq!(other.try_take(Tokens::ONE, 10), Some(1));
    assert_eq!(one.try_take(Tokens::ONE, 11), None);
    assert_eq!(one.try_take(Tokens::ONE, 20), Some(2));
}

/// What six callers are granted that read the clock at 100, 103, …, 115, and only then, in `order`, reach
/// the exchange: the readings that were granted.
fn granted(bucket: &AtomicBucket, order: &[usize]) -> Vec<u64> {
    let readings = order.iter().map(|caller| 100 + 3 * *caller as u64);
    readings
        .filter(|now| bucket.try_consume(Tokens::ONE, *now))
        .collect()
}

#[test]
fn a_reading_before_the_exchange_is_never_worth_more() {
    let limit = Bandwidth::greedy(2, 3, 10).unwrap();
    let mut most = 0;
    for order in orders(6) {
        let granted = granted(&AtomicBucket::new(limit, 0).unwrap(), &order);
        // Between any two readings, the burst and what is refilled between them, whatever the order.
        for first in &granted {
            for last in granted.iter().filter(|last| *last >= first) {
                let within = granted.iter().filter(|now| (first..=last).contains(now));
                let due = 2 + (last - first) * 3 / 10;
                assert!(within.count() as u64 <= due, "{order:?} {granted:?}");
            }
        }
        most = most.max(granted.len());
    }
    // In order: 2, and ⌊15 × 3 / 10⌋.
    assert_eq!(most, 6);
}

#[test]
fn a_reading_before_the_exchange_loses_nothing() {
    let limit = Bandwidth::greedy(100, 3, 10).unwrap();
    let limit = limit.with_initial_tokens(2).unwrap();
    for order in orders(6) {
        let bucket = AtomicBucket::new(limit, 100).unwrap();
        let granted = granted(&bucket, &order);
        let left = 6 - granted.len() as u64;
        assert_eq!(bucket.available(115), left, "{order:?} {granted:?}");
    }
}

#[test]
fn a_late_reading_waits_for_the_lag_and_what_is_missing() {
    let bucket = AtomicBucket::new(Bandwidth::per_second(3, TickRate::NANOS).unwrap(), 0).unwrap();
    let hour = 3_600 * SECOND;
    assert!(bucket.try_consume(Tokens::new(3).unwrap(), hour));
    // The clock goes back by an hour: not a token more before it is forward again.
    let wait = hour + SECOND.div_ceil(3);
    assert_eq!(bucket.wait(Tokens::ONE, 0), Wait::Ticks(wait));
    assert_eq!(bucket.available(hour - 1), 0);
    assert!(!bucket.try_consume(Tokens::ONE, wait - 1));
    assert!(bucket.try_consume(Tokens::ONE, wait));
}

#[test]
fn a_late_reading_stays_in_the_cycle_that_was_seen() {
    let limiter = AtomicCycleLimiter::new(CycleConfig::new(2, 1_000).unwrap(), 0).unwrap();
    assert!(limiter.try_acquire(Permits::ONE, 999));
    assert!(limiter.try_acquire(Permits::ONE, 1_000));
    assert!(limiter.try_acquire(Permits::ONE, 999));
    assert!(!limiter.try_acquire(Permits::ONE, 999));
    assert_eq!(
        (limiter.cycle(999), limiter.wait(Permits::ONE, 999)),
        (1, Wait::Ticks(1_001))
    );
}

#[test]
fn a_bucket_left_beyond_its_horizon_grants_no_more_than_its_burst() {
    // 33 333 a second: the word comes round in 6.4 days.
    let limit = Bandwidth::per_second(33_333, TickRate::NANOS).unwrap();
    let bucket = AtomicBucket::new(limit, 0).unwrap();
    let (idle, lag) = (bucket.max_idle(), bucket.max_lag());
    assert_eq!((idle / SECOND / 3_600, lag / SECOND / 3_600), (134, 19));
    assert_eq!(bucket.available(idle), 33_333);
    // Beyond, it refuses for at most the lag and the time to fill.
    let mut now = idle + 2;
    assert_eq!(bucket.available(now), 0);
    let wait = bucket.time_to_full(now).ticks().unwrap();
    assert!(wait <= lag + SECOND, "{wait}");
    now += wait;
    assert_eq!(bucket.consume_up_to(Tokens::MAX, now), 33_333);
    assert!(!bucket.try_consume(Tokens::ONE, now));
    // A touch in time prevents it.
    now += SECOND + idle;
    bucket.touch(now);
    assert_eq!(bucket.available(now + idle), 33_333);
    // A reading later than the lag finds a full bucket, not more.
    let _ = bucket.consume_up_to(Tokens::MAX, now + idle);
    let late = now + idle - lag - SECOND;
    assert_eq!(bucket.consume_up_to(Tokens::MAX, late), 33_333);
    assert_eq!(bucket.consume_up_to(Tokens::MAX, late), 0);
}

#[test]
fn a_cycle_number_that_wraps_loses_nothing() {
    // A million permits a tick: 2^44 numbers of cycles of one tick.
    let limit = 1_000_000;
    let limiter = AtomicCycleLimiter::new(CycleConfig::new(limit, 1).unwrap(), 5).unwrap();
    let idle = limiter.max_idle();
    assert_eq!(idle, (1 << 43) - 1);
    let mut now = 5;
    for _ in 0..5 {
        now += idle;
        assert_eq!(limiter.drain(now), limit, "{now}");
        assert_eq!(limiter.drain(now), 0);
        assert_eq!(limiter.cycle(now), now - 5);
        assert_eq!(limiter.wait(Permits::ONE, now), Wait::Ticks(1));
        // Late by a cycle, and by as many as are allowed.
        for late in [now - 1, now - idle] {
            assert_eq!(limiter.drain(late), 0, "{late}");
            assert_eq!(limiter.cycle(late), now - 5);
            assert_eq!(
                limiter.wait(Permits::ONE, late),
                Wait::Ticks(now + 1 - late)
            );
        }
    }
}

#[test]
fn cycles_that_began_before_tick_0_end_at_their_edge() {
    let config = CycleConfig::new(1, 1_000).unwrap().aligned_to(7_300);
    let limiter = AtomicCycleLimiter::new(config, 10).unwrap();
    assert!(limiter.try_acquire(Permits::ONE, 10));
    assert_eq!(limiter.wait(Permits::ONE, 10), Wait::Ticks(290));
    assert!(!limiter.try_acquire(Permits::ONE, 299));
    assert!(limiter.try_acquire(Permits::ONE, 300));
    assert_eq!(limiter.wait(Permits::ONE, 300), Wait::Ticks(1_000));
    // At the end of the clock nothing overflows.
    assert!(limiter.try_acquire(Permits::ONE, u64::MAX));
    assert!(!limiter.try_acquire(Permits::ONE, u64::MAX));
}

/// Threads that read a common clock, are held up, and ask; returns what they were granted in all.
fn ask(clock: impl Fn(u64) -> u64 + Sync, call: impl Fn(u64) -> u64 + Sync) -> u64 {
    let count = AtomicU64::new(0);
    let run = || {
        let mut granted = 0;
        loop {
            let number = count.fetch_add(1, Ordering::Relaxed);
            if number >= CALLS {
                return granted;
            }
            let now = clock(number);
            if number.is_multiple_of(64) {
                thread::yield_now();
            }
            granted += call(now);
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    })
}

/// How many calls the threads make together; miri is slow.
const CALLS: u64 = if cfg!(miri) { 2_000 } else { 200_000 };

#[test]
fn threads_are_granted_exactly_what_is_refilled() {
    // 7 tokens each 100 ticks, from an empty bucket that never becomes full: nothing may be lost.
    const LIMIT: Bandwidth = checked!(Bandwidth::greedy(1_000_000, 7, 100));
    static BUCKET: AtomicBucket =
        checked!(AtomicBucket::new(checked!(LIMIT.with_initial_tokens(0)), 0));
    let granted = ask(
        |number| number,
        |now| match now % 5 {
            0 => BUCKET.consume_up_to(Tokens::new(3).unwrap(), now),
            1 => {
                // Taken and given back.
                if BUCKET.try_consume(Tokens::new(2).unwrap(), now) {
                    BUCKET.add(Tokens::new(2).unwrap(), now);
                }
                0
            }
            _ => BUCKET.try_consume(Tokens::ONE, now).into(),
        },
    );
    assert!(granted > 0);
    let left = BUCKET.consume_up_to(Tokens::MAX, CALLS);
    assert_eq!(granted + left, CALLS * 7 / 100);
}

#[test]
fn threads_are_granted_a_cycle_at_most_once() {
    static LIMITER: AtomicCycleLimiter = checked!(AtomicCycleLimiter::new(
        checked!(CycleConfig::new(30, 100)),
        0
    ));
    let granted = ask(
        |number| number,
        |now| match now % 10 {
            0 => LIMITER.drain(now),
            _ => LIMITER.try_acquire(Permits::ONE, now).into(),
        },
    );
    assert!(granted > 0 && granted <= CALLS / 100 * 30, "{granted}");
}

#[test]
fn threads_are_granted_the_whole_of_one_cycle() {
    static LIMITER: AtomicCycleLimiter = checked!(AtomicCycleLimiter::new(
        checked!(CycleConfig::new(CALLS / 2 + 1, 10)),
        0
    ));
    // All of them find cycle 7 new.
    let granted = ask(
        |_| 70,
        |now| LIMITER.try_acquire(Permits::new(2).unwrap(), now).into(),
    );
    assert_eq!((granted, LIMITER.available(70)), (CALLS / 4, 1));
}
