//! From limits to text.
//!
//! The text is put together without the machinery of formatting, which as WebAssembly is larger than all
//! that it would write here.

use alloc::string::String;
use core::fmt;

use super::scan;
use super::units;
use crate::host::limit::{Limit, Rule};
use crate::host::limits::Limits;
use crate::{Bandwidth, CycleConfig, LimitSyntaxError, Refill};

impl Limits {
    /// The limits as text, which parses to the same; what `Display` writes.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, limit) in self.iter().enumerate() {
            if index > 0 {
                text.push_str("; ");
            }
            write_limit(&mut text, limit);
        }
        text
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Limit {
    /// The limit as text, which parses to the same; what `Display` writes.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        write_limit(&mut text, self);
        text
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl core::str::FromStr for Limit {
    type Err = LimitSyntaxError;

    /// One limit, see [`Limits`](Limits#text).
    fn from_str(text: &str) -> Result<Self, LimitSyntaxError> {
        super::parse::single(text)
    }
}

/// Adds a number in decimal.
pub(crate) fn push_number(text: &mut String, number: u64) {
    // The largest has twenty digits.
    let mut power = 1_u64;
    while number.checked_div(power).is_some_and(|rest| rest >= 10) {
        power = power.saturating_mul(10);
    }
    while power > 0 {
        let digit = number.checked_div(power).unwrap_or(0) % 10;
        text.extend(char::from_digit(digit as u32, 10));
        power /= 10;
    }
}

fn write_limit(text: &mut String, limit: &Limit) {
    if let Some(name) = limit.name() {
        write_name(text, name);
    }
    match limit.rule() {
        Rule::Bandwidth(bandwidth) => write_bandwidth(text, bandwidth, limit.is_recurring()),
        Rule::Cycle(config) => write_cycle(text, config),
    }
}

fn write_name(text: &mut String, name: &str) {
    if scan::is_bare_name(name) {
        text.push_str(name);
    } else {
        text.push('"');
        for next in name.chars() {
            if matches!(next, '"' | '\\') {
                text.push('\\');
            }
            text.push(next);
        }
        text.push('"');
    }
    text.push_str(": ");
}

fn write_bandwidth(text: &mut String, bandwidth: &Bandwidth, recurring: bool) {
    if bandwidth.refill() == Refill::Interval {
        text.push_str("interval ");
    }
    write_rate(text, bandwidth.tokens(), bandwidth.period());
    if bandwidth.capacity() != bandwidth.tokens() {
        text.push_str(" burst ");
        push_number(text, bandwidth.capacity());
    }
    if let Some(tokens) = bandwidth.initial_tokens() {
        text.push_str(" initial ");
        push_number(text, tokens);
    }
    let (word, first) = match bandwidth.refill() {
        Refill::Greedy | Refill::Interval => return,
        Refill::Aligned { first_refill } => (" aligned", first_refill),
        Refill::Adaptive { first_refill } => (" adaptive", first_refill),
    };
    text.push_str(word);
    if !recurring {
        write_instant(text, " from ", first);
    } else if first != units::origin(bandwidth.period()) {
        write_instant(text, " at ", first);
    }
}

fn write_cycle(text: &mut String, config: &CycleConfig) {
    text.push_str("cycle ");
    write_rate(text, config.limit(), config.period());
    if let Some(edge) = config.edge() {
        text.push_str(" aligned");
        if edge != units::origin(config.period()) {
            write_instant(text, " at ", edge);
        }
    }
}

fn write_rate(text: &mut String, amount: u64, period: u64) {
    push_number(text, amount);
    text.push('/');
    let (count, unit) = units::measured(period);
    if count != 1 {
        push_number(text, count);
    }
    text.push_str(unit);
}

fn write_instant(text: &mut String, word: &str, instant: u64) {
    let (count, unit) = units::measured(instant);
    text.push_str(word);
    push_number(text, count);
    text.push_str(unit);
}
