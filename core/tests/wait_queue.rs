//! Waiting: first come, first served, nobody overtaken, nothing lost.

#![cfg(feature = "alloc")]

use tokenweir::{
    JoinError, Joined, Limiter, Limits, Served, Ticket, Tokens, TokensInheritance, Wait, WaitQueue,
};

const SECOND: u64 = 1_000_000_000;

fn limiter(text: &str) -> Limiter {
    Limiter::new(Limits::parse(text).expect("limits"), 0)
}

fn n(cost: u64) -> Tokens {
    Tokens::new(cost).expect("a cost")
}

/// Joins a caller who has to wait.
fn waiting(queue: &mut WaitQueue, limiter: &mut Limiter, cost: u64, now: u64) -> Ticket {
    match queue.join(limiter, n(cost), None, now) {
        Ok(Joined::Waiting(ticket)) => ticket,
        other => panic!("{other:?}"),
    }
}

/// Who is served at `now`, and how.
fn served(queue: &mut WaitQueue, now: u64) -> Vec<(Ticket, Served)> {
    std::iter::from_fn(|| queue.serve(now)).collect()
}

#[test]
fn the_first_to_come_is_the_first_served_each_at_its_nanosecond() {
    let mut limiter = limiter("3/s burst 1");
    let mut queue = WaitQueue::new(10_000);
    assert_eq!(queue.join(&mut limiter, n(1), None, 0), Ok(Joined::Granted));
    let tickets: Vec<_> = (0..5_000)
        .map(|_| waiting(&mut queue, &mut limiter, 1, 0))
        .collect();
    for (index, ticket) in (1_u64..).zip(tickets) {
        let due = (index * SECOND).div_ceil(3);
        assert_eq!(queue.next_at(), Some(due));
        assert_eq!(served(&mut queue, due - 1), []);
        assert_eq!(served(&mut queue, due), [(ticket, Served::Granted)]);
    }
    assert!(queue.is_empty());
}

#[test]
fn a_large_cost_is_not_starved_by_small_ones() {
    let mut limiter = limiter("10/s");
    let mut queue = WaitQueue::new(100);
    assert!(limiter.try_acquire(n(5), 0));
    let large = waiting(&mut queue, &mut limiter, 10, 0);
    assert!(!limiter.try_acquire(n(1), 0), "it would overtake");
    let small = waiting(&mut queue, &mut limiter, 1, 0);
    assert_eq!(served(&mut queue, SECOND / 2), [(large, Served::Granted)]);
    assert_eq!(
        served(&mut queue, SECOND * 6 / 10),
        [(small, Served::Granted)]
    );
}

#[test]
fn a_timer_that_is_late_costs_no_throughput() {
    let mut limiter = limiter("1000/s burst 1");
    let mut queue = WaitQueue::new(10_000);
    let _ = queue.join(&mut limiter, n(1), None, 0);
    for _ in 0..1_000 {
        waiting(&mut queue, &mut limiter, 1, 0);
    }
    // Asked only every 7 ms, where a bucket that holds one token would grant one each time.
    let grants: usize = (0..=SECOND / 7_000_000 + 1)
        .map(|turn| served(&mut queue, (turn * 7_000_000).min(SECOND)).len())
        .sum();
    assert_eq!(grants, 1_000);
}

#[test]
fn those_behind_one_who_leaves_are_served_earlier() {
    let mut limiter = limiter("1/s");
    let mut queue = WaitQueue::new(100);
    assert!(limiter.try_acquire(n(1), 0));
    let tickets: Vec<_> = (0..5)
        .map(|_| waiting(&mut queue, &mut limiter, 1, 0))
        .collect();
    let half = SECOND / 2;
    assert_eq!(
        queue.leave(&mut limiter, &[tickets[0], tickets[2]], half),
        2
    );
    assert_eq!(queue.leave(&mut limiter, &[tickets[0]], half), 0);
    assert_eq!(limiter.available(half), -3);
    let rest = [(1, tickets[1]), (2, tickets[3]), (3, tickets[4])];
    for (second, ticket) in rest {
        assert_eq!(queue.next_at(), Some(second * SECOND));
        assert_eq!(
            served(&mut queue, second * SECOND),
            [(ticket, Served::Granted)]
        );
    }
    assert_eq!(limiter.available(4 * SECOND), 1);
}

