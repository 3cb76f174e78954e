//! What becomes of a key without a place.

/// What happens to a new key where there is no room and nothing can be given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Overflow {
    /// It is refused. A flood of new keys then gets nothing, and no known key suffers.
    #[default]
    Deny,
    /// It shares one limiter, under the same limits, with all other keys that find no room. What a
    /// key takes there is not counted when it has a place of its own later: what all new keys
    /// together can get beyond their own limits is this one limiter's.
    Share,
}
