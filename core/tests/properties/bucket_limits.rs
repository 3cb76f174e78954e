//! Bandwidths at random, and variations of them.

use proptest::prelude::*;
use tokenweir::{Bandwidth, BandwidthId};
use tokenweir_reference as model;

use crate::numbers::{Edge, MAX, count, edge};

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

/// One to four bandwidths, of which no two have the same id.
pub(crate) fn limits(limit: impl Strategy<Value = Limit>) -> impl Strategy<Value = Vec<Limit>> {
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

pub(crate) fn limit() -> impl Strategy<Value = Limit> {
    limit_of(sizes(), style())
}

pub(crate) fn limit_of(
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

pub(crate) fn variation() -> impl Strategy<Value = Box<Variation>> {
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
