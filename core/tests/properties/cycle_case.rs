//! Fixed-cycle limiters and what is done to them, at random.

use proptest::prelude::*;
use tokenweir::CycleConfig;
use tokenweir_reference as model;

use crate::numbers::{Edge, MAX, Move, count, edge, instant, moves};

/// A configuration; aligned cycles get their edge where the limiter is built.
#[derive(Clone, Debug)]
pub(crate) struct Cycles {
    pub(crate) limit: u64,
    pub(crate) period: u64,
    pub(crate) timeout: u64,
    pub(crate) edge: Option<Edge>,
}

/// A limiter's life.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) start: u64,
    pub(crate) cycles: Cycles,
    pub(crate) steps: Vec<(Move, Op)>,
}

/// What is done. Reservations are named by a number modulo how many there are.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Acquire(Amount),
    Reserve(Amount),
    Cancel(usize),
    Drain,
    ChangeLimit(u64),
    ChangeTimeout(u64),
    Replace(Cycles),
}

#[derive(Clone, Debug)]
pub(crate) enum Amount {
    Exactly(u64),
    /// So many limits, and a few more or less.
    Limits(u64, i8),
    /// What there is, and a few more or less.
    Available(i8),
}

impl Cycles {
    /// The configuration of the crate, as built at `now`.
    pub(crate) fn config(&self, now: u64) -> CycleConfig {
        let config = CycleConfig::new(self.limit, self.period).expect("in range");
        let config = config.with_timeout(self.timeout).expect("in range");
        match &self.edge {
            Some(edge) => config.aligned_to(edge.from(now, self.period)),
            None => config,
        }
    }
}

/// The oracle's limiter.
pub(crate) fn oracle(config: &CycleConfig, now: u64) -> model::CycleLimiter {
    let (limit, period, timeout) = (config.limit(), config.period(), config.timeout());
    match config.edge() {
        Some(edge) => model::CycleLimiter::aligned(limit, period, timeout, edge, now),
        None => model::CycleLimiter::new(limit, period, timeout, now),
    }
    .expect("the crate took it")
}

/// A life of some ten steps; one in four begins in a cycle that began before tick 0.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    let steps = prop::collection::vec((moves(), op()), 1..24);
    let early = (1..300_u64).prop_map(|edge| Some(Edge::At(edge)));
    let early = (0..30_u64, cycles_of((1..=20_u64, 8..=300_u64), early));
    let any = (instant(), cycles());
    (prop_oneof![3 => any, 1 => early], steps).prop_map(|((start, cycles), steps)| Case {
        start,
        cycles,
        steps,
    })
}

fn cycles() -> impl Strategy<Value = Cycles> {
    let sizes = prop_oneof![
        2 => (1..=12_u64, 1..=12_u64),
        1 => (1..=12_u64, Just(1_u64)),
        4 => (1..=20_u64, 8..=200_u64),
        3 => (count(), count()),
    ];
    cycles_of(sizes, prop::option::of(edge()))
}

fn cycles_of(
    sizes: impl Strategy<Value = (u64, u64)>,
    edge: impl Strategy<Value = Option<Edge>>,
) -> impl Strategy<Value = Cycles> {
    (sizes, timeout(), edge).prop_map(|((limit, period), timeout, edge)| Cycles {
        limit,
        period,
        timeout: timeout.unwrap_or_else(|(eighths, off)| {
            let wait = u128::from(period) * u128::from(eighths) / 8;
            let wait = u64::try_from(wait).unwrap_or(MAX);
            wait.saturating_add_signed(off).min(MAX)
        }),
        edge,
    })
}

/// A timeout, or a number of eighths of the period and a few ticks.
fn timeout() -> impl Strategy<Value = Result<u64, (u8, i64)>> {
    prop_oneof![
        2 => Just(Ok(0)),
        5 => (0..=40_u8, -1..=1_i64).prop_map(Err),
        2 => count().prop_map(Ok),
        2 => Just(Ok(MAX)),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let setting = || {
        prop_oneof![
            4 => 1..=20_u64,
            3 => count(),
            1 => prop::sample::select(vec![0, MAX, MAX + 1, u64::MAX]),
        ]
    };
    prop_oneof![
        6 => amount().prop_map(Op::Acquire),
        9 => amount().prop_map(Op::Reserve),
        5 => (0..4_usize).prop_map(Op::Cancel),
        2 => Just(Op::Drain),
        2 => setting().prop_map(Op::ChangeLimit),
        1 => setting().prop_map(Op::ChangeTimeout),
        3 => cycles().prop_map(Op::Replace),
    ]
}

fn amount() -> impl Strategy<Value = Amount> {
    prop_oneof![
        4 => (1..=30_u64).prop_map(Amount::Exactly),
        1 => count().prop_map(Amount::Exactly),
        1 => Just(Amount::Exactly(MAX)),
        4 => (1..=4_u64, -1..=1_i8).prop_map(|(limits, off)| Amount::Limits(limits, off)),
        3 => (-1..=2_i8).prop_map(Amount::Available),
    ]
}
