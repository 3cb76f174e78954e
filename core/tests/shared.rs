//! Waiting for tokens: the promised tick, the order, and what giving up gives back.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use embedded_hal_async::delay::DelayNs;
use tokenweir::{
    Bandwidth, Clock, CycleConfig, ManualClock, Permits, ReserveError, SharedBucket, SharedCycle,
    TickRate, Tokens,
};

/// A timer on the same clock: a pause is over when the clock has come to its end.
struct Timer<'a> {
    clock: &'a ManualClock,
    /// When someone has to be woken next.
    next: &'a Cell<Option<u64>>,
    /// How much later than asked, in nanoseconds: each pause takes the next entry.
    late: RefCell<Vec<i64>>,
    pauses: Cell<usize>,
}

impl<'a> Timer<'a> {
    fn new(clock: &'a ManualClock, next: &'a Cell<Option<u64>>) -> Self {
        Self {
            clock,
            next,
            late: RefCell::default(),
            pauses: Cell::new(0),
        }
    }
}

impl DelayNs for Timer<'_> {
    async fn delay_ns(&mut self, ns: u32) {
        self.pauses.set(self.pauses.get() + 1);
        let late = self.late.borrow_mut().pop().unwrap_or(0);
        let nanos = u128::try_from(i64::from(ns) + late).unwrap();
        let ticks = (nanos * u128::from(self.clock.rate().hz())).div_ceil(1_000_000_000);
        let end = self.clock.now() + u64::try_from(ticks).unwrap();
        poll_fn(|_| {
            if self.clock.now() >= end {
                return Poll::Ready(());
            }
            let next = self.next.get().map_or(end, |next| next.min(end));
            self.next.set(Some(next));
            Poll::Pending
        })
        .await;
    }
}

fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Runs tasks to their end, and the clock to the next end of a pause whenever all of them wait.
fn run(
    clock: &ManualClock,
    next: &Cell<Option<u64>>,
    tasks: Vec<Pin<Box<dyn Future<Output = ()> + '_>>>,
) {
    let mut tasks = tasks;
    while !tasks.is_empty() {
        next.set(None);
        tasks.retain_mut(|task| poll(task.as_mut()).is_pending());
        if let Some(next) = next.get() {
            clock.set(next);
        }
    }
}

fn n(n: u64) -> Tokens {
    Tokens::new(n).unwrap()
}

#[test]
fn callers_are_served_in_order_at_the_promised_ticks() {
    // 3 in 10 ms: one in 3⅓.
    let clock = ManualClock::with_rate(0, TickRate::MILLIS);
    let next = Cell::new(None);
    let limit = Bandwidth::greedy(1, 3, 10).unwrap();
    let bucket = SharedBucket::new(limit.into(), &clock).unwrap();
    let served = RefCell::new(Vec::new());
    let tasks = (0..7).map(|task| {
        let (bucket, served, clock, next) = (&bucket, &served, &clock, &next);
        Box::pin(async move {
            let mut timer = Timer::new(clock, next);
            bucket
                .acquire(Tokens::ONE, 1_000, &mut timer)
                .await
                .unwrap();
            served.borrow_mut().push((task, clock.now()));
        }) as Pin<Box<dyn Future<Output = ()>>>
    });
    run(&clock, &next, tasks.collect());
    let expected = [(0, 0), (1, 4), (2, 7), (3, 10), (4, 14), (5, 17), (6, 20)];
    assert_eq!(*served.borrow(), expected);
}

#[test]
fn a_large_request_is_not_starved_by_small_ones() {
    let clock = ManualClock::with_rate(0, TickRate::MILLIS);
    let next = Cell::new(None);
    let bucket = SharedBucket::new(Bandwidth::greedy(2, 1, 10).unwrap().into(), &clock).unwrap();
    let served = RefCell::new(Vec::new());
    let tasks = [1_u64, 5, 1, 1]
        .into_iter()
        .enumerate()
        .map(|(task, amount)| {
            let (bucket, served, clock, next) = (&bucket, &served, &clock, &next);
            Box::pin(async move {
                let mut timer = Timer::new(clock, next);
                bucket.acquire(n(amount), 1_000, &mut timer).await.unwrap();
                served.borrow_mut().push((task, clock.now()));
            }) as Pin<Box<dyn Future<Output = ()>>>
        });
    run(&clock, &next, tasks.collect());
    assert_eq!(*served.borrow(), [(0, 0), (1, 40), (2, 50), (3, 60)]);
}

#[test]
fn a_dropped_future_gives_its_tokens_back() {
    let clock = ManualClock::new(0);
    let next = Cell::new(None);
    let bucket = SharedBucket::new(Bandwidth::greedy(2, 1, 100).unwrap().into(), &clock).unwrap();
    let mut timer = Timer::new(&clock, &next);
    {
        let mut future = pin!(bucket.acquire(n(5), 1_000, &mut timer));
        assert!(poll(future.as_mut()).is_pending());
        assert_eq!(bucket.available(), -3);
        clock.set(299);
        assert!(poll(future.as_mut()).is_pending());
    }
    assert_eq!(bucket.available(), 2);
    // Not once its time has come.
    {
        let mut future = pin!(bucket.acquire(n(5), 1_000, &mut timer));
        assert!(poll(future.as_mut()).is_pending());
        clock.set(299 + 300);
    }
    assert_eq!(bucket.available(), 0);
    // And a future that was never polled has taken nothing.
    drop(bucket.acquire(n(2), 1_000, &mut timer));
    clock.set(1_000);
    assert_eq!(bucket.available(), 2);
}

