//! Buckets and what is done to them, at random.

use proptest::prelude::*;
use tokenweir::{Bandwidth, BandwidthId, TokensInheritance};
use tokenweir_reference as model;

use crate::numbers::{Edge, MAX, Move, count, edge, instant, moves};

/// A bandwidth; an aligned one gets its edge where the bucket is built.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    pub(crate) capacity: u64,
    pub(crate) tokens: u64,
    pub(crate) period: u64,
    pub(crate) style: Style,
    pub(crate) initial: Option<u64>,
    pub(crate) id: Option<u64>,
}

#[derive(Clone, Debug)]
pub(crate) enum Style {
    Greedy,
    Interval,
    Aligned(Edge),
    Adaptive(Edge),
}

/// A bucket's life.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) start: u64,
    pub(crate) limits: Vec<Limit>,
    /// Whether the bucket has room for more bandwidths than it needs.
    pub(crate) spare: bool,
    pub(crate) steps: Vec<(Move, Op)>,
}

/// What is done. Bandwidths and reservations are named by a number modulo how many there are.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    TryConsume(Amount),
    Probe(Amount),
    Estimate(Amount),
    UpTo(Amount),
    Ignoring(Amount),
    Reserve(Amount, MaxWait),
    Cancel(usize),
    Add(Amount),
    ForceAdd(Amount),
    Reset,
    Replace(Vec<Limit>, TokensInheritance),
    /// A replacement by variations of the bandwidths there are.
    Vary(Box<Variation>, TokensInheritance),
}

/// What becomes of each bandwidth.
#[derive(Clone, Debug)]
pub(crate) struct Variation {
    capacity: Scale,
    tokens: Scale,
    period: Scale,
    style: Option<Style>,
}

#[derive(Clone, Debug)]
enum Scale {
    Same,
    Ratio(u64, u64),
    To(u64),
}

