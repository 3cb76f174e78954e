//! From text to limits.

use alloc::vec::Vec;

use super::build::{self, Edge, PERIOD, Rate, Said, narrowed};
use super::error::LimitSyntaxError;
use super::scan::{Number, Scanner, is_letter};
use super::units;
use crate::arith;
use crate::host::error::LimitsError;
use crate::host::limit::Limit;
use crate::host::limits::Limits;

const INSTANT: &str = "a time at most 584 years after the epoch";
const WORDS: &str =
    "`burst`, `initial`, `interval`, `cycle`, `aligned`, `adaptive`, `;` or the end of the text";

/// A list of limits.
pub(crate) fn limits(text: &str) -> Result<Limits, LimitSyntaxError> {
    let mut scanner = Scanner::new(text);
    let (mut limits, mut starts) = (Vec::new(), Vec::new());
    while limits.is_empty() || scanner.peek().is_some() {
        starts.push(scanner.position());
        if limits.len() == Limits::MAX {
            break;
        }
        limits.push(limit(&mut scanner)?);
        if !scanner.eat(|next| matches!(next, ';' | ',' | '|')) && scanner.peek().is_some() {
            return Err(scanner.error(WORDS));
        }
    }
    let overflow = starts.get(Limits::MAX).copied();
    if let Some(at) = overflow {
        return Err(scanner.error_at(at, "at most 32 limits"));
    }
    // The place of the limit that a set of limits cannot have.
    let position = |wrong: &dyn Fn(&str) -> bool| {
        let found = limits
            .iter()
            .rposition(|limit: &Limit| limit.name().is_some_and(wrong));
        found
            .and_then(|index| starts.get(index).copied())
            .unwrap_or(0)
    };
    Limits::new(limits.iter().cloned()).map_err(|error| match &error {
        LimitsError::DuplicateName { name } => scanner.error_at(
            position(&|candidate| *candidate == **name),
            "a name that no limit before it has",
        ),
        LimitsError::NameLength { length } => scanner.error_at(
            position(&|candidate| candidate.len() == *length),
            "a name of 1 to 128 bytes",
        ),
        _ => scanner.error_at(0, "a limit, such as 10/s"),
    })
}

/// One limit and nothing else.
pub(crate) fn single(text: &str) -> Result<Limit, LimitSyntaxError> {
    let mut scanner = Scanner::new(text);
    let limit = limit(&mut scanner)?;
    match scanner.peek() {
        None => Ok(limit),
        Some(_) => Err(scanner.error("one limit and the end of the text")),
    }
}

fn limit(scanner: &mut Scanner<'_>) -> Result<Limit, LimitSyntaxError> {
    let name = scanner.name()?;
    let mut said = Said::default();
    while scanner.peek().is_some_and(is_letter) {
        let at = scanner.position();
        if scanner.eat_word("interval") {
            once(scanner, &mut said.interval, at, at)?;
        } else if scanner.eat_word("cycle") {
            once(scanner, &mut said.cycle, at, at)?;
        } else {
            return Err(scanner.error("a limit, such as 10/s"));
        }
    }
    let rate = rate(scanner)?;
    while scanner.peek().is_some_and(is_letter) {
        option(scanner, &mut said)?;
    }
    let limit = match said.cycle {
        Some(_) => build::cycle(scanner, &rate, &said)?,
        None => build::bandwidth(scanner, &rate, &said)?,
    };
    Ok(match name {
        Some(name) => limit.named(name),
        None => limit,
    })
}

/// A word after the rate, with its value.
fn option(scanner: &mut Scanner<'_>, said: &mut Said) -> Result<(), LimitSyntaxError> {
    let at = scanner.position();
    if scanner.eat_word("interval") {
        once(scanner, &mut said.interval, at, at)
    } else if scanner.eat_word("cycle") {
        once(scanner, &mut said.cycle, at, at)
    } else if scanner.eat_word("aligned") {
        let edge = edge(scanner)?;
        once(scanner, &mut said.aligned, (at, edge), at)
    } else if scanner.eat_word("adaptive") {
        let edge = edge(scanner)?;
        once(scanner, &mut said.adaptive, (at, edge), at)
    } else if scanner.eat_word("burst") {
        let tokens = whole(scanner)?;
        once(scanner, &mut said.burst, tokens, at)
    } else if scanner.eat_word("initial") {
        let tokens = whole(scanner)?;
        once(scanner, &mut said.initial, tokens, at)
    } else {
        Err(scanner.error(WORDS))
    }
}

fn once<T>(
    scanner: &Scanner<'_>,
    place: &mut Option<T>,
    value: T,
    at: usize,
) -> Result<(), LimitSyntaxError> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(scanner.error_at(at, "each word at most once")),
    }
}

fn edge(scanner: &mut Scanner<'_>) -> Result<Edge, LimitSyntaxError> {
    Ok(if scanner.eat_word("at") {
        Edge::At(duration(scanner, INSTANT)?)
    } else if scanner.eat_word("from") {
        Edge::From(duration(scanner, INSTANT)?)
    } else {
        Edge::Epoch
    })
}

/// `10/s`, `10 per 2 minutes`.
fn rate(scanner: &mut Scanner<'_>) -> Result<Rate, LimitSyntaxError> {
    let amount = scanner.number("a limit, such as 10/s")?;
    if !scanner.eat(|next| next == '/') && !scanner.eat_word("per") {
        return Err(scanner.error("`/` or `per`"));
    }
    let period_at = scanner.position();
    let counted = scanner.peek().is_some_and(|next| next.is_ascii_digit());
    let period = if counted {
        duration(scanner, PERIOD)?
    } else {
        unit(scanner)?
    };
    let (tokens, parts) = reduced(scanner, amount)?;
    let period = parts.saturating_mul(period.into());
    Ok(Rate {
        tokens: narrowed(tokens),
        period: narrowed(period),
        amount: narrowed(tokens.div_ceil(parts)),
        amount_at: amount.at,
        period_at,
    })
}

/// A period or a time after the epoch in nanoseconds, which `in_range` describes.
fn duration(scanner: &mut Scanner<'_>, in_range: &'static str) -> Result<u64, LimitSyntaxError> {
    let number = scanner.number("a number and a unit of time")?;
    let length = unit(scanner)?;
    let (count, parts) = reduced(scanner, number)?;
    let nanos = count.saturating_mul(length.into());
    if nanos.checked_rem(parts) != Some(0) {
        return Err(scanner.error_at(number.at, "a whole number of nanoseconds"));
    }
    let nanos = nanos
        .checked_div(parts)
        .and_then(|nanos| u64::try_from(nanos).ok());
    nanos.ok_or_else(|| scanner.error_at(number.at, in_range))
}

fn unit(scanner: &mut Scanner<'_>) -> Result<u64, LimitSyntaxError> {
    let at = scanner.position();
    units::length(scanner.word()).ok_or_else(|| scanner.error_at(at, units::EXPECTED))
}

fn whole(scanner: &mut Scanner<'_>) -> Result<Number, LimitSyntaxError> {
    let number = scanner.number("a whole number of tokens")?;
    match number.scale {
        0 => Ok(number),
        _ => Err(scanner.error_at(number.at, "a whole number of tokens")),
    }
}

/// The number as a ratio in lowest terms.
fn reduced(scanner: &Scanner<'_>, number: Number) -> Result<(u128, u128), LimitSyntaxError> {
    let parts = 10_u128
        .checked_pow(number.scale)
        .ok_or_else(|| scanner.error_at(number.at, "fewer digits after the point"))?;
    Ok(arith::lowest_terms(number.value, parts))
}
