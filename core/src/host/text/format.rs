//! From limits to text.

use core::fmt;

use super::scan;
use super::units;
use crate::host::limit::{Limit, Rule};
use crate::host::limits::Limits;
use crate::{Bandwidth, CycleConfig, LimitSyntaxError, Refill};

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, limit) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{limit}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.name() {
            write_name(f, name)?;
        }
        match self.rule() {
            Rule::Bandwidth(bandwidth) => write_bandwidth(f, bandwidth, self.is_recurring()),
            Rule::Cycle(config) => write_cycle(f, config),
        }
    }
}

impl core::str::FromStr for Limit {
    type Err = LimitSyntaxError;

    /// One limit, see [`Limits`](Limits#text).
    fn from_str(text: &str) -> Result<Self, LimitSyntaxError> {
        super::parse::single(text)
    }
}

fn write_name(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    if scan::is_bare_name(name) {
        return write!(f, "{name}: ");
    }
    f.write_str("\"")?;
    for next in name.chars() {
        if matches!(next, '"' | '\\') {
            f.write_str("\\")?;
        }
        write!(f, "{next}")?;
    }
    f.write_str("\": ")
}

fn write_bandwidth(
    f: &mut fmt::Formatter<'_>,
    bandwidth: &Bandwidth,
    recurring: bool,
) -> fmt::Result {
    if bandwidth.refill() == Refill::Interval {
        f.write_str("interval ")?;
    }
    write_rate(f, bandwidth.tokens(), bandwidth.period())?;
    if bandwidth.capacity() != bandwidth.tokens() {
        write!(f, " burst {}", bandwidth.capacity())?;
    }
    if let Some(tokens) = bandwidth.initial_tokens() {
        write!(f, " initial {tokens}")?;
    }
    let (word, first) = match bandwidth.refill() {
        Refill::Greedy | Refill::Interval => return Ok(()),
        Refill::Aligned { first_refill } => ("aligned", first_refill),
        Refill::Adaptive { first_refill } => ("adaptive", first_refill),
    };
    write!(f, " {word}")?;
    if !recurring {
        write_instant(f, "from", first)
    } else if first != units::origin(bandwidth.period()) {
        write_instant(f, "at", first)
    } else {
        Ok(())
    }
}

fn write_cycle(f: &mut fmt::Formatter<'_>, config: &CycleConfig) -> fmt::Result {
    f.write_str("cycle ")?;
    write_rate(f, config.limit(), config.period())?;
    match config.edge() {
        None => Ok(()),
        Some(edge) if edge == units::origin(config.period()) => f.write_str(" aligned"),
        Some(edge) => {
            f.write_str(" aligned")?;
            write_instant(f, "at", edge)
        }
    }
}

fn write_rate(f: &mut fmt::Formatter<'_>, amount: u64, period: u64) -> fmt::Result {
    match units::measured(period) {
        (1, unit) => write!(f, "{amount}/{unit}"),
        (count, unit) => write!(f, "{amount}/{count}{unit}"),
    }
}

fn write_instant(f: &mut fmt::Formatter<'_>, word: &str, instant: u64) -> fmt::Result {
    let (count, unit) = units::measured(instant);
    write!(f, " {word} {count}{unit}")
}
