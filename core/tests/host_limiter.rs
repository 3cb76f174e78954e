//! One decision over buckets and cycles mixed: all grant or none pays.

use tokenweir::{
    Bandwidth, CycleConfig, Limit, Limiter, LimiterState, Limits, ReserveError, Tokens,
    TokensInheritance, Wait,
};

const MILLI: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MILLI;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

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
fn a_refusal_by_one_limit_leaves_the_others_untouched() {
    // Each kind refuses once while all others would grant.
    for (text, refuser) in [
        ("100/s; 3/min; cycle 50/h; cycle 80/day aligned", 1),
        ("100/s; 30/min; cycle 3/h; cycle 80/day aligned", 2),
        ("100/s; 30/min; cycle 50/h; cycle 3/day aligned", 3),
    ] {
        let mut limiter = limiter(text, 0);
        assert!(limiter.try_acquire(tokens(2), 0));
        let before = each(&limiter, 0);
        assert!(!limiter.try_acquire(tokens(2), 0));
        let decision = limiter.check(tokens(2), 0);
        assert_eq!(
            (decision.allowed, decision.scope),
            (false, refuser),
            "{text}"
        );
        assert_eq!(decision.remaining, 1);
        assert_eq!(each(&limiter, 0), before, "{text}");
    }
}

#[test]
fn a_refusal_is_decided_by_the_longest_wait_and_kept_as_promised() {
    let mut limiter = limiter("fast: 2/s; slow: 3/min; hourly: cycle 4/h", 0);
    let taken = limiter.check(tokens(2), 0);
    assert!(taken.allowed);
    // Fast has 0 of 2, slow 1 of 3: fast has the least left.
    assert_eq!(
        (limiter.limits().name(taken.scope), taken.remaining),
        ("fast", 0)
    );
    assert_eq!((taken.limit, taken.retry_after), (2, Wait::NONE));
    assert_eq!(taken.reset_after, Wait::Ticks(SECOND));
    // Fast would wait for 1 s, slow for 20 s.
    let refused = limiter.check(tokens(2), 0);
    assert_eq!(
        (limiter.limits().name(refused.scope), refused.remaining),
        ("slow", 1)
    );
    assert_eq!(
        (refused.limit, refused.retry_after),
        (3, Wait::Ticks(20 * SECOND))
    );
    assert_eq!(refused.reset_after, Wait::Ticks(40 * SECOND));
    assert!(!limiter.try_acquire(tokens(2), 20 * SECOND - 1));
    assert!(limiter.try_acquire(tokens(2), 20 * SECOND));
    // Now the cycle is the last to have any.
    let refused = limiter.check(Tokens::ONE, MINUTE);
    assert_eq!(limiter.limits().name(refused.scope), "hourly");
    assert_eq!(refused.retry_after, Wait::Ticks(HOUR - MINUTE));
    assert!(!limiter.try_acquire(Tokens::ONE, HOUR - 1));
    assert!(limiter.try_acquire(Tokens::ONE, HOUR));
}

#[test]
fn of_limits_that_are_alike_the_one_that_takes_longest_to_fill_decides() {
    let mut limiter = limiter("10/s; 10/day", 0);
    assert_eq!(limiter.check(Tokens::ONE, 0).scope, 1);
    let refused = limiter.check(tokens(10), 0);
    assert_eq!(
        (refused.scope, refused.retry_after),
        (1, Wait::Ticks(DAY / 10))
    );
}

#[test]
fn a_cost_above_a_quota_is_never_granted() {
    for text in ["10/s; 5/min", "10/s; cycle 5/min", "cycle 5/min", "5/s"] {
        let mut limiter = limiter(text, 0);
        assert!(!limiter.check(tokens(5), 0).never());
        let decision = limiter.check(tokens(6), 0);
        assert!(!decision.allowed);
        assert!(decision.never(), "{text}");
        assert_eq!(decision.retry_after, Wait::Never);
        assert_eq!(limiter.limits().get(decision.scope).unwrap().quota(), 5);
    }
}

#[test]
fn a_peek_says_what_is_there_and_changes_nothing() {
    let limiter = limiter("4/s; cycle 9/min", 0);
    let before = limiter.clone();
    let decision = limiter.peek(tokens(3), 0);
    assert_eq!(
        (decision.allowed, decision.scope, decision.remaining),
        (true, 0, 4)
    );
    let decision = limiter.peek(tokens(5), 0);
    assert_eq!((decision.allowed, decision.never()), (false, true));
    assert_eq!(limiter, before);
}

