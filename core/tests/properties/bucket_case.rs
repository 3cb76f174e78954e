//! Buckets and what is done to them, at random.

use proptest::prelude::*;
use tokenweir::TokensInheritance;

use crate::bucket_limits::{Limit, Style, Variation, limit, limit_of, limits, variation};
use crate::numbers::{Edge, MAX, Move, count, instant, moves};

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
