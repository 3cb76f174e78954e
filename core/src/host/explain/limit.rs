//! What one limit allows, in words.

use core::fmt;

use super::edges::Edges;
use super::span::Span;
use crate::bucket::level::Level;
use crate::host::limit::{Limit, Rule};
use crate::{Bandwidth, CycleConfig, Refill, Wait};

/// As near together as two calls on both sides of an edge can be, in nanoseconds.
const MOMENT: u64 = 1;

pub(super) fn write_limit(f: &mut fmt::Formatter<'_>, limit: &Limit) -> fmt::Result {
    writeln!(f, "{limit}")?;
    match limit.rule() {
        Rule::Bandwidth(bandwidth) => {
            write!(f, "  A bucket for {}", Tokens(bandwidth.capacity()))?;
            write_start(f, bandwidth)?;
            match bandwidth.refill() {
                Refill::Greedy => write_greedy(f, limit, bandwidth),
                Refill::Interval => {
                    let period = bandwidth.period();
                    write_at_edges(f, limit, bandwidth, &Edges::FromCreation { period })
                }
                Refill::Aligned { first_refill } | Refill::Adaptive { first_refill } => {
                    let period = bandwidth.period();
                    let edges = match limit.is_recurring() {
                        true => Edges::Grid {
                            period,
                            through: first_refill,
                        },
                        false => Edges::From {
                            period,
                            first: first_refill,
                        },
                    };
                    write_at_edges(f, limit, bandwidth, &edges)
                }
            }
        }
        Rule::Cycle(config) => write_cycle(f, limit, config),
    }
}

fn write_start(f: &mut fmt::Formatter<'_>, bandwidth: &Bandwidth) -> fmt::Result {
    match (bandwidth.initial_tokens(), bandwidth.refill()) {
        (Some(initial), _) if initial != bandwidth.capacity() => {
            write!(f, ", a new one with {initial}")
        }
        (None, Refill::Adaptive { .. }) => {
            f.write_str(", a new one with the share that is due until its first edge")
        }
        _ => f.write_str(", a new one full"),
    }
}

fn write_greedy(f: &mut fmt::Formatter<'_>, limit: &Limit, bandwidth: &Bandwidth) -> fmt::Result {
    let (tokens, period) = (bandwidth.tokens(), Span(bandwidth.period()));
    let one = from_empty(bandwidth, 1);
    let whole = bandwidth.period().checked_rem(tokens) == Some(0);
    let rounded = if whole { "" } else { " (rounded up)" };
    writeln!(f, "; they come back evenly, {tokens} in {period}.")?;
    write_burst(f, limit)?;
    writeln!(
        f,
        "  Sustained rate: {tokens} in {period}, or one every {one}{rounded}."
    )?;
    let second = limit.most_within(super::SECOND);
    writeln!(
        f,
        "  Worst case: the burst and all that comes back meanwhile, {second} in any 1 s."
    )?;
    let all = from_empty(bandwidth, bandwidth.capacity());
    writeln!(
        f,
        "  Recovery: an empty one has a token after {one} and is full after {all}."
    )
}

fn write_at_edges(
    f: &mut fmt::Formatter<'_>,
    limit: &Limit,
    bandwidth: &Bandwidth,
    edges: &Edges,
) -> fmt::Result {
    let (tokens, capacity) = (bandwidth.tokens(), bandwidth.capacity());
    writeln!(f, "; {tokens} come back at once, {edges}.")?;
    write_burst(f, limit)?;
    let (kept, period) = (tokens.min(capacity), Span(bandwidth.period()));
    write!(f, "  Sustained rate: {kept} in {period}")?;
    if kept < tokens {
        f.write_str(", since more does not fit")?;
    }
    writeln!(f, ".")?;
    write_across_edge(f, limit)?;
    write!(
        f,
        "  Recovery: an empty one has {kept} after {period} at most"
    )?;
    if kept < capacity {
        write!(f, " and is full after {}", from_empty(bandwidth, capacity))?;
    }
    writeln!(f, ".")
}

fn write_cycle(f: &mut fmt::Formatter<'_>, limit: &Limit, config: &CycleConfig) -> fmt::Result {
    let (permits, period) = (config.limit(), config.period());
    let edges = match config.edge() {
        None => Edges::FromCreation { period },
        Some(through) => Edges::Grid { period, through },
    };
    let period = Span(period);
    writeln!(
        f,
        "  A count that is set to {permits}, {edges}; what is left of it then is lost."
    )?;
    write_burst(f, limit)?;
    writeln!(f, "  Sustained rate: {permits} in {period}.")?;
    write_across_edge(f, limit)?;
    writeln!(
        f,
        "  Recovery: when none is left, all are back after {period} at most."
    )
}

fn write_burst(f: &mut fmt::Formatter<'_>, limit: &Limit) -> fmt::Result {
    let (burst, quota) = (limit.most_within(0), limit.quota());
    write!(f, "  Burst: {quota} at once")?;
    if burst > quota {
        // Initial tokens above the capacity.
        write!(f, ", {burst} from a new one")?;
    }
    writeln!(f, "; a call for more is never granted.")
}

/// What can be had just before and just after an edge.
fn write_across_edge(f: &mut fmt::Formatter<'_>, limit: &Limit) -> fmt::Result {
    let most = limit.most_within(MOMENT);
    writeln!(
        f,
        "  Worst case: just before an edge and just after it, {most} in a moment."
    )
}

/// How long until an empty bucket has `tokens`, at the longest.
fn from_empty(bandwidth: &Bandwidth, tokens: u64) -> Recovery {
    Recovery(Level::from_parts(bandwidth, 0, 0).wait_for(bandwidth, tokens, 0))
}

struct Recovery(Wait);

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Wait::Ticks(nanos) => Span(nanos).fmt(f),
            Wait::Never => f.write_str("more than 292 years"),
        }
    }
}

struct Tokens(u64);

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == 1 { "" } else { "s" };
        write!(f, "{} token{plural}", self.0)
    }
}
