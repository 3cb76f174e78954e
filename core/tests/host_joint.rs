//! One decision over several subjects, and what listeners are told.

use tokenweir::{
    Counters, Decided, Limiter, LimiterState, Limits, Listener, ReserveError, Tokens,
    TokensInheritance, Wait, decide_all, reserve_all,
};

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;

fn limiter(text: &str) -> Limiter {
    Limiter::new(Limits::parse(text).unwrap(), 0)
}

fn tokens(n: u64) -> Tokens {
    Tokens::new(n).unwrap()
}

#[test]
fn a_refusal_by_tokens_leaves_the_requests_untouched() {
    let mut requests = limiter("10/min");
    let mut model_tokens = limiter("1000/min");
    let mut call = |size| {
        decide_all(
            &mut [
                requests.subject(Tokens::ONE),
                model_tokens.subject(tokens(size)),
            ],
            0,
        )
    };
    assert!(call(600).decision.allowed);
    let refused = call(500);
    assert_eq!((refused.subject, refused.decision.allowed), (1, false));
    assert_eq!(refused.decision.remaining, 400);
    assert_eq!(refused.decision.retry_after, Wait::Ticks(6 * SECOND));
    assert!(call(400).decision.allowed);
    assert_eq!((requests.available(0), model_tokens.available(0)), (8, 0));
}

#[test]
fn the_longest_wait_decides_a_refusal_and_the_least_left_a_grant() {
    let mut caller = limiter("burst: 2/s; hour: cycle 50/h");
    let mut global = limiter("3/min");
    let mut both = |now| {
        let joint = decide_all(
            &mut [caller.subject(Tokens::ONE), global.subject(Tokens::ONE)],
            now,
        );
        let decision = joint.decision;
        (
            decision.allowed,
            joint.subject,
            decision.scope,
            decision.remaining,
            decision.retry_after,
        )
    };
    assert_eq!(both(0), (true, 0, 0, 1, Wait::NONE));
    assert_eq!(both(0), (true, 0, 0, 0, Wait::NONE));
    assert_eq!(both(0), (false, 0, 0, 0, Wait::Ticks(SECOND / 2)));
    assert_eq!(both(SECOND), (true, 1, 0, 0, Wait::NONE));
    assert_eq!(both(SECOND), (false, 1, 0, 0, Wait::Ticks(19 * SECOND)));
    // The promise holds for the whole.
    assert!(!both(20 * SECOND - 1).0);
    assert!(both(20 * SECOND).0);
}

#[test]
fn never_by_one_subject_is_never() {
    let mut caller = limiter("5/s");
    let mut global = limiter("2/s");
    let joint = decide_all(
        &mut [caller.subject(tokens(3)), global.subject(tokens(3))],
        0,
    );
    assert_eq!((joint.subject, joint.decision.never()), (1, true));
    assert_eq!(caller.available(0), 5);
}

#[test]
fn without_subjects_nothing_is_refused() {
    assert!(decide_all(&mut [], 0).decision.allowed);
    assert_eq!(reserve_all(&mut [], 1, 0).unwrap().len(), 0);
}

#[test]
fn states_and_limiters_decide_together() {
    let limits = Limits::parse("1/s; cycle 5/min").unwrap();
    let mut states = [LimiterState::new(&limits, 0), LimiterState::new(&limits, 0)];
    let mut global = limiter("3/s");
    let mut allowed = |index: usize| {
        let subjects = &mut [
            states[index].subject(&limits, Tokens::ONE),
            global.subject(Tokens::ONE),
        ];
        decide_all(subjects, 0).decision.allowed
    };
    assert_eq!(
        [allowed(0), allowed(0), allowed(1), allowed(1)],
        [true, false, true, false]
    );
    assert_eq!(global.available(0), 1);
}

#[test]
fn a_reservation_over_several_waits_for_the_slowest() {
    let mut caller = limiter("1/s");
    let mut global = limiter("1/min; cycle 9/h");
    let mut both = |wait| {
        reserve_all(
            &mut [caller.subject(Tokens::ONE), global.subject(Tokens::ONE)],
            wait,
            0,
        )
    };
    assert_eq!(both(1).unwrap().iter().map(|one| one.wait()).max(), Some(0));
    let error = both(MINUTE - 1).unwrap_err();
    assert_eq!(
        (error.subject, error.error),
        (
            1,
            ReserveError::NotInTime {
                wait: Wait::Ticks(MINUTE)
            }
        )
    );
    assert_eq!(both(0).unwrap_err().code(), "non_positive_wait");
    let mut reservations = both(MINUTE).unwrap();
    assert_eq!((caller.available(0), global.available(0)), (-1, -1));
    let (global_part, caller_part) = (reservations.pop().unwrap(), reservations.pop().unwrap());
    // The caller's token would be there after a second, but not to be used before the minute is over.
    assert_eq!((caller_part.wait(), global_part.wait()), (MINUTE, MINUTE));
    assert!(caller.cancel(caller_part, 30 * SECOND));
    assert!(global.cancel(global_part, 30 * SECOND));
    assert_eq!(
        (caller.available(30 * SECOND), global.available(30 * SECOND)),
        (1, 0)
    );
}

