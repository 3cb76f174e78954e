//! State as bytes and back, see `docs/state.md`.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::bytes::{Reader, Writer};
use super::entry::Entry;
use super::error::StateError;
use crate::bucket::level::{self, Level};
use crate::checksum::crc16;
use crate::host::limit::{Limit, Rule};
use crate::host::limits::Limits;
use crate::host::state::LimiterState;
use crate::{Bandwidth, CycleConfig, CycleState, Refill, arith};

/// The newest layout. The first byte holds it in its low half.
const LAYOUT: u8 = 1;
/// The high half of the first byte.
const MAGIC: u8 = 0xb0;
/// In the byte that counts the limits: a version follows.
const VERSIONED: u8 = 0x80;

const GREEDY: u8 = 0;
const INTERVAL: u8 = 1;
const ALIGNED: u8 = 2;
const ADAPTIVE: u8 = 3;
const CYCLE: u8 = 4;
const ALIGNED_CYCLE: u8 = 5;
const KIND: u8 = 0x07;
const NAMED: u8 = 0x08;
const RECURRING: u8 = 0x10;
const INITIAL: u8 = 0x20;
const BURST: u8 = 0x40;

/// The bytes of an entry as it is at `now`.
pub(super) fn encode(entry: &Entry<'_>, now: u64) -> Vec<u8> {
    let mut body = Writer::default();
    body.byte(entry.epoch);
    let count = entry.limits.len() as u8;
    body.byte(
        count
            | if entry.version.is_some() {
                VERSIONED
            } else {
                0
            },
    );
    body.unsigned(entry.consumed.into());
    if let Some(version) = entry.version {
        body.signed(version.into());
    }
    body.bytes(&now.to_le_bytes());
    body.bytes(&limits_as_bytes(&entry.limits));
    let slots = entry.state.slots();
    for (limit, level) in entry.limits.bandwidths().iter().zip(slots.levels) {
        write_level(&mut body, limit, level, now);
    }
    for state in slots.cycles {
        write_cycle(&mut body, state, now);
    }
    let body = body.finish();
    let first = [MAGIC | LAYOUT];
    let check = crc16(first.iter().chain(&body)).to_le_bytes();
    [&first[..], &check, &body].concat()
}

/// The entry that these bytes hold. Where its limits are the `desired` ones, those are used.
pub(super) fn decode<'a>(stored: &[u8], desired: &'a Limits) -> Result<Entry<'a>, StateError> {
    let mut reader = Reader::new(stored);
    let first = reader.byte()?;
    if first & 0xf0 != MAGIC || first == MAGIC {
        return Err(StateError::Foreign { first });
    }
    let layout = first & 0x0f;
    if layout > LAYOUT {
        return Err(StateError::Newer {
            layout,
            known: LAYOUT,
        });
    }
    let check = u16::from_le_bytes(reader.array()?);
    if crc16([first].iter().chain(reader.rest())) != check {
        return Err(StateError::Corrupt);
    }
    let epoch = reader.byte()?;
    let count = reader.byte()?;
    let consumed = reader.word()?;
    let version = if count & VERSIONED == 0 {
        None
    } else {
        Some(i64::try_from(reader.signed()?).map_err(|_| StateError::Corrupt)?)
    };
    let now = u64::from_le_bytes(reader.array()?);
    let limits = read_limits(&mut reader, count & !VERSIONED, desired)?;
    let mut levels = Vec::new();
    for limit in limits.bandwidths() {
        levels.push(read_level(&mut reader, limit, now)?);
    }
    let mut cycles = Vec::new();
    for config in limits.cycles() {
        cycles.push(read_cycle(&mut reader, config, now)?);
    }
    if !reader.rest().is_empty() {
        return Err(StateError::Corrupt);
    }
    Ok(Entry {
        limits,
        state: LimiterState::of(levels.into_iter(), cycles.into_iter()),
        version,
        epoch,
        consumed,
        changed: false,
    })
}

fn limits_as_bytes(limits: &Limits) -> Vec<u8> {
    let mut writer = Writer::default();
    for limit in limits {
        write_limit(&mut writer, limit);
    }
    writer.finish()
}

