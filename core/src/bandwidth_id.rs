//! What a bandwidth is called.

/// Tells one bandwidth from another when a configuration is replaced.
///
/// A number of your choice, or made from a name: equal names have equal ids, and two different
/// names share one with a probability of 2⁻⁶⁴.
///
/// ```
/// use tokenweir::BandwidthId;
///
/// const BURST: BandwidthId = BandwidthId::of("burst");
/// assert_eq!(BURST, BandwidthId::of("burst"));
/// assert_ne!(BURST, BandwidthId::new(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BandwidthId(u64);

impl BandwidthId {
    /// The id with this number.
    #[must_use]
    pub const fn new(id: u64) -> Self {
        Self(id)
    }

    /// The id of a name: its 64-bit FNV-1a hash.
    #[must_use]
    pub const fn of(name: &str) -> Self {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut rest = name.as_bytes();
        while let [byte, tail @ ..] = rest {
            hash = (hash ^ *byte as u64).wrapping_mul(0x0000_0100_0000_01b3);
            rest = tail;
        }
        Self(hash)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}
