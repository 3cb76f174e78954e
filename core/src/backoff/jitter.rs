//! How an interval is randomised, so that clients refused together do not come back together.

use core::str::FromStr;

use crate::arith;

use super::{BackoffError, Ratio};

/// How much of an interval is left to chance.
///
/// No jitter makes an interval longer than the longest allowed, or shorter than one tick. Within
/// its bounds every whole tick is equally likely (to one part in 2⁶⁴ per tick).
///
/// [`Jitter::Full`] and [`Jitter::Equal`] are those of Marc Brooker, "Exponential Backoff And
/// Jitter"; [`Jitter::Randomized`] has the bounds of Resilience4j's randomised intervals.
///
/// ```
/// use tokenweir::backoff::{Backoff, Jitter};
///
/// let backoff = Backoff::fixed(500)?.with_jitter("0.5".parse()?)?;
/// assert_eq!(backoff.jittered(500, 0), 250);
/// assert_eq!(backoff.jittered(500, u64::MAX), 750);
/// assert_eq!("full".parse(), Ok(Jitter::Full));
/// # Ok::<(), tokenweir::backoff::BackoffError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Jitter {
    /// The interval as it is.
    None,
    /// From one tick to the whole interval.
    Full,
    /// From half of the interval, rounded up, to the whole of it.
    Equal,
    /// From `interval − d` to `interval + d`, with `d` = `interval × factor`, rounded up.
    Randomized {
        /// The share of the interval, from 0 to 1.
        factor: Ratio,
    },
}

impl Jitter {
    /// The shortest and the longest result for an interval that is at most `max`, in ticks.
    pub(super) const fn bounds(self, interval: u64, max: u64) -> (u64, u64) {
        let (low, high) = match self {
            Self::None => (interval, interval),
            Self::Full => (1, interval),
            Self::Equal => (interval.div_ceil(2), interval),
            Self::Randomized { factor } => {
                let distance =
                    arith::scale_ceil(interval, factor.numerator(), factor.denominator());
                (
                    interval.saturating_sub(distance),
                    interval.saturating_add(distance),
                )
            }
        };
        (
            if low == 0 { 1 } else { low },
            if high > max { max } else { high },
        )
    }

    pub(super) const fn check(self) -> Result<(), BackoffError> {
        match self {
            Self::Randomized { factor } if factor.is_above_one() => {
                Err(BackoffError::JitterAboveOne { factor })
            }
            _ => Ok(()),
        }
    }
}

impl FromStr for Jitter {
    type Err = BackoffError;

    /// `none`, `full`, `equal`, or the factor of [`Jitter::Randomized`].
    fn from_str(text: &str) -> Result<Self, BackoffError> {
        let jitter = match text {
            "none" => Self::None,
            "full" => Self::Full,
            "equal" => Self::Equal,
            factor => Self::Randomized {
                factor: factor
                    .parse()
                    .map_err(|_error| BackoffError::UnknownJitter)?,
            },
        };
        jitter.check().map(|()| jitter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_whole_ticks_and_never_zero() {
        assert_eq!(Jitter::Full.bounds(10, 100), (1, 10));
        assert_eq!(Jitter::Equal.bounds(11, 100), (6, 11));
        assert_eq!(Jitter::Equal.bounds(1, 100), (1, 1));
        let half = "0.5".parse::<Jitter>().unwrap();
        assert_eq!(half.bounds(1, 100), (1, 2));
        assert_eq!(half.bounds(80, 100), (40, 100));
    }

    #[test]
    fn a_factor_is_from_0_to_1() {
        assert!("0".parse::<Jitter>().is_ok() && "1.0".parse::<Jitter>().is_ok());
        assert_eq!(
            "1.01".parse::<Jitter>().unwrap_err().code(),
            "jitter_above_one"
        );
        for text in ["-0.1", "NaN", "Full", ""] {
            assert_eq!(text.parse::<Jitter>(), Err(BackoffError::UnknownJitter));
        }
    }
}