fn write_limit(writer: &mut Writer, limit: &Limit) {
    let (kind, first, initial) = match limit.rule() {
        Rule::Bandwidth(bandwidth) => {
            let (kind, first) = match bandwidth.refill() {
                Refill::Greedy => (GREEDY, None),
                Refill::Interval => (INTERVAL, None),
                Refill::Aligned { first_refill } => (ALIGNED, Some(first_refill)),
                Refill::Adaptive { first_refill } => (ADAPTIVE, Some(first_refill)),
            };
            (kind, first, bandwidth.initial_tokens())
        }
        Rule::Cycle(config) => match config.edge() {
            None => (CYCLE, None, None),
            Some(edge) => (ALIGNED_CYCLE, Some(edge), None),
        },
    };
    let flag = |is_set, flag| if is_set { flag } else { 0 };
    let burst = limit.quota() != limit.amount();
    writer.byte(
        kind | flag(limit.name().is_some(), NAMED)
            | flag(limit.is_recurring(), RECURRING)
            | flag(initial.is_some(), INITIAL)
            | flag(burst, BURST),
    );
    write_decimal(writer, limit.period());
    writer.unsigned(limit.amount().into());
    if burst {
        writer.unsigned(limit.quota().into());
    }
    if let Some(initial) = initial {
        writer.unsigned(initial.into());
    }
    if let Some(first) = first {
        write_decimal(writer, first);
    }
    if let Some(name) = limit.name() {
        writer.byte(name.len() as u8);
        writer.bytes(name.as_bytes());
    }
}

fn read_limits<'a>(
    reader: &mut Reader<'_>,
    count: u8,
    desired: &'a Limits,
) -> Result<Cow<'a, Limits>, StateError> {
    let same = limits_as_bytes(desired);
    if usize::from(count) == desired.len() && reader.rest().starts_with(&same) {
        reader.slice(same.len())?;
        return Ok(Cow::Borrowed(desired));
    }
    let mut limits = Vec::new();
    for _ in 0..count {
        limits.push(read_limit(reader)?);
    }
    Limits::new(limits)
        .map(Cow::Owned)
        .map_err(|_| StateError::Corrupt)
}

fn read_limit(reader: &mut Reader<'_>) -> Result<Limit, StateError> {
    let flags = reader.byte()?;
    let period = read_decimal(reader)?;
    let amount = reader.word()?;
    let mut number_if = |flag: bool| flag.then(|| reader.word()).transpose();
    let quota = number_if(flags & BURST != 0)?.unwrap_or(amount);
    let initial = number_if(flags & INITIAL != 0)?;
    let kind = flags & KIND;
    let first = match kind {
        ALIGNED | ADAPTIVE | ALIGNED_CYCLE => read_decimal(reader)?,
        _ => 0,
    };
    let bandwidth = match kind {
        GREEDY => Some(Bandwidth::greedy(quota, amount, period)),
        INTERVAL => Some(Bandwidth::interval(quota, amount, period)),
        ALIGNED => Some(Bandwidth::aligned(quota, amount, period, first)),
        ADAPTIVE => Some(Bandwidth::adaptive(quota, amount, period, first)),
        _ => None,
    };
    let mut limit = match bandwidth {
        Some(bandwidth) => {
            let bandwidth = match (bandwidth, initial) {
                (Ok(bandwidth), Some(initial)) => bandwidth.with_initial_tokens(initial),
                (bandwidth, _) => bandwidth,
            };
            Limit::bandwidth(bandwidth.map_err(|_| StateError::Corrupt)?)
        }
        None => {
            let config = CycleConfig::new(amount, period).map_err(|_| StateError::Corrupt)?;
            match kind {
                CYCLE => Limit::cycle(config),
                ALIGNED_CYCLE => Limit::cycle(config.aligned_to(first)),
                _ => return Err(StateError::Corrupt),
            }
        }
    };
    if flags & RECURRING != 0 {
        limit = limit.recurring();
    }
    if flags & NAMED != 0 {
        let length = reader.byte()?;
        let name = core::str::from_utf8(reader.slice(length.into())?);
        limit = limit.named(name.map_err(|_| StateError::Corrupt)?);
    }
    Ok(limit)
}