#[test]
fn a_reservation_that_one_subject_cannot_keep_takes_nothing_from_the_others() {
    let mut deep = limiter("9223372036854775807/ns");
    deep.acquire_ignoring_limits(Tokens::MAX, 0).unwrap();
    deep.acquire_ignoring_limits(Tokens::MAX, 0).unwrap();
    let mut caller = limiter("5/s");
    let before = (caller.clone(), deep.clone());
    let error = reserve_all(
        &mut [caller.subject(Tokens::ONE), deep.subject(tokens(2))],
        MINUTE,
        0,
    );
    let error = error.unwrap_err();
    assert_eq!(
        (error.subject, error.error),
        (1, ReserveError::ReservationOverflow)
    );
    assert_eq!((caller, deep), before);
}

/// Writes down what it is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Log(Vec<String>);

impl Listener for Log {
    fn allowed(&mut self, event: &Decided<'_>) {
        let remaining = event.decision().remaining;
        self.0
            .push(format!("allowed {} leaves {remaining}", event.cost()));
    }

    fn refused(&mut self, event: &Decided<'_>) {
        let decision = event.decision();
        let name = event.limits().name(decision.scope);
        let at = event.now();
        self.0.push(format!(
            "refused {} by {name} at {at}: {}",
            event.cost(),
            decision.retry_after
        ));
    }

    fn refunded(&mut self, tokens: Tokens, now: u64) {
        self.0.push(format!("refunded {tokens} at {now}"));
    }

    fn replaced(&mut self, limits: &Limits, inheritance: TokensInheritance, now: u64) {
        self.0
            .push(format!("replaced by {limits}, {inheritance:?} at {now}"));
    }
}

#[test]
fn a_listener_is_told_of_every_change_with_its_numbers() {
    let mut limiter = limiter("api: 3/s").with_listener(Log::default());
    assert!(limiter.try_acquire(tokens(2), 0));
    assert!(!limiter.try_acquire(tokens(2), 5));
    let _ = limiter.check(Tokens::ONE, 0);
    let reservation = limiter.reserve(tokens(3), SECOND, 0).unwrap();
    assert!(limiter.reserve(tokens(3), SECOND, 0).is_err());
    assert!(limiter.cancel(reservation, 7));
    limiter.refund(Tokens::ONE, 8);
    assert_eq!(limiter.acquire_up_to(tokens(9), 8), 1);
    assert_eq!(limiter.acquire_up_to(tokens(9), 8), 0);
    limiter.acquire_ignoring_limits(tokens(4), 8).unwrap();
    limiter.update(
        Limits::parse("api: 6/s").unwrap(),
        TokensInheritance::AsIs,
        9,
    );
    // A look is not a decision.
    let _ = limiter.peek(tokens(9), 9);
    let expected = [
        "allowed 2 leaves 1",
        "refused 2 by api at 5: 333333329 ticks",
        "allowed 1 leaves 0",
        "allowed 3 leaves 0",
        "refused 3 by api at 0: 2000000000 ticks",
        "refunded 3 at 7",
        "refunded 1 at 8",
        "allowed 1 leaves 0",
        "refused 9 by api at 8: never",
        "allowed 4 leaves 0",
        "replaced by api: 6/s, AsIs at 9",
    ];
    assert_eq!(limiter.listener().0, expected);
}

#[test]
fn every_subject_of_a_joint_decision_is_told_of_the_whole() {
    let mut caller = limiter("5/s").with_listener(Counters::default());
    let mut global = limiter("3/s").with_listener(Log::default());
    for size in [2, 2] {
        let subjects = &mut [caller.subject(tokens(size)), global.subject(tokens(size))];
        let _ = decide_all(subjects, 0);
    }
    let reserved = reserve_all(
        &mut [caller.subject(Tokens::ONE), global.subject(tokens(2))],
        SECOND,
        0,
    );
    assert_eq!(reserved.map(|all| all.len()), Ok(2));
    let counters = *caller.listener();
    assert_eq!(
        (counters.allowed, counters.refused, counters.tokens),
        (2, 1, 3)
    );
    let expected = [
        "allowed 2 leaves 1",
        "refused 2 by 3/s at 0: 333333334 ticks",
        "allowed 2 leaves 0",
    ];
    assert_eq!(global.listener().0, expected);
}

#[test]
fn counters_count_and_add_up() {
    let mut limiter = limiter("3/s").with_listener(Counters::default());
    assert!(limiter.try_acquire(tokens(2), 0));
    assert!(!limiter.try_acquire(tokens(2), 0));
    limiter.refund(Tokens::ONE, 0);
    let one = *limiter.listener();
    let named = [
        ("allowed", 1),
        ("refused", 1),
        ("tokens", 2),
        ("refunded_tokens", 1),
    ];
    assert_eq!(one.named(), named);
    let all: Counters = [one, one, one].into_iter().sum();
    assert_eq!(
        (all.allowed, all.refused, all.tokens, all.refunded_tokens),
        (3, 3, 6, 3)
    );
    // A listener elsewhere is lent.
    let mut shared = all;
    let mut lent = Limiter::new(Limits::parse("1/s").unwrap(), 0).with_listener(&mut shared);
    assert!(lent.try_acquire(Tokens::ONE, 0));
    assert_eq!(shared.allowed, 4);
}
