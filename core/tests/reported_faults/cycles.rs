//! Reports of users of Resilience4j's limiter; the numbers are those of its issues.

use tokenweir::{
    ClockedCycle, CycleConfig, CycleConfigError, CycleLimiter, DurationError, ManualClock, Permits,
    TickRate, Wait,
};

use super::{HOUR, MILLISECOND, MINUTE, SECOND};

fn permits(n: u64) -> Permits {
    Permits::new(n).expect("in range")
}

fn config(limit: u64, period: u64, timeout: u64) -> CycleConfig {
    let config = CycleConfig::new(limit, period).expect("in range");
    config.with_timeout(timeout).expect("in range")
}

/// How many of `calls` calls are granted at `now`.
fn granted(limiter: &mut CycleLimiter, calls: usize, now: u64) -> usize {
    (0..calls)
        .filter(|_| limiter.try_acquire(Permits::ONE, now))
        .count()
}

/// 822: waits were rounded down, and extra permits were given in a cycle.
#[test]
fn nine_reservations_of_three_in_10_s_get_no_more_than_their_cycles_have() {
    let mut limiter = CycleLimiter::new(config(3, 10 * SECOND, 12 * SECOND), 0);
    let waits = [(); 9].map(|()| {
        limiter
            .reserve(Permits::ONE, 0)
            .ok()
            .map(|made| made.wait())
    });
    let (now, next) = (Some(0), Some(10 * SECOND));
    assert_eq!(waits, [now, now, now, next, next, next, None, None, None]);
}

/// 1283, 1968, 2194: a refusal that was certain still slept for the whole timeout.
#[test]
fn a_certain_refusal_is_told_at_once_with_the_time_to_ask_again() {
    let mut limiter = CycleLimiter::new(config(1, 10 * SECOND, 5 * SECOND), 0);
    assert_eq!(limiter.reserve(Permits::ONE, 0).unwrap().wait(), 0);
    let refusal = limiter.reserve(Permits::ONE, SECOND).unwrap_err();
    // The next cycle begins at 10 s, which is within the timeout from 5 s on.
    assert_eq!(refusal.wait, Wait::Ticks(4 * SECOND));
    assert_eq!(limiter.available(SECOND), 0);
    assert!(limiter.reserve(Permits::ONE, 5 * SECOND - 1).is_err());
    assert_eq!(
        limiter.reserve(Permits::ONE, 5 * SECOND).unwrap().wait(),
        5 * SECOND
    );
}

/// 314, and 1521 and 626, where an interrupted wait lost its permit: nothing could be given back.
#[test]
fn a_reservation_is_given_back_before_its_cycle_and_not_after() {
    let mut limiter = CycleLimiter::new(config(5, 10 * SECOND, MINUTE), 0);
    assert_eq!(limiter.drain(0), 5);
    let [early, late] = [3, 2].map(|n| limiter.reserve(permits(n), 0).unwrap());
    assert_eq!(limiter.available(0), -5);
    assert!(limiter.cancel(early, 10 * SECOND - 1));
    assert_eq!(limiter.available(10 * SECOND - 1), -2);
    assert!(!limiter.cancel(late, 10 * SECOND));
    assert_eq!(limiter.available(10 * SECOND), 3);
}

/// 1368, 1645, PR 1386: the period could not be changed at run time.
#[test]
fn a_new_period_keeps_the_debt_and_counts_from_the_change() {
    let mut limiter = CycleLimiter::new(config(5, MINUTE, MINUTE), 0);
    assert_eq!(
        limiter.reserve(permits(7), 10 * SECOND).unwrap().wait(),
        50 * SECOND
    );
    limiter.replace(config(5, SECOND, MINUTE), 20 * SECOND);
    assert_eq!(
        (limiter.cycle(20 * SECOND), limiter.available(20 * SECOND)),
        (0, -2)
    );
    assert_eq!(limiter.wait(Permits::ONE, 20 * SECOND), Wait::Ticks(SECOND));
    assert_eq!(
        (limiter.cycle(21 * SECOND), limiter.available(21 * SECOND)),
        (1, 3)
    );
}

/// 752, 1668: cycles could not begin at full minutes.
#[test]
fn cycles_aligned_to_the_minute_end_31_s_after_10_00_29() {
    let at = 10 * HOUR + 29 * SECOND;
    for edge in [0, 10 * HOUR, 10 * HOUR + 5 * MINUTE] {
        let mut limiter = CycleLimiter::new(config(2, MINUTE, 0).aligned_to(edge), at);
        assert_eq!(limiter.drain(at), 2);
        assert_eq!(limiter.wait(Permits::ONE, at), Wait::Ticks(31 * SECOND));
        assert_eq!(granted(&mut limiter, 3, 10 * HOUR + MINUTE), 2);
    }
}

/// 1356, 2064, 336: twice the limit across an edge, which is what a fixed cycle does.
#[test]
fn two_a_second_are_two_before_and_two_after_an_edge() {
    let mut limiter = CycleLimiter::new(config(2, SECOND, 0), 0);
    assert_eq!(granted(&mut limiter, 3, 990 * MILLISECOND), 2);
    assert_eq!(granted(&mut limiter, 3, SECOND), 2);
    assert_eq!(granted(&mut limiter, 3, 1_999 * MILLISECOND), 0);
}

