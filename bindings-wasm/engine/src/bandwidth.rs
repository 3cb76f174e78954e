//! Bandwidths, written as records of [`RECORD`] words.

use tokenweir::{Bandwidth, BandwidthError, BandwidthId, BucketConfig, ClockedBucket, ManualClock};

use crate::bucket::Bucket;
use crate::convert;
use crate::fault::{Fault, outcome};
use crate::words::{RECORDS, integer, set_word, word};

/// Words of a record: capacity, tokens, period, first refill and initial tokens of two words each,
/// then the id, and the flags.
pub const RECORD: usize = 12;
/// The largest number of bandwidths of a bucket.
pub const MOST: usize = 8;

/// The refill style, in the lowest two bits of the flags.
const STYLE: u64 = 0b11;
/// Initial tokens were given.
const INITIAL: u64 = 0b100;
/// There is an id.
const ID: u64 = 0b1000;

/// Checks the first record.
#[must_use]
pub fn bandwidth_check() -> i32 {
    outcome(read(0).map(|_| 0))
}

/// Leaves the id of a name at word 0.
pub fn bandwidth_id(name: &str) {
    set_word(0, BandwidthId::of(name).get());
}

/// A new bucket of the first `count` records.
pub(crate) fn bucket(count: u64, now: u64, wall: bool) -> Result<Bucket, Fault> {
    let config = config(count)?;
    let clock = ManualClock::new(now);
    let clock = if wall { clock.into_wall() } else { clock };
    ClockedBucket::new(config, clock)
        .map(|clocked| *clocked.bucket())
        .map_err(|error| Fault::range("clock", error.code(), error))
}

/// A configuration of the first `count` records.
pub(crate) fn config(count: u64) -> Result<BucketConfig<MOST>, Fault> {
    let limits = (0..count as usize).map(read).collect::<Result<Vec<_>, _>>()?;
    BucketConfig::from_slice(&limits)
        .map_err(|error| Fault::range("bandwidths", error.code(), error))
}

fn read(index: usize) -> Result<Bandwidth, Fault> {
    let at = RECORDS + index * RECORD;
    let flags = word(at + 11);
    let part = |offset: usize| clamped(integer(at + offset));
    let (capacity, tokens, period) = (part(0), part(2), part(4));
    let built = match flags & STYLE {
        0 => Bandwidth::greedy(capacity, tokens, period),
        1 => Bandwidth::interval(capacity, tokens, period),
        2 => Bandwidth::aligned(capacity, tokens, period, first_refill(at)?),
        _ => Bandwidth::adaptive(capacity, tokens, period, first_refill(at)?),
    };
    let mut built = built.map_err(refused)?;
    if flags & INITIAL != 0 {
        let initial = part(8);
        built = built.with_initial_tokens(initial).map_err(refused)?;
    }
    if flags & ID != 0 {
        built = built.with_id(BandwidthId::new(word(at + 10)));
    }
    Ok(built)
}
