//! An exact ratio: what a multiplier or a share is.

use core::fmt;
use core::num::NonZeroU32;
use core::str::FromStr;

use super::RatioError;

/// A ratio of two integers, not negative, kept in lowest terms.
///
/// Read from text it is a decimal or a fraction; both are exact, which 1.1 as an `f64` is not.
///
/// ```
/// use tokenweir::backoff::Ratio;
///
/// let ratio: Ratio = "1.5".parse()?;
/// assert_eq!(ratio, Ratio::new(3, 2)?);
/// assert_eq!("6/4".parse(), Ok(ratio));
/// assert_eq!("-0.5".parse::<Ratio>().unwrap_err().code(), "ratio_syntax");
/// # Ok::<(), tokenweir::backoff::RatioError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: u32,
    denominator: NonZeroU32,
}

impl Ratio {
    /// One.
    pub const ONE: Self = Self::whole(1);

    /// `numerator / denominator`.
    ///
    /// # Errors
    ///
    /// [`RatioError::ZeroDenominator`].
    pub const fn new(numerator: u32, denominator: u32) -> Result<Self, RatioError> {
        Self::reduced(numerator as u64, denominator as u64)
    }

    /// A whole number.
    #[must_use]
    pub const fn whole(value: u32) -> Self {
        Self {
            numerator: value,
            denominator: NonZeroU32::MIN,
        }
    }

    /// The numerator, in lowest terms.
    #[must_use]
    pub const fn numerator(self) -> u32 {
        self.numerator
    }

    /// The denominator, in lowest terms.
    #[must_use]
    pub const fn denominator(self) -> NonZeroU32 {
        self.denominator
    }

    /// Whether this is above one.
    #[must_use]
    pub const fn is_above_one(self) -> bool {
        self.numerator > self.denominator.get()
    }

    const fn reduced(numerator: u64, denominator: u64) -> Result<Self, RatioError> {
        let (mut a, mut b) = (numerator, denominator);
        while let Some(rest) = a.checked_rem(b) {
            (a, b) = (b, rest);
        }
        // `a` is the greatest common divisor; it is 0 only if both are.
        let (Some(numerator), Some(denominator)) =
            (numerator.checked_div(a), denominator.checked_div(a))
        else {
            return Err(RatioError::ZeroDenominator);
        };
        if numerator > u32::MAX as u64 || denominator > u32::MAX as u64 {
            return Err(RatioError::Overflow);
        }
        match NonZeroU32::new(denominator as u32) {
            Some(denominator) => Ok(Self {
                numerator: numerator as u32,
                denominator,
            }),
            None => Err(RatioError::ZeroDenominator),
        }
    }
}

impl FromStr for Ratio {
    type Err = RatioError;

    /// A decimal (`2`, `1.5`) or a fraction (`3/2`): digits only, no sign and no exponent.
    fn from_str(text: &str) -> Result<Self, RatioError> {
        if let Some((numerator, denominator)) = text.split_once('/') {
            return Self::reduced(digits(0, numerator)?, digits(0, denominator)?);
        }
        let Some((whole, fraction)) = text.split_once('.') else {
            return Self::reduced(digits(0, text)?, 1);
        };
        let numerator = digits(digits(0, whole)?, fraction)?;
        let denominator = u32::try_from(fraction.len())
            .ok()
            .and_then(|places| 10_u64.checked_pow(places));
        Self::reduced(numerator, denominator.ok_or(RatioError::Overflow)?)
    }
}

/// The digits appended to those of `value`; at least one is needed.
fn digits(value: u64, text: &str) -> Result<u64, RatioError> {
    if text.is_empty() {
        return Err(RatioError::Syntax);
    }
    text.chars().try_fold(value, |value, digit| {
        let digit = digit.to_digit(10).ok_or(RatioError::Syntax)?;
        value
            .checked_mul(10)
            .and_then(|value| value.checked_add(digit.into()))
            .ok_or(RatioError::Overflow)
    })
}

impl fmt::Display for Ratio {
    /// The whole number or the fraction, which parses back to the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator.get() {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn decimals_are_exact() {
        assert_eq!("1.1".parse(), Ratio::new(11, 10));
        assert_eq!("0.25".parse(), Ratio::new(1, 4));
        assert_eq!("2.000000".parse(), Ok(Ratio::whole(2)));
        assert_eq!("0".parse(), Ok(Ratio::whole(0)));
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "", ".", "1.", ".5", "-1", "+1", "1e3", "NaN", "Infinity", "1/", "1/2/3", "1.5/2", " 1",
        ] {
            assert_eq!(text.parse::<Ratio>(), Err(RatioError::Syntax), "{text:?}");
        }
        assert_eq!("1/0".parse::<Ratio>(), Err(RatioError::ZeroDenominator));
        assert_eq!("0/0".parse::<Ratio>(), Err(RatioError::ZeroDenominator));
        for text in ["4294967296", "1.0000000001", "99999999999999999999"] {
            assert_eq!(text.parse::<Ratio>(), Err(RatioError::Overflow), "{text}");
        }
    }

    #[test]
    fn text_parses_back() {
        for ratio in [Ratio::ONE, Ratio::new(33, 10).unwrap(), Ratio::whole(0)] {
            assert_eq!(ratio.to_string().parse(), Ok(ratio));
        }
    }
}