#[test]
fn the_least_of_what_is_there_can_be_taken_at_once() {
    let mut limiter = limiter("8/s; cycle 5/min", 0);
    assert_eq!(limiter.acquire_up_to(tokens(2), 0), 2);
    assert_eq!(limiter.acquire_up_to(Tokens::MAX, 0), 3);
    assert_eq!(limiter.acquire_up_to(Tokens::MAX, 0), 0);
    assert_eq!(each(&limiter, 0), [3, 0]);
    assert_eq!(
        (limiter.available(0), limiter.time_to_full(0)),
        (0, Wait::Ticks(MINUTE))
    );
}

#[test]
fn a_refund_is_for_every_limit_up_to_its_quota() {
    let mut limiter = limiter("8/s; cycle 5/min", 0);
    assert!(limiter.try_acquire(tokens(4), 0));
    limiter.refund(tokens(3), 0);
    assert_eq!(each(&limiter, 0), [7, 4]);
    limiter.refund(tokens(3), 0);
    assert_eq!(each(&limiter, 0), [8, 5]);
    // What was added by force is not taken away by a refund, and a cycle has it until its end.
    limiter.force_add(tokens(10), 0);
    limiter.refund(tokens(1), 0);
    assert_eq!(each(&limiter, 0), [18, 15]);
    assert_eq!(each(&limiter, MINUTE), [18, 5]);
    limiter.reset(0);
    assert_eq!(each(&limiter, 0), [8, 5]);
}

#[test]
fn a_reservation_takes_from_every_limit_and_waits_for_the_slowest() {
    let mut limiter = limiter("2/s; cycle 4/min", 0);
    assert!(limiter.try_acquire(tokens(2), 0));
    let reservation = limiter.reserve(tokens(3), MINUTE, 0).unwrap();
    assert_eq!(reservation.cost().get(), 3);
    // The bucket needs 1.5 s for three more, the cycle has two left and needs its next edge.
    assert_eq!(
        (reservation.wait(), reservation.ready_at()),
        (MINUTE, MINUTE)
    );
    assert_eq!(each(&limiter, 0), [-3, -1]);
    let before = limiter.clone();
    let refused = limiter.reserve(tokens(4), MINUTE, 0).unwrap_err();
    assert_eq!(
        refused,
        ReserveError::NotInTime {
            wait: Wait::Ticks(2 * MINUTE)
        }
    );
    assert_eq!(
        limiter.reserve(Tokens::ONE, 0, 0).unwrap_err(),
        ReserveError::NonPositiveWait
    );
    assert_eq!(limiter, before);
    // As if it had not been: the bucket has refilled two since.
    assert!(limiter.cancel(reservation, SECOND));
    assert_eq!(each(&limiter, SECOND), [2, 2]);
}

#[test]
fn a_cancelled_reservation_gives_no_permits_to_a_later_cycle() {
    // The permit counts for the first cycle, the token comes only after it.
    let mut limiter = limiter("1/min; cycle 2/10s", 0);
    assert!(limiter.try_acquire(Tokens::ONE, 0));
    let reserved = |limiter: &mut Limiter| {
        let reservation = limiter.reserve(Tokens::ONE, MINUTE, 0).unwrap();
        assert_eq!(
            (reservation.wait(), each(limiter, 0)),
            (MINUTE, vec![-1, 0])
        );
        reservation
    };
    let mut later = limiter.clone();
    let reservation = reserved(&mut limiter);
    assert!(limiter.cancel(reservation, 9 * SECOND));
    assert_eq!(each(&limiter, 9 * SECOND), [0, 1]);
    // In the second cycle, of which one is used.
    let reservation = reserved(&mut later);
    assert!(
        later
            .acquire_ignoring_limits(Tokens::ONE, 10 * SECOND)
            .is_ok()
    );
    assert_eq!(each(&later, 10 * SECOND), [-2, 1]);
    assert!(later.cancel(reservation, 10 * SECOND));
    assert_eq!(each(&later, 10 * SECOND), [-1, 1]);
}

#[test]
fn a_reservation_whose_time_has_come_is_not_given_back() {
    for text in ["1/s", "cycle 1/s", "1/s; cycle 1/s"] {
        let mut limiter = limiter(text, 0);
        assert!(limiter.try_acquire(Tokens::ONE, 0));
        let reservation = limiter.reserve(Tokens::ONE, SECOND, 0).unwrap();
        let mut seen = limiter.clone();
        let again = limiter.clone().reserve(Tokens::ONE, 2 * SECOND, 0).unwrap();
        assert_eq!((reservation.wait(), again.wait()), (SECOND, 2 * SECOND));
        assert!(!limiter.cancel(reservation, SECOND), "{text}");
        // Nor by a clock that has gone back since.
        seen.acquire_ignoring_limits(Tokens::ONE, 2 * SECOND)
            .unwrap();
        let before = seen.clone();
        assert!(!seen.cancel(again, SECOND), "{text}");
        assert_eq!(seen, before);
    }
}

