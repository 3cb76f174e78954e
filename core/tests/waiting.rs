//! The rules of waiting: first come, first served, nothing lost, nobody asleep for a sure refusal.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use tokenweir::{
    AcquireError, Clock, Limits, MonotonicClock, SharedLimiter, TickRate, Tokens, TokensInheritance,
};
use tokio::runtime::{Builder, Runtime};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, sleep};

/// The runtime's own time, which stands still but for sleeping.
#[derive(Clone, Copy)]
struct RuntimeClock(Instant);

impl Clock for RuntimeClock {
    fn now(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }

    fn rate(&self) -> TickRate {
        TickRate::NANOS
    }
}

const LONG: Duration = Duration::from_secs(1_000_000);

fn tokens(n: u64) -> Tokens {
    Tokens::new(n).expect("positive")
}

fn limits(text: &str) -> Limits {
    Limits::parse(text).expect("limits")
}

fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime")
}

/// Runs tasks on one thread, with a limiter on the runtime's time.
fn with_runtime<F: Future<Output = ()>>(
    text: &str,
    run: impl FnOnce(Rc<SharedLimiter<RuntimeClock>>) -> F,
) {
    let local = LocalSet::new();
    local.block_on(&runtime(), async {
        let clock = RuntimeClock(Instant::now());
        run(Rc::new(
            SharedLimiter::new(limits(text), clock).expect("a limiter"),
        ))
        .await;
    });
}