#[test]
fn a_refusal_comes_at_once_and_takes_nothing() {
    let clock = ManualClock::new(0);
    let next = Cell::new(None);
    let bucket = SharedBucket::new(Bandwidth::greedy(1, 1, 100).unwrap().into(), &clock).unwrap();
    let mut timer = Timer::new(&clock, &next);
    assert!(bucket.try_consume(Tokens::ONE));
    let refused = pollster::block_on(bucket.acquire(Tokens::ONE, 99, &mut timer));
    assert!(matches!(refused, Err(ReserveError::NotInTime { .. })));
    assert_eq!((bucket.available(), timer.pauses.get()), (0, 0));
    assert_eq!(
        pollster::block_on(bucket.acquire(Tokens::ONE, 0, &mut timer)),
        Err(ReserveError::NonPositiveWait)
    );
}

#[test]
fn the_clock_decides_when_a_pause_was_long_enough() {
    let clock = ManualClock::new(0);
    let next = Cell::new(None);
    let bucket = SharedBucket::new(Bandwidth::greedy(1, 1, 1_000).unwrap().into(), &clock).unwrap();
    let mut timer = Timer::new(&clock, &next);
    assert!(bucket.try_consume(Tokens::ONE));
    // A timer that runs fast, and then one that runs slow.
    timer.late = RefCell::new(vec![7, -1, -400]);
    let acquired = Cell::new(None);
    let task = async {
        bucket
            .acquire(Tokens::ONE, 1_000, &mut timer)
            .await
            .unwrap();
        acquired.set(Some(clock.now()));
    };
    run(&clock, &next, vec![Box::pin(task)]);
    assert_eq!(acquired.get(), Some(1_007));
    assert_eq!(timer.pauses.get(), 3);
}

#[test]
fn waits_of_any_length_are_passed_on_in_a_unit_that_fits() {
    #[derive(Default)]
    struct Units<'a> {
        clock: Option<&'a ManualClock>,
        asked: Vec<(u32, &'static str)>,
    }
    impl Units<'_> {
        fn pause(&mut self, count: u32, unit: &'static str, nanos: u64) {
            self.asked.push((count, unit));
            self.clock.unwrap().advance(u64::from(count) * nanos);
        }
    }
    impl DelayNs for Units<'_> {
        async fn delay_ns(&mut self, ns: u32) {
            self.pause(ns, "ns", 1);
        }
        async fn delay_us(&mut self, us: u32) {
            self.pause(us, "us", 1_000);
        }
        async fn delay_ms(&mut self, ms: u32) {
            self.pause(ms, "ms", 1_000_000);
        }
    }
    let asked_for = |wait: u64| {
        let clock = ManualClock::new(0);
        let limit = Bandwidth::greedy(1, 1, wait).unwrap();
        let bucket = SharedBucket::new(limit.into(), &clock).unwrap();
        assert!(bucket.try_consume(Tokens::ONE));
        let mut delay = Units {
            clock: Some(&clock),
            asked: Vec::new(),
        };
        pollster::block_on(bucket.acquire(Tokens::ONE, wait, &mut delay)).unwrap();
        assert!(clock.now() >= wait);
        delay.asked
    };
    let (second, day) = (1_000_000_000, 86_400_000_000_000);
    assert_eq!(asked_for(1), [(1, "ns")]);
    assert_eq!(asked_for(u32::MAX.into()), [(u32::MAX, "ns")]);
    assert_eq!(asked_for(5 * second), [(5_000_001, "us")]);
    assert_eq!(asked_for(day), [(86_400_001, "ms")]);
    assert_eq!(
        asked_for(60 * day),
        [(u32::MAX, "ms"), (889_032_705 + 1, "ms")]
    );
}

#[test]
fn permits_are_waited_for_and_given_back() {
    let clock = ManualClock::with_rate(0, TickRate::MILLIS);
    let next = Cell::new(None);
    let config = CycleConfig::new(2, 1_000)
        .unwrap()
        .with_timeout(1_500)
        .unwrap();
    let limiter = SharedCycle::new(config, &clock).unwrap();
    let mut timer = Timer::new(&clock, &next);
    assert!(limiter.try_acquire(Permits::ONE));
    {
        let mut future = pin!(limiter.acquire(Permits::new(2).unwrap(), &mut timer));
        assert!(poll(future.as_mut()).is_pending());
        assert_eq!(limiter.available(), -1);
    }
    assert_eq!(limiter.available(), 1);
    let refused = pollster::block_on(limiter.acquire(Permits::new(6).unwrap(), &mut timer));
    assert_eq!(refused.unwrap_err().code(), "not_permitted");
    run(
        &clock,
        &next,
        vec![Box::pin(async {
            limiter
                .acquire(Permits::new(3).unwrap(), &mut timer)
                .await
                .unwrap();
        })],
    );
    assert_eq!((clock.now(), limiter.available()), (1_000, 0));
}