#[test]
fn a_debt_is_paid_by_every_limit() {
    let mut limiter = limiter("2/s; cycle 4/min", 0);
    assert_eq!(
        limiter.acquire_ignoring_limits(tokens(9), 0),
        Ok(2 * MINUTE)
    );
    assert_eq!(each(&limiter, 0), [-7, -5]);
    assert_eq!(limiter.available(0), -7);
    assert_eq!(limiter.peek(Tokens::ONE, 0).remaining, 0);
    let before = limiter.clone();
    let error = limiter.acquire_ignoring_limits(Tokens::MAX, 0).unwrap_err();
    assert_eq!(error, ReserveError::ReservationOverflow);
    assert_eq!(limiter, before);
}

#[test]
fn recurring_edges_begin_with_the_first_after_creation() {
    // Noon of the 100th day.
    let noon = 100 * DAY + DAY / 2;
    let mut adaptive = limiter("1000/day adaptive", noon);
    assert_eq!(adaptive.available(noon), 500);
    assert!(adaptive.try_acquire(tokens(500), noon));
    let refused = adaptive.check(Tokens::ONE, noon);
    assert_eq!(refused.retry_after, Wait::Ticks(DAY / 2));
    assert_eq!(adaptive.available(101 * DAY), 1000);
    // On the edge itself the period has just begun.
    assert_eq!(
        limiter("1000/day adaptive", 100 * DAY).available(100 * DAY),
        1000
    );
    let shifted = limiter("1000/day adaptive at 18h", noon);
    assert_eq!(shifted.available(noon), 250);
    let aligned = limiter("1000/day aligned initial 10", noon);
    assert_eq!(aligned.available(noon), 10);
    assert_eq!(aligned.time_to_full(noon), Wait::Ticks(DAY / 2));
    // A first edge that is given is the first, also where it has passed.
    let past = limiter("1000/day adaptive from 0s", noon);
    assert_eq!(past.available(noon), 1000);
    // Weeks begin on Monday: day 102 is one, since day 4 was.
    let weekly = limiter("70/week adaptive", noon);
    assert_eq!(weekly.available(noon), 15);
    // An update starts fresh limits in the same way.
    let mut updated = limiter("a: 1/s", noon);
    updated.update(
        limits("b: 1000/day adaptive"),
        TokensInheritance::AsIs,
        noon,
    );
    assert_eq!(updated.available(noon), 500);
    // At the end of time there is no next edge; nothing overflows.
    let last = limiter("1000/day adaptive", u64::MAX);
    assert_eq!(last.available(u64::MAX), 1000);
}

#[test]
fn aligned_limits_need_a_wall_clock() {
    for text in [
        "10/day aligned",
        "10/s; cycle 10/min aligned",
        "1/h adaptive from 5s",
    ] {
        let limits = limits(text);
        assert!(limits.is_aligned());
        assert_eq!(limits.check_clock(true), Ok(()));
        let error = limits.check_clock(false).unwrap_err();
        assert_eq!(error.code(), "aligned_requires_wall_clock");
    }
    assert_eq!(
        limits("interval 10/day; cycle 10/min").check_clock(false),
        Ok(())
    );
}

#[test]
fn limits_that_cannot_be_together_are_refused() {
    let limit = |n: u64| Limit::bandwidth(Bandwidth::greedy(n, n, SECOND).unwrap());
    let cycle = Limit::cycle(CycleConfig::new(1, SECOND).unwrap());
    let code = |limits: Vec<Limit>| Limits::new(limits).unwrap_err().code();
    assert_eq!(code(vec![]), "no_bandwidths");
    assert_eq!(code(vec![limit(1); 33]), "too_many_bandwidths");
    assert_eq!(
        code(vec![limit(1).named("a"), cycle.named("a")]),
        "duplicate_bandwidth_id"
    );
    assert_eq!(code(vec![limit(1).named("")]), "limit_name_length");
    assert_eq!(
        code(vec![limit(1).named("x".repeat(129))]),
        "limit_name_length"
    );
    assert!(Limits::new(vec![limit(1); 32]).is_ok());
    assert!(Limits::new([limit(1).named("x".repeat(128))]).is_ok());
}

#[test]
fn a_state_of_one_limit_needs_no_heap() {
    assert_eq!(size_of::<LimiterState>(), 40);
}

#[test]
fn a_clock_that_goes_back_grants_nothing_extra_and_loses_nothing() {
    let mut limiter = limiter("2/s; cycle 5/min", HOUR);
    assert!(limiter.try_acquire(tokens(2), HOUR));
    let refused = limiter.check(Tokens::ONE, 0);
    assert_eq!(refused.retry_after, Wait::Ticks(HOUR + SECOND / 2));
    assert!(!limiter.try_acquire(Tokens::ONE, HOUR + SECOND / 2 - 1));
    assert!(limiter.try_acquire(Tokens::ONE, HOUR + SECOND / 2));
}
