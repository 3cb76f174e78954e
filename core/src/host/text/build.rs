//! From what was said about a limit to the limit.

use super::error::LimitSyntaxError;
use super::scan::{Number, Scanner};
use super::units;
use crate::host::limit::Limit;
use crate::{Bandwidth, BandwidthError, CycleConfig, CycleConfigError};

pub(super) const PERIOD: &str = "a period of 1 ns to 292 years in all";
const AMOUNT: &str = "an amount above 0, at most 9223372036854775807";

/// What was said about a limit, each with its place.
#[derive(Default)]
pub(super) struct Said {
    pub(super) interval: Option<usize>,
    pub(super) cycle: Option<usize>,
    pub(super) aligned: Option<(usize, Edge)>,
    pub(super) adaptive: Option<(usize, Edge)>,
    pub(super) burst: Option<Number>,
    pub(super) initial: Option<Number>,
}

/// What an alignment goes by.
#[derive(Clone, Copy)]
pub(super) enum Edge {
    /// The grid from the epoch.
    Epoch,
    /// The grid through this time after the epoch, in nanoseconds.
    At(u64),
    /// The first refill at this time after the epoch, in nanoseconds.
    From(u64),
}

/// An amount in each period: the ratio in whole numbers, which are `u64::MAX` if they do not fit.
pub(super) struct Rate {
    pub(super) tokens: u64,
    pub(super) period: u64,
    /// The amount as it was written, rounded up.
    pub(super) amount: u64,
    pub(super) amount_at: usize,
    pub(super) period_at: usize,
}

/// A number as the constructors take it: one that does not fit becomes one that they refuse.
pub(super) fn narrowed(wide: u128) -> u64 {
    u64::try_from(wide).unwrap_or(u64::MAX)
}

/// The limit of a bucket.
pub(super) fn bandwidth(
    scanner: &Scanner<'_>,
    rate: &Rate,
    said: &Said,
) -> Result<Limit, LimitSyntaxError> {
    let edges = said.adaptive.or(said.aligned);
    if let (Some((at, _)), Some(_)) = (said.aligned, said.adaptive) {
        return Err(scanner.error_at(at, "`aligned` or `adaptive`, not both"));
    }
    let (first, recurring) = match edges {
        Some((_, Edge::Epoch)) => (units::origin(rate.period), true),
        Some((_, Edge::At(edge))) => (edge, true),
        Some((_, Edge::From(first))) => (first, false),
        None => (0, false),
    };
    let at_once = edges.is_some() || said.interval.is_some();
    let (tokens, period) = (rate.tokens, rate.period);
    // Tokens that come at once must fit; others need not.
    let usual = if at_once { tokens } else { rate.amount };
    let capacity = said.burst.map_or(usual, |burst| narrowed(burst.value));
    let built = match (said.adaptive, said.aligned, said.interval) {
        (Some(_), _, _) => Bandwidth::adaptive(capacity, tokens, period, first),
        (_, Some(_), _) => Bandwidth::aligned(capacity, tokens, period, first),
        (_, _, Some(_)) => Bandwidth::interval(capacity, tokens, period),
        _ => Bandwidth::greedy(capacity, tokens, period),
    };
    let built = built.and_then(|bandwidth| match said.initial {
        Some(initial) => bandwidth.with_initial_tokens(narrowed(initial.value)),
        None => Ok(bandwidth),
    });
    match built {
        Ok(bandwidth) if recurring => Ok(Limit::bandwidth(bandwidth).recurring()),
        Ok(bandwidth) => Ok(Limit::bandwidth(bandwidth)),
        Err(error) => Err(out_of_range(scanner, rate, said, &error)),
    }
}

/// The place of the number that a bandwidth cannot have.
fn out_of_range(
    scanner: &Scanner<'_>,
    rate: &Rate,
    said: &Said,
    error: &BandwidthError,
) -> LimitSyntaxError {
    let of = |number: Option<Number>| number.map_or(rate.amount_at, |number| number.at);
    let (at, expected) = match error {
        BandwidthError::NonPositiveCapacity { .. } | BandwidthError::CapacityOverflow { .. } => {
            (of(said.burst), AMOUNT)
        }
        BandwidthError::NonPositiveRefillTokens { .. }
        | BandwidthError::RefillTokensOverflow { .. } => (rate.amount_at, AMOUNT),
        BandwidthError::InitialTokensOverflow { .. } => {
            (of(said.initial), "at most 9223372036854775807 tokens")
        }
        BandwidthError::AdaptiveConflictsWithInitialTokens => (
            of(said.initial),
            "no initial tokens, which `adaptive` computes",
        ),
        _ => (rate.period_at, PERIOD),
    };
    scanner.error_at(at, expected)
}

/// The limit of a cycle.
pub(super) fn cycle(
    scanner: &Scanner<'_>,
    rate: &Rate,
    said: &Said,
) -> Result<Limit, LimitSyntaxError> {
    let wrong = said
        .interval
        .or(said.adaptive.map(|(at, _)| at))
        .or(said.burst.map(|number| number.at))
        .or(said.initial.map(|number| number.at));
    if let Some(at) = wrong {
        return Err(scanner.error_at(at, "no word but `aligned` with `cycle`"));
    }
    let config = CycleConfig::new(rate.tokens, rate.period).map_err(|error| {
        let (at, expected) = match error {
            CycleConfigError::LimitTooSmall { .. } | CycleConfigError::LimitTooLarge { .. } => {
                (rate.amount_at, AMOUNT)
            }
            _ => (rate.period_at, PERIOD),
        };
        scanner.error_at(at, expected)
    })?;
    Ok(Limit::cycle(match said.aligned {
        None => config,
        Some((_, Edge::Epoch)) => config.aligned_to(units::origin(rate.period)),
        Some((_, Edge::At(edge) | Edge::From(edge))) => config.aligned_to(edge),
    }))
}
