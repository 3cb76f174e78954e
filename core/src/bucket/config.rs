//! The limits of a bucket.

use crate::{Bandwidth, ConfigError};

/// What a bucket enforces: one to `N` bandwidths, all of them at once.
///
/// Immutable and shareable: any number of [`BucketState`](crate::BucketState)s can use one.
///
/// ```
/// use tokenweir::{Bandwidth, BucketConfig, checked};
///
/// // 100 a second, but not more than 1000 a minute, in milliseconds.
/// let config = BucketConfig::new([
///     Bandwidth::greedy(100, 100, 1_000)?,
///     Bandwidth::greedy(1_000, 1_000, 60_000)?,
/// ])?;
/// assert_eq!(config.bandwidths().len(), 2);
///
/// // Or at compile time:
/// const CONFIG: BucketConfig<1> =
///     checked!(BucketConfig::new([checked!(Bandwidth::greedy(10, 10, 1_000))]));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BucketConfig<const N: usize> {
    /// The first `len` are in use; the others repeat the first.
    bandwidths: [Bandwidth; N],
    len: usize,
}

impl<const N: usize> BucketConfig<N> {
    /// A configuration of exactly `N` bandwidths.
    ///
    /// # Errors
    ///
    /// [`ConfigError::NoBandwidths`] for none, [`ConfigError::DuplicateBandwidthId`] for an id
    /// given twice; any number of bandwidths may have none.
    pub const fn new(bandwidths: [Bandwidth; N]) -> Result<Self, ConfigError> {
        if let Err(error) = check(bandwidths.as_slice()) {
            return Err(error);
        }
        Ok(Self { bandwidths, len: N })
    }

    /// A configuration of up to `N` bandwidths.
    ///
    /// # Errors
    ///
    /// As [`BucketConfig::new`], and [`ConfigError::TooManyBandwidths`] for more than `N`.
    pub fn from_slice(bandwidths: &[Bandwidth]) -> Result<Self, ConfigError> {
        let Some(first) = bandwidths.first() else {
            return Err(ConfigError::NoBandwidths);
        };
        if bandwidths.len() > N {
            return Err(ConfigError::TooManyBandwidths {
                given: bandwidths.len(),
                room: N,
            });
        }
        check(bandwidths)?;
        let mut all = [*first; N];
        for (place, bandwidth) in all.iter_mut().zip(bandwidths) {
            *place = *bandwidth;
        }
        Ok(Self {
            bandwidths: all,
            len: bandwidths.len(),
        })
    }

    /// The bandwidths, in the order they were given.
    #[must_use]
    pub const fn bandwidths(&self) -> &[Bandwidth] {
        match self.bandwidths.as_slice().split_at_checked(self.len) {
            Some((used, _)) => used,
            // `len` is at most N.
            None => &[],
        }
    }

    /// Every place; those not in use repeat the first bandwidth.
    pub(crate) const fn places(&self) -> &[Bandwidth; N] {
        &self.bandwidths
    }

    /// Whether a bandwidth refills at instants of a wall clock.
    #[must_use]
    pub fn is_aligned(&self) -> bool {
        self.bandwidths().iter().any(Bandwidth::is_aligned)
    }
}

impl<const N: usize> PartialEq for BucketConfig<N> {
    fn eq(&self, other: &Self) -> bool {
        self.bandwidths() == other.bandwidths()
    }
}

impl<const N: usize> Eq for BucketConfig<N> {}

impl From<Bandwidth> for BucketConfig<1> {
    /// One bandwidth is always a valid configuration.
    fn from(bandwidth: Bandwidth) -> Self {
        Self::single(bandwidth)
    }
}

impl BucketConfig<1> {
    /// A configuration of one bandwidth.
    #[must_use]
    pub const fn single(bandwidth: Bandwidth) -> Self {
        Self {
            bandwidths: [bandwidth],
            len: 1,
        }
    }
}

/// The rules every set of bandwidths keeps.
pub(crate) const fn check(bandwidths: &[Bandwidth]) -> Result<(), ConfigError> {
    if bandwidths.is_empty() {
        return Err(ConfigError::NoBandwidths);
    }
    let mut rest = bandwidths;
    while let [bandwidth, tail @ ..] = rest {
        let mut others = tail;
        while let [other, more @ ..] = others {
            if let (Some(id), Some(other)) = (bandwidth.id(), other.id())
                && id.get() == other.get()
            {
                return Err(ConfigError::DuplicateBandwidthId { id: id.get() });
            }
            others = more;
        }
        rest = tail;
    }
    Ok(())
}
