//! How the tokens of an old configuration carry over to a new one.

use crate::{Bandwidth, Level};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;

/// What a new bandwidth inherits from the old one it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inheritance {
    /// The same tokens, as far as they fit.
    AsIs,
    /// The same share of the capacity.
    Proportional,
    /// The same tokens, plus what the capacity grew by.
    Additive,
    /// Nothing: as if newly created.
    Reset,
}

/// The levels of `new` after it replaced `old` at `now`. The old levels must be refilled up to `now`.
pub(crate) fn inherit(
    old: &[Bandwidth],
    levels: &[Level],
    new: &[Bandwidth],
    inheritance: Inheritance,
    now: &BigInt,
) -> Vec<Level> {
    // A bandwidth without an identifier is recognisable only where it is the only one, on both sides.
    let unnamed = |set: &[Bandwidth]| set.iter().filter(|b| b.id.is_none()).count();
    let unnamed_match = unnamed(old) < 2 && unnamed(new) < 2;
    new.iter()
        .map(|bandwidth| {
            let found = old.iter().position(|candidate| {
                candidate.id == bandwidth.id && (bandwidth.id.is_some() || unnamed_match)
            });
            match found {
                Some(at) if inheritance != Inheritance::Reset => {
                    carry_over(&old[at], &levels[at], bandwidth, inheritance, now)
                }
                _ => Level::fresh(bandwidth, now),
            }
        })
        .collect()
}

fn carry_over(
    old: &Bandwidth,
    level: &Level,
    new: &Bandwidth,
    inheritance: Inheritance,
    now: &BigInt,
) -> Level {
    let last = aligned_last(new, now).unwrap_or_else(|| level.last.clone());
    let full = Level {
        tokens: new.capacity.clone(),
        ..empty(last.clone())
    };
    let grew = new.capacity > old.capacity;
    let amount = match inheritance {
        Inheritance::Proportional => {
            exact(old, level) * BigRational::new(new.capacity.clone(), old.capacity.clone())
        }
        Inheritance::Additive if grew => {
            without_foreign_fraction(old, level, new) + (&new.capacity - &old.capacity)
        }
        _ => without_foreign_fraction(old, level, new),
    };
    let tokens = amount.floor().to_integer();
    if tokens >= new.capacity {
        return full;
    }
    // Tokens are 64 bits wide: a debt that is scaled beyond them is held at the deepest.
    let deepest = BigInt::from(i64::MIN);
    if tokens < deepest {
        return Level {
            tokens: deepest,
            ..empty(last)
        };
    }
    let fraction = amount - &tokens;
    let remainder = if new.style.is_greedy() {
        (fraction * &new.period).floor().to_integer()
    } else {
        BigInt::ZERO
    };
    Level {
        tokens,
        remainder,
        last,
    }
}

fn empty(last: BigInt) -> Level {
    Level {
        tokens: BigInt::ZERO,
        remainder: BigInt::ZERO,
        last,
    }
}

/// The level as a number of tokens.
fn exact(bandwidth: &Bandwidth, level: &Level) -> BigRational {
    BigRational::new(level.remainder.clone(), bandwidth.period.clone()) + &level.tokens
}

/// The level as a number of tokens, whose fraction survives only between two greedy bandwidths.
fn without_foreign_fraction(old: &Bandwidth, level: &Level, new: &Bandwidth) -> BigRational {
    if old.style.is_greedy() && new.style.is_greedy() {
        exact(old, level)
    } else {
        BigRational::from_integer(level.tokens.clone())
    }
}

/// Where an aligned bandwidth stands on its own grid: at the last edge, or one period before the first.
fn aligned_last(bandwidth: &Bandwidth, now: &BigInt) -> Option<BigInt> {
    let first = bandwidth.style.first_refill()?;
    let edges = (now - first)
        .div_floor(&bandwidth.period)
        .max(BigInt::from(-1));
    Some(first + edges * &bandwidth.period)
}