#[test]
fn tasks_are_served_in_the_order_they_came_however_large_their_costs() {
    with_runtime("10/s", |limiter| async move {
        let done = Rc::new(RefCell::new(Vec::new()));
        let tasks: Vec<_> = [10, 8, 1, 1, 10, 1]
            .into_iter()
            .enumerate()
            .map(|(place, cost)| {
                let (limiter, done) = (Rc::clone(&limiter), Rc::clone(&done));
                spawn_local(async move {
                    let acquired = limiter.acquire_async(tokens(cost), LONG, sleep).await;
                    acquired.expect("in time");
                    done.borrow_mut()
                        .push((place, limiter.clock().now() / 100_000_000));
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no panic");
        }
        let expected = [(0, 0), (1, 8), (2, 9), (3, 10), (4, 20), (5, 21)];
        assert_eq!(*done.borrow(), expected, "(place, tenth of a second)");
    });
}

#[test]
fn five_thousand_waiters_are_served_in_order_and_at_the_rate() {
    with_runtime("1000/s burst 1", |limiter| async move {
        let done = Rc::new(RefCell::new(Vec::new()));
        let tasks: Vec<_> = (0..5_000)
            .map(|place| {
                let (limiter, done) = (Rc::clone(&limiter), Rc::clone(&done));
                spawn_local(async move {
                    let acquired = limiter.acquire_async(Tokens::ONE, LONG, sleep).await;
                    acquired.expect("in time");
                    done.borrow_mut().push(place);
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("no panic");
        }
        assert!(done.borrow().iter().copied().eq(0..5_000));
        assert_eq!(limiter.clock().now(), 4_999_000_000);
    });
}

#[test]
fn a_wait_that_is_given_up_returns_its_tokens() {
    with_runtime("10/s", |limiter| async move {
        assert!(limiter.try_acquire(tokens(10)));
        let waiting = {
            let limiter = Rc::clone(&limiter);
            spawn_local(async move { limiter.acquire_async(tokens(5), LONG, sleep).await })
        };
        sleep(Duration::from_millis(100)).await;
        assert_eq!(limiter.with(|limiter, now| limiter.available(now)), -4);
        waiting.abort();
        assert!(waiting.await.expect_err("aborted").is_cancelled());
        assert_eq!(limiter.with(|limiter, now| limiter.available(now)), 1);
    });
}

#[test]
fn a_sleep_that_ends_early_is_repeated() {
    with_runtime("10/s burst 1", |limiter| async move {
        assert!(limiter.try_acquire(Tokens::ONE));
        let mut sleeps = 0;
        let half = |wait: Duration| {
            sleeps += 1;
            sleep(wait / 2)
        };
        let acquired = limiter.acquire_async(Tokens::ONE, LONG, half).await;
        acquired.expect("in time");
        assert!(sleeps > 1 && limiter.clock().now() >= 100_000_000);
    });
}

#[test]
fn a_wait_equal_to_the_timeout_is_granted_and_a_longer_one_refused_at_once() {
    with_runtime("10/s burst 1", |limiter| async move {
        assert!(limiter.try_acquire(Tokens::ONE));
        let wait = Duration::from_millis(100);
        let short = wait - Duration::from_nanos(1);
        let refused = limiter.acquire_async(Tokens::ONE, short, sleep).await;
        let expected = AcquireError::NotInTime {
            retry_after: wait,
            scope: 0,
        };
        assert_eq!(refused, Err(expected));
        let refused = limiter
            .acquire_async(Tokens::ONE, Duration::ZERO, sleep)
            .await;
        assert_eq!(refused, Err(expected));
        let never = limiter.acquire_async(tokens(2), LONG, sleep).await;
        assert_eq!(never, Err(AcquireError::Never { scope: 0 }));
        assert_eq!(limiter.clock().now(), 0, "nobody slept");
        assert_eq!(
            limiter.acquire_async(Tokens::ONE, wait, sleep).await,
            Ok(())
        );
        assert_eq!(limiter.clock().now(), 100_000_000);
    });
}

#[test]
fn new_limits_do_not_hang_those_who_wait() {
    with_runtime("api: 1/s", |limiter| async move {
        assert!(limiter.try_acquire(Tokens::ONE));
        let waiting = {
            let limiter = Rc::clone(&limiter);
            spawn_local(async move { limiter.acquire_async(Tokens::ONE, LONG, sleep).await })
        };
        sleep(Duration::from_millis(1)).await;
        let slower = limits("api: 1/day");
        limiter
            .update(slower, TokensInheritance::AsIs)
            .expect("limits");
        assert_eq!(waiting.await.expect("no panic"), Ok(()));
        assert_eq!(limiter.clock().now(), 1_000_000_000, "as promised");
    });
}

#[test]
fn threads_wait_by_themselves_and_get_exactly_the_rate() {
    let limiter = SharedLimiter::new(limits("1000/s burst 1"), MonotonicClock::new());
    let limiter = limiter.expect("a limiter");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    limiter.acquire(Tokens::ONE, LONG).expect("in time");
                }
            });
        }
    });
    // 40 tokens, of which one was there: the last came after 39 ms at least.
    assert!(limiter.clock().now() >= 39_000_000);
}

#[test]
fn threads_that_cannot_be_served_in_time_are_back_without_sleeping() {
    let clock = tokenweir::ManualClock::new(0);
    // A thread that slept would never see this clock move.
    let limiter = SharedLimiter::new(limits("1/10s"), clock).expect("a limiter");
    let refused = AtomicUsize::new(0);
    for _ in 0..10 {
        if limiter
            .acquire(Tokens::ONE, Duration::from_secs(1))
            .is_err()
        {
            refused.fetch_add(1, Ordering::Relaxed);
        }
    }
    assert_eq!(refused.into_inner(), 9);
}

#[test]
fn a_clock_of_another_unit_is_refused() {
    let clock = tokenweir::ManualClock::with_rate(0, TickRate::MILLIS);
    let error = SharedLimiter::new(limits("1/s"), clock).expect_err("milliseconds");
    assert_eq!(error.code(), "requires_nanoseconds");
    let clock = tokenweir::ManualClock::new(0);
    let error = SharedLimiter::new(limits("1/day aligned"), clock).expect_err("monotonic");
    assert_eq!(error.code(), "aligned_requires_wall_clock");
}
