//! Amounts asked for: at least one, at most `i64::MAX`, checked once.

use core::num::NonZeroU64;

use crate::AmountError;
use crate::arith;

/// A number of tokens: from 1 to `i64::MAX`.
///
/// Checking the amount when it is made keeps the deciding calls free of errors.
///
/// ```
/// use tokenweir::{Tokens, checked};
///
/// let batch = Tokens::new(5)?;
/// assert_eq!(batch.get(), 5);
/// assert_eq!(Tokens::new(0).unwrap_err().code(), "non_positive_tokens_to_consume");
///
/// // An amount known at compile time: a bad one does not compile.
/// const BATCH: Tokens = checked!(Tokens::new(5));
/// assert_eq!(batch, BATCH);
/// # Ok::<(), tokenweir::AmountError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Tokens(NonZeroU64);

/// A number of permits of a fixed cycle: from 1 to `i64::MAX`.
///
/// ```
/// use tokenweir::Permits;
///
/// assert_eq!(Permits::new(3)?.get(), 3);
/// assert_eq!(Permits::new(0).unwrap_err().code(), "non_positive_permits");
/// # Ok::<(), tokenweir::AmountError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Permits(NonZeroU64);

impl Tokens {
    /// One token.
    pub const ONE: Self = Self(NonZeroU64::MIN);
    /// The largest amount, `i64::MAX`.
    pub const MAX: Self = Self(arith_max());

    /// `n` tokens to consume.
    ///
    /// # Errors
    ///
    /// [`AmountError::NonPositiveTokensToConsume`] for 0, [`AmountError::TooLarge`] above `i64::MAX`.
    pub const fn new(n: u64) -> Result<Self, AmountError> {
        match in_range(n as i128) {
            Some(n) => Ok(Self(n)),
            None if n == 0 => Err(AmountError::NonPositiveTokensToConsume { value: 0 }),
            None => Err(AmountError::TooLarge { value: n as i128 }),
        }
    }

    /// `n` tokens to add: as [`Tokens::new`], with the error that names the addition.
    ///
    /// # Errors
    ///
    /// [`AmountError::NonPositiveTokensToAdd`] for 0, [`AmountError::TooLarge`] above `i64::MAX`.
    pub const fn to_add(n: u64) -> Result<Self, AmountError> {
        match Self::new(n) {
            Err(AmountError::NonPositiveTokensToConsume { value }) => {
                Err(AmountError::NonPositiveTokensToAdd { value })
            }
            result => result,
        }
    }

    /// The number of tokens.
    #[must_use]
    #[inline(always)]
    pub const fn get(self) -> u64 {
        self.0.get()
    }
}

impl Permits {
    /// One permit.
    pub const ONE: Self = Self(NonZeroU64::MIN);
    /// The largest amount, `i64::MAX`.
    pub const MAX: Self = Self(arith_max());

    /// `n` permits.
    ///
    /// # Errors
    ///
    /// [`AmountError::NonPositivePermits`] for 0, [`AmountError::TooLarge`] above `i64::MAX`.
    pub const fn new(n: u64) -> Result<Self, AmountError> {
        match in_range(n as i128) {
            Some(n) => Ok(Self(n)),
            None if n == 0 => Err(AmountError::NonPositivePermits { value: 0 }),
            None => Err(AmountError::TooLarge { value: n as i128 }),
        }
    }

    /// A whole limit, which is at most `i64::MAX` by its own check.
    pub(crate) const fn of_limit(limit: NonZeroU64) -> Self {
        Self(limit)
    }

    /// The number of permits.
    #[must_use]
    #[inline(always)]
    pub const fn get(self) -> u64 {
        self.0.get()
    }
}

impl TryFrom<i128> for Tokens {
    type Error = AmountError;

    /// Any integer as an amount to consume; for bindings, whose callers have signed numbers.
    fn try_from(value: i128) -> Result<Self, AmountError> {
        match in_range(value) {
            Some(n) => Ok(Self(n)),
            None if value < 1 => Err(AmountError::NonPositiveTokensToConsume { value }),
            None => Err(AmountError::TooLarge { value }),
        }
    }
}

impl TryFrom<i128> for Permits {
    type Error = AmountError;

    /// Any integer as an amount of permits; for bindings, whose callers have signed numbers.
    fn try_from(value: i128) -> Result<Self, AmountError> {
        match in_range(value) {
            Some(n) => Ok(Self(n)),
            None if value < 1 => Err(AmountError::NonPositivePermits { value }),
            None => Err(AmountError::TooLarge { value }),
        }
    }
}

impl From<Tokens> for Permits {
    /// As many permits, which have the same range.
    #[inline(always)]
    fn from(tokens: Tokens) -> Self {
        Self(tokens.0)
    }
}

impl core::fmt::Display for Tokens {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

impl core::fmt::Display for Permits {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.fmt(f)
    }
}

const fn in_range(n: i128) -> Option<NonZeroU64> {
    if n > arith::MAX as i128 || n < 1 {
        None
    } else {
        NonZeroU64::new(n as u64)
    }
}

const fn arith_max() -> NonZeroU64 {
    match NonZeroU64::new(arith::MAX) {
        Some(max) => max,
        None => NonZeroU64::MIN,
    }
}
