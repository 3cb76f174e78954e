//! The short cut of one word and the wide path: both answer alike.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use tokenweir::{Bandwidth, Bucket};

use crate::bucket_case::{Amount, Case, Op, amount};
use crate::bucket_limits::{Limit, Style, around_the_narrow_bound};
use crate::bucket_run;
use crate::numbers::{MAX, Move, instant, moves};
use crate::runner::Tally;

/// One or two greedy bandwidths on either side of the bound, and calls that the short cut is for.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    let limit = around_the_narrow_bound().prop_map(|(capacity, tokens, period)| Limit {
        capacity,
        tokens,
        period,
        style: Style::Greedy,
        initial: None,
        id: None,
    });
    let ops = prop_oneof![
        12 => amount().prop_map(Op::TryConsume),
        2 => amount().prop_map(Op::UpTo),
        1 => amount().prop_map(Op::Ignoring),
        1 => amount().prop_map(Op::ForceAdd),
    ];
    let steps = prop::collection::vec((moves(), ops), 1..24);
    (instant(), prop::collection::vec(limit, 1..=2), steps).prop_map(|(start, limits, steps)| {
        Case {
            start,
            limits,
            spare: false,
            steps,
        }
    })
}

/// The same limit twice: in tokens and period, and in both times a factor that takes its units beyond
/// one word.
#[derive(Clone, Debug)]
pub(crate) struct Twins {
    capacity: u64,
    tokens: u64,
    period: u64,
    factor: u64,
    start: u64,
    steps: Vec<(Move, Amount)>,
}

pub(crate) fn twins() -> impl Strategy<Value = Twins> {
    let bits = |most: u32| (0..most, 1..=1_u64 << most).prop_map(|(bits, n)| (n >> bits).max(1));
    let sizes = (bits(31), bits(40), bits(30));
    let steps = prop::collection::vec((moves(), amount()), 1..24);
    (sizes, 0..9_u64, instant(), steps).prop_map(
        |((capacity, tokens, period), more, start, steps)| {
            // At least 2 units, so that the factor leaves room for the period and the tokens.
            let capacity = capacity.saturating_add(1);
            let units = capacity * period;
            let tokens = tokens.min(units / 2);
            let most = MAX / period.max(tokens);
            let factor = ((1 << 63) / units + 1 + more).min(most);
            Twins {
                capacity,
                tokens,
                period,
                factor,
                start,
                steps,
            }
        },
    )
}

/// Both twins answer alike at every step.
pub(crate) fn alike(twins: &Twins, tally: &Tally) -> TestCaseResult {
    let Twins {
        capacity,
        tokens,
        period,
        factor,
        ..
    } = *twins;
    let narrow = Bandwidth::greedy(capacity, tokens, period).expect("in range");
    let wide = Bandwidth::greedy(capacity, tokens * factor, period * factor).expect("in range");
    let beyond = |limit: &Bandwidth| {
        u128::from(limit.capacity()) * u128::from(limit.period()) >= u128::from(MAX)
    };
    prop_assert!(!beyond(&narrow));
    tally.note_if(beyond(&wide), "twins on both sides");
    let mut narrow = Bucket::<1>::new(narrow.into(), twins.start);
    let mut wide = Bucket::<1>::new(wide.into(), twins.start);
    let (mut now, mut wait) = (twins.start, None);
    for (clock, amount) in &twins.steps {
        now = clock.from(now, period, wait);
        let n = bucket_run::amount(amount, &narrow, now);
        let estimate = narrow.estimate(n, now);
        prop_assert_eq!(estimate, wide.estimate(n, now));
        wait = estimate.wait.ticks().or(wait);
        let granted = narrow.try_consume(n, now);
        prop_assert_eq!(granted, wide.try_consume(n, now));
        prop_assert_eq!(narrow.time_to_full(now), wide.time_to_full(now));
        tally.note(if granted {
            "twins grant"
        } else {
            "twins refuse"
        });
        let (narrow, wide) = (narrow.snapshot(), wide.snapshot());
        let (narrow, wide) = (narrow.levels()[0], wide.levels()[0]);
        prop_assert_eq!(narrow.tokens, wide.tokens);
        prop_assert_eq!(narrow.last_refill, wide.last_refill);
        prop_assert_eq!(narrow.remainder * factor, wide.remainder);
        tally.note_if(wide.remainder > 0, "twins with part of a token");
    }
    Ok(())
}