#[test]
fn one_who_leaves_after_its_time_but_before_it_is_served_gives_its_cost_back() {
    let mut limiter = limiter("1/s");
    let mut queue = WaitQueue::new(100);
    assert!(limiter.try_acquire(n(1), 0));
    let ticket = waiting(&mut queue, &mut limiter, 1, 0);
    assert_eq!(queue.leave(&mut limiter, &[ticket], SECOND), 1);
    assert_eq!(served(&mut queue, SECOND), []);
    assert!(limiter.try_acquire(n(1), SECOND));
}

#[test]
fn a_refusal_that_is_sure_is_told_at_once_and_takes_nothing() {
    let mut limiter = limiter("1/s burst 2");
    let mut queue = WaitQueue::new(1);
    let mut join = |cost, max_wait| queue.join(&mut limiter, n(cost), max_wait, 0);
    assert_eq!(join(3, None), Err(JoinError::Never));
    assert_eq!(join(2, Some(0)), Ok(Joined::Granted));
    let wait = Wait::Ticks(SECOND);
    assert_eq!(join(1, Some(0)), Err(JoinError::NotInTime { wait }));
    assert_eq!(
        join(1, Some(SECOND - 1)),
        Err(JoinError::NotInTime { wait })
    );
    assert!(matches!(join(1, Some(SECOND)), Ok(Joined::Waiting(_))));
    assert_eq!(join(1, None), Err(JoinError::QueueFull { most: 1 }));
    assert_eq!(limiter.available(0), -1);
}

#[test]
fn new_limits_plan_the_waiting_anew_and_leave_nobody_behind() {
    let mut limiter = limiter("a: 10/min");
    let mut queue = WaitQueue::new(100);
    assert!(limiter.try_acquire(n(10), 0));
    let patient = waiting(&mut queue, &mut limiter, 1, 0);
    let large = waiting(&mut queue, &mut limiter, 8, 0);
    let Ok(Joined::Waiting(hasty)) = queue.join(&mut limiter, n(1), Some(60 * SECOND), 0) else {
        panic!("in time")
    };
    let slower = Limits::parse("a: 4/min").expect("limits");
    queue.change(&mut limiter, SECOND, |limiter| {
        limiter.update(slower, TokensInheritance::AsIs, SECOND);
    });
    // Refilled for a second at 10/min, the rest at 4/min.
    assert_eq!(served(&mut queue, SECOND), [(large, Served::Never)]);
    assert_eq!(queue.next_at(), Some(SECOND + 12_500_000_000));
    assert_eq!(queue.len(), 2);
    let slowest = Limits::parse("a: 1/min").expect("limits");
    queue.change(&mut limiter, 2 * SECOND, |limiter| {
        limiter.update(slowest, TokensInheritance::AsIs, 2 * SECOND);
    });
    assert_eq!(served(&mut queue, 2 * SECOND), [(hasty, Served::NotInTime)]);
    assert_eq!(queue.len(), 1);
    queue.change(&mut limiter, 3 * SECOND, |limiter| {
        limiter.reset(3 * SECOND)
    });
    assert_eq!(served(&mut queue, 3 * SECOND), [(patient, Served::Granted)]);
    assert_eq!(limiter.available(3 * SECOND), 0);
}

#[test]
fn tokens_given_back_serve_the_waiting_at_once() {
    let mut limiter = limiter("1/hour burst 3; cycle 100/day");
    let mut queue = WaitQueue::new(100);
    assert!(limiter.try_acquire(n(3), 0));
    let tickets: Vec<_> = (0..3)
        .map(|_| waiting(&mut queue, &mut limiter, 1, 0))
        .collect();
    queue.change(&mut limiter, 5, |limiter| limiter.refund(n(2), 5));
    let granted = [(tickets[0], Served::Granted), (tickets[1], Served::Granted)];
    assert_eq!(served(&mut queue, 5), granted);
    assert_eq!(queue.len(), 1);
}