/// 1073: a lowered limit applies from the next cycle on.
#[test]
fn a_limit_lowered_from_10_to_5_after_3_leaves_7_and_then_5() {
    let mut limiter = CycleLimiter::new(config(10, SECOND, 0), 0);
    assert_eq!(granted(&mut limiter, 3, 0), 3);
    limiter.change_limit(5, 0).unwrap();
    assert_eq!(granted(&mut limiter, 20, 0), 7);
    assert_eq!(granted(&mut limiter, 20, SECOND), 5);
    assert_eq!(granted(&mut limiter, 20, 2 * SECOND), 5);
}

/// 2489: a limit lowered below the permits left stopped the refresh for ever.
#[test]
fn a_limit_lowered_below_what_is_left_goes_on_in_every_later_cycle() {
    let mut limiter = CycleLimiter::new(config(5, SECOND, 0), 0);
    limiter.change_limit(2, 0).unwrap();
    assert_eq!(granted(&mut limiter, 20, 0), 5);
    for cycle in 1..20 {
        assert_eq!(granted(&mut limiter, 20, cycle * SECOND), 2);
    }
}

/// 1701: a timeout of `i64::MAX` seconds overflowed.
#[test]
fn a_timeout_beyond_63_bits_of_nanoseconds_is_refused_and_the_longest_works() {
    let seconds = core::time::Duration::from_secs(i64::MAX as u64);
    let error = TickRate::NANOS.ticks(seconds).unwrap_err();
    assert!(matches!(error, DurationError::Overflow { secs, .. } if secs == i64::MAX as u64));
    let longest = i64::MAX as u64;
    let error = config(1, SECOND, 0).with_timeout(longest + 1).unwrap_err();
    assert_eq!(
        error,
        CycleConfigError::TimeoutTooLarge { timeout: 1 << 63 }
    );
    let mut limiter = CycleLimiter::new(config(1, SECOND, longest), 0);
    let all = (longest / SECOND).min(1_000_000);
    let reservation = limiter.reserve(permits(all), 0).unwrap();
    assert_eq!(reservation.wait(), (all - 1) * SECOND);
}

/// 1244: all limiters shared one start.
#[test]
fn each_limiter_counts_its_cycles_from_its_own_construction() {
    let config = config(1, 10 * SECOND, 0);
    let mut first = CycleLimiter::new(config, 0);
    let mut second = CycleLimiter::new(config, 4 * SECOND);
    let now = 5 * SECOND;
    assert!(first.try_acquire(Permits::ONE, now) && second.try_acquire(Permits::ONE, now));
    assert_eq!(first.wait(Permits::ONE, now), Wait::Ticks(5 * SECOND));
    assert_eq!(second.wait(Permits::ONE, now), Wait::Ticks(9 * SECOND));
}

/// 1228, 755, 2169: after a server has said "too many", what is left must be drained; a stale balance
/// was.
#[test]
fn a_drain_takes_what_the_current_cycle_has_left() {
    let mut limiter = CycleLimiter::new(config(10, SECOND, 0), 0);
    assert_eq!(granted(&mut limiter, 4, 0), 4);
    assert_eq!(limiter.drain(0), 6);
    assert_eq!(granted(&mut limiter, 1, SECOND - 1), 0);
    // A cycle later, with no call in between, the whole limit is there to be drained.
    assert_eq!(limiter.drain(SECOND), 10);
    assert_eq!(limiter.drain(SECOND), 0);
    assert_eq!(granted(&mut limiter, 20, 2 * SECOND), 10);
}

/// 2269: a refusal did not say when to come back.
#[test]
fn a_refusal_says_the_wait_the_limit_and_what_is_left() {
    let mut limiter = CycleLimiter::new(config(10, SECOND, 0), 0);
    assert_eq!(granted(&mut limiter, 7, 0), 7);
    let refusal = limiter.reserve(permits(4), 400 * MILLISECOND).unwrap_err();
    assert_eq!(refusal.wait, Wait::Ticks(600 * MILLISECOND));
    assert_eq!((refusal.limit, refusal.remaining), (10, 3));
    assert_eq!(refusal.code(), "not_permitted");
}

/// 1025, PR 2356: a limiter could not be tested without sleeping.
#[test]
fn an_injected_clock_moves_the_cycles() {
    let clock = ManualClock::new(0);
    let mut limiter = ClockedCycle::new(config(1, MINUTE, 0), &clock).unwrap();
    assert_eq!(
        [
            limiter.try_acquire(Permits::ONE),
            limiter.try_acquire(Permits::ONE)
        ],
        [true, false]
    );
    clock.advance(MINUTE);
    assert_eq!(
        (limiter.cycle(), limiter.try_acquire(Permits::ONE)),
        (1, true)
    );
}

/// 1757: some operators could not ask for more than one permit.
#[test]
fn every_operation_takes_a_number_of_permits() {
    let mut limiter = CycleLimiter::new(config(10, SECOND, SECOND), 0);
    assert!(limiter.try_acquire(permits(6), 0));
    assert!(!limiter.try_acquire(permits(5), 0));
    assert_eq!(limiter.reserve(permits(5), 0).unwrap().wait(), SECOND);
    assert_eq!(limiter.wait(permits(10), 0), Wait::Ticks(2 * SECOND));
}

/// 336, 2336: whether a wait of exactly the timeout passes was unclear. It does.
#[test]
fn of_25_reservations_of_five_a_second_20_are_within_3_s() {
    let mut limiter = CycleLimiter::new(config(5, SECOND, 3 * SECOND), 0);
    let granted = (0..25)
        .filter(|_| limiter.reserve(Permits::ONE, 0).is_ok())
        .count();
    assert_eq!(granted, 20);
}