impl Scale {
    fn of(&self, n: u64) -> u64 {
        match *self {
            Self::Same => n,
            Self::Ratio(a, b) => (n.saturating_mul(a) / b).clamp(1, MAX),
            Self::To(n) => n,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Amount {
    Exactly(u64),
    /// The capacity of a bandwidth, and a few more or less.
    Capacity(usize, i8),
    /// What there is, and a few more or less.
    Available(i8),
}

#[derive(Clone, Debug)]
pub(crate) enum MaxWait {
    Exactly(u64),
    /// What is needed, and a few more or less.
    Needed(i8),
}

impl Limit {
    /// This bandwidth changed.
    pub(crate) fn varied(&self, variation: &Variation) -> Self {
        let style = variation.style.as_ref().unwrap_or(&self.style);
        Self {
            capacity: variation.capacity.of(self.capacity),
            tokens: variation.tokens.of(self.tokens),
            period: variation.period.of(self.period),
            style: style.clone(),
            initial: self
                .initial
                .filter(|_| !matches!(style, Style::Adaptive(_))),
            id: self.id,
        }
    }

    /// The bandwidth of the crate and the oracle's, as built at `now`.
    pub(crate) fn build(&self, now: u64) -> (Bandwidth, model::Bandwidth) {
        let (capacity, tokens, period) = (self.capacity, self.tokens, self.period);
        let (built, style) = match &self.style {
            Style::Greedy => (
                Bandwidth::greedy(capacity, tokens, period),
                model::Style::Greedy,
            ),
            Style::Interval => (
                Bandwidth::interval(capacity, tokens, period),
                model::Style::Interval,
            ),
            Style::Aligned(edge) => {
                let first = edge.from(now, period);
                let first_refill = first.into();
                (
                    Bandwidth::aligned(capacity, tokens, period, first),
                    model::Style::Aligned { first_refill },
                )
            }
            Style::Adaptive(edge) => {
                let first = edge.from(now, period);
                let first_refill = first.into();
                (
                    Bandwidth::adaptive(capacity, tokens, period, first),
                    model::Style::Adaptive { first_refill },
                )
            }
        };
        let mut built = built.expect("counts are in range");
        let mut oracle = model::Bandwidth::new(capacity, tokens, period, style);
        if let Some(initial) = self.initial {
            built = built.with_initial_tokens(initial).expect("not adaptive");
            oracle = oracle.with_initial(initial);
        }
        if let Some(id) = self.id {
            built = built.with_id(BandwidthId::new(id));
            oracle = oracle.with_id(id.to_string());
        }
        (built, oracle)
    }
}

/// A life of some ten steps; most are of any kind, some lead to where few do.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    let any = (instant(), limits(limit()), steps(moves(), op()));
    let life = prop_oneof![3 => any, 1 => before_the_first_edge(), 1 => in_parts()];
    (life, prop::bool::weighted(0.2)).prop_map(|((start, limits, steps), spare)| Case {
        start,
        limits,
        spare,
        steps,
    })
}

/// Begins near tick 0 with aligned bandwidths whose first edge is ahead, and soon replaces them.
fn before_the_first_edge() -> impl Strategy<Value = (u64, Vec<Limit>, Vec<(Move, Op)>)> {
    let style = prop_oneof![
        (1..90_u64).prop_map(|first| Style::Aligned(Edge::At(first))),
        (1..90_u64).prop_map(|first| Style::Adaptive(Edge::At(first))),
    ];
    let sizes = (1..=20_u64, 1..=9_u64, 20..=300_u64);
    let short = prop_oneof![Just(Move::Stay), (-9..=9_i64).prop_map(Move::By)];
    let varied = (variation(), inheritance()).prop_map(|(varied, how)| Op::Vary(varied, how));
    let ops = prop_oneof![2 => op(), 1 => varied];
    (0..30_u64, limits(limit_of(sizes, style)), steps(short, ops))
}

/// Greedy bandwidths that are often left with a part of a token, and then replaced.
fn in_parts() -> impl Strategy<Value = (u64, Vec<Limit>, Vec<(Move, Op)>)> {
    let sizes = (1..=40_u64, 1..=9_u64, 8..=200_u64);
    let short = (1..=20_i64).prop_map(Move::By);
    let ops = prop_oneof![
        2 => (1..=12_u64).prop_map(|n| Op::UpTo(Amount::Exactly(n))),
        1 => (1..=12_u64).prop_map(|n| Op::Ignoring(Amount::Exactly(n))),
        2 => (variation(), inheritance()).prop_map(|(varied, how)| Op::Vary(varied, how)),
        1 => op(),
    ];
    let limits = limits(limit_of(sizes, Just(Style::Greedy)));
    (instant(), limits, steps(short, ops))
}

fn steps(
    moves: impl Strategy<Value = Move>,
    ops: impl Strategy<Value = Op>,
) -> impl Strategy<Value = Vec<(Move, Op)>> {
    prop::collection::vec((moves, ops), 1..24)
}

/// One to four bandwidths, of which no two have the same id.
fn limits(limit: impl Strategy<Value = Limit>) -> impl Strategy<Value = Vec<Limit>> {
    let sizes = prop_oneof![5 => Just(1_usize), 3 => Just(2), 1 => Just(3), 1 => Just(4)];
    (sizes, prop::collection::vec(limit, 4)).prop_map(|(size, mut limits)| {
        limits.truncate(size);
        for at in 1..size {
            let (before, rest) = limits.split_at_mut(at);
            if before.iter().any(|limit| limit.id == rest[0].id) {
                rest[0].id = None;
            }
        }
        limits
    })
}

fn limit() -> impl Strategy<Value = Limit> {
    limit_of(sizes(), style())
}

fn limit_of(
    sizes: impl Strategy<Value = (u64, u64, u64)>,
    style: impl Strategy<Value = Style>,
) -> impl Strategy<Value = Limit> {
    let initial = prop_oneof![4 => Just(None), 1 => Just(Some(0)), 2 => count().prop_map(Some)];
    let id = prop_oneof![3 => Just(None), 2 => (0..3_u64).prop_map(Some)];
    (sizes, style, initial, id).prop_map(|((capacity, tokens, period), style, initial, id)| Limit {
        capacity,
        tokens,
        period,
        initial: initial.filter(|_| !matches!(style, Style::Adaptive(_))),
        style,
        id,
    })
}

fn style() -> impl Strategy<Value = Style> {
    prop_oneof![
        4 => Just(Style::Greedy),
        2 => Just(Style::Interval),
        2 => edge().prop_map(Style::Aligned),
        2 => edge().prop_map(Style::Adaptive),
    ]
}

fn variation() -> impl Strategy<Value = Box<Variation>> {
    let scale = || {
        prop_oneof![
            3 => Just(Scale::Same),
            3 => (1..=5_u64, 1..=3_u64).prop_map(|(a, b)| Scale::Ratio(a, b)),
            1 => count().prop_map(Scale::To),
        ]
    };
    let capacity = prop_oneof![6 => scale(), 1 => Just(Scale::To(MAX))];
    (
        capacity,
        scale(),
        scale(),
        prop::option::weighted(0.3, style()),
    )
        .prop_map(|(capacity, tokens, period, style)| {
            Box::new(Variation {
                capacity,
                tokens,
                period,
                style,
            })
        })
}

/// Capacity, tokens and period.
fn sizes() -> impl Strategy<Value = (u64, u64, u64)> {
    prop_oneof![
        3 => (1..=12_u64, 1..=12_u64, 1..=12_u64),
        3 => (1..=20_u64, 1..=9_u64, 8..=200_u64),
        3 => (1..=1_000_u64, 1..=1_000_u64, count()),
        3 => around_the_narrow_bound(),
        3 => (count(), count(), count()),
    ]
}

/// Capacities whose units are next to 63 bits, up to which one word decides.
pub(crate) fn around_the_narrow_bound() -> impl Strategy<Value = (u64, u64, u64)> {
    (count(), count(), -2..=2_i64).prop_map(|(tokens, period, off)| {
        let capacity = (MAX / period).saturating_add_signed(off).clamp(1, MAX);
        (capacity, tokens, period)
    })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => amount().prop_map(Op::TryConsume),
        5 => amount().prop_map(Op::Probe),
        2 => amount().prop_map(Op::Estimate),
        3 => amount().prop_map(Op::UpTo),
        3 => amount().prop_map(Op::Ignoring),
        5 => (amount(), max_wait()).prop_map(|(n, wait)| Op::Reserve(n, wait)),
        4 => (0..4_usize).prop_map(Op::Cancel),
        2 => amount().prop_map(Op::Add),
        2 => amount().prop_map(Op::ForceAdd),
        1 => Just(Op::Reset),
        2 => (limits(limit()), inheritance()).prop_map(|(limits, how)| Op::Replace(limits, how)),
        4 => (variation(), inheritance()).prop_map(|(varied, how)| Op::Vary(varied, how)),
    ]
}

fn inheritance() -> impl Strategy<Value = TokensInheritance> {
    prop_oneof![
        3 => Just(TokensInheritance::AsIs),
        4 => Just(TokensInheritance::Proportional),
        3 => Just(TokensInheritance::Additive),
        1 => Just(TokensInheritance::Reset),
    ]
}

pub(crate) fn amount() -> impl Strategy<Value = Amount> {
    prop_oneof![
        4 => (1..=12_u64).prop_map(Amount::Exactly),
        2 => count().prop_map(Amount::Exactly),
        1 => Just(Amount::Exactly(MAX)),
        3 => (0..4_usize, -1..=1_i8).prop_map(|(which, off)| Amount::Capacity(which, off)),
        3 => (-1..=2_i8).prop_map(Amount::Available),
    ]
}

fn max_wait() -> impl Strategy<Value = MaxWait> {
    prop_oneof![
        2 => count().prop_map(MaxWait::Exactly),
        1 => prop::sample::select(vec![0, 1, MAX, u64::MAX]).prop_map(MaxWait::Exactly),
        4 => (-1..=1_i8).prop_map(MaxWait::Needed),
        2 => Just(MaxWait::Exactly(MAX)),
    ]
}