/// Instants are kept as distances from the time of writing, which are short.
fn write_level(writer: &mut Writer, limit: &Bandwidth, level: &Level, now: u64) {
    let units = level.units(limit);
    let divisor = divisor(limit);
    let reduced = units.checked_div(divisor).filter(|reduced| {
        // As a rule all units come in multiples of the divisor, and are then kept divided by it.
        reduced.checked_mul(divisor) == Some(units)
    });
    // |units| is at most 2^126.
    match reduced {
        Some(reduced) => writer.signed(reduced.wrapping_shl(1)),
        None => writer.signed(units.wrapping_shl(1) | 1),
    }
    let last = level.last(limit);
    match edge_number(limit, last) {
        Some(number) => writer.signed(number.wrapping_shl(1)),
        // Within 66 bits.
        None => writer.signed(last.saturating_sub(now.into()).wrapping_shl(1) | 1),
    }
}

fn read_level(reader: &mut Reader<'_>, limit: &Bandwidth, now: u64) -> Result<Level, StateError> {
    let tagged = reader.signed()?;
    let factor = if tagged & 1 == 0 { divisor(limit) } else { 1 };
    let units = (tagged >> 1).checked_mul(factor);
    let tagged = reader.signed()?;
    let last = if tagged & 1 == 0 {
        edge_instant(limit, tagged >> 1)
    } else {
        (tagged >> 1).checked_add(now.into())
    };
    let (Some(units), Some(last)) = (units, last) else {
        return Err(StateError::Corrupt);
    };
    let unit = limit.unit().get();
    // Up to i64::MAX tokens and the part of another.
    let highest = arith::mul_signed(arith::MAX, unit).saturating_add(unit.into());
    let earliest = if limit.is_greedy() {
        0
    } else {
        // Of this bandwidth, or of one that it took over from and whose period was longer.
        i128::from(arith::MAX).saturating_neg()
    };
    let in_range = units >= level::lowest(limit)
        && units < highest
        && last >= earliest
        && last <= u64::MAX.into();
    if in_range {
        Ok(Level::from_parts(limit, units, last))
    } else {
        Err(StateError::Corrupt)
    }
}

fn write_cycle(writer: &mut Writer, state: &CycleState, now: u64) {
    let (origin, index, number, balance) = state.to_parts();
    writer.signed(balance.into());
    writer.signed(i128::from(origin).saturating_sub(now.into()));
    writer.unsigned(index.into());
    writer.unsigned(number.into());
}

fn read_cycle(
    reader: &mut Reader<'_>,
    config: &CycleConfig,
    now: u64,
) -> Result<CycleState, StateError> {
    let balance = i64::try_from(reader.signed()?);
    let origin = reader.signed()?.checked_add(now.into());
    let (index, number) = (reader.word()?, reader.word()?);
    match (balance, origin.map(u64::try_from)) {
        (Ok(balance), Some(Ok(origin))) => {
            CycleState::from_parts(config, origin, index, number, balance)
                .ok_or(StateError::Corrupt)
        }
        _ => Err(StateError::Corrupt),
    }
}

/// By what all units of a bandwidth can be divided as long as no part of a token was inherited.
fn divisor(limit: &Bandwidth) -> i128 {
    if limit.is_greedy() {
        arith::gcd(limit.tokens, limit.period).get().into()
    } else {
        1
    }
}

/// Which edge of an aligned bandwidth this is: 0 for the first one.
fn edge_number(limit: &Bandwidth, instant: i128) -> Option<i128> {
    let period = i128::from(limit.period());
    let since = instant.checked_sub(limit.first_refill()?.into())?;
    (since.checked_rem(period)? == 0).then(|| since.checked_div(period))?
}

/// The instant of an edge of an aligned bandwidth.
fn edge_instant(limit: &Bandwidth, number: i128) -> Option<i128> {
    number
        .checked_mul(limit.period().into())?
        .checked_add(limit.first_refill()?.into())
}

/// A number as mantissa × 10^exponent, with the shortest mantissa.
fn write_decimal(writer: &mut Writer, mut number: u64) {
    let mut exponent = 0_u8;
    while number.is_multiple_of(10) && exponent < 18 {
        number /= 10;
        exponent = exponent.saturating_add(1);
    }
    writer.byte(exponent);
    writer.unsigned(number.into());
}

fn read_decimal(reader: &mut Reader<'_>) -> Result<u64, StateError> {
    let scale = 10_u64.checked_pow(reader.byte()?.into());
    let mantissa = reader.word()?;
    scale
        .and_then(|scale| mantissa.checked_mul(scale))
        .ok_or(StateError::Corrupt)
}
