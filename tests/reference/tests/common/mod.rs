//! Repeatable random numbers.

/// A linear congruential generator; its high bits are random enough to pick test cases.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number from `low` to `high`, both included.
    pub(crate) fn pick(&mut self, low: i64, high: i64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let span = u64::try_from(high - low + 1).expect("low <= high");
        low + i64::try_from((self.0 >> 33) % span).expect("a small number")
    }
}
