//! Spans of time as mixed numbers: whole ticks and a fraction of one.

/// `ticks + rest/unit` ticks, where the unit is that of the configuration and `rest` is below it.
///
/// No operation divides or needs more than 32 bits: a unit is at most 2³¹, so that the sum of two
/// rests fits, and whoever adds sees to it that the sum of the ticks stays below 2³².
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) struct Span {
    pub(crate) ticks: u32,
    pub(crate) rest: u32,
}

impl Span {
    pub(crate) const ZERO: Self = Self { ticks: 0, rest: 0 };

    #[inline(always)]
    pub(super) const fn plus(self, other: Self, unit: u32) -> Self {
        let ticks = self.ticks.wrapping_add(other.ticks);
        let rest = self.rest.wrapping_add(other.rest);
        if rest >= unit {
            Self {
                ticks: ticks.wrapping_add(1),
                rest: rest.wrapping_sub(unit),
            }
        } else {
            Self { ticks, rest }
        }
    }

    /// `self − other`, or `None` if `other` is longer.
    pub(crate) const fn minus(self, other: Self, unit: u32) -> Option<Self> {
        let (rest, borrow) = if self.rest >= other.rest {
            (self.rest.wrapping_sub(other.rest), 0)
        } else {
            let lacking = other.rest.wrapping_sub(self.rest);
            (unit.wrapping_sub(lacking), 1)
        };
        // `other.ticks` is below 2^31.
        match self.ticks.checked_sub(other.ticks.wrapping_add(borrow)) {
            Some(ticks) => Some(Self { ticks, rest }),
            None => None,
        }
    }

    /// `self × n`, by doubling: at most 31 rounds, where a multiplication of the rest would need a
    /// division to carry. The caller knows that the product fits.
    pub(super) const fn times(self, n: u32, unit: u32) -> Self {
        let (mut left, mut power, mut product) = (n, self, Self::ZERO);
        loop {
            if left & 1 == 1 {
                product = product.plus(power, unit);
            }
            left >>= 1;
            if left == 0 {
                return product;
            }
            power = power.plus(power, unit);
        }
    }

    /// The span in whole ticks, rounded up.
    pub(crate) const fn ticks_ceil(self) -> u32 {
        self.ticks.wrapping_add((self.rest > 0) as u32)
    }

    /// The span in units: below 2^32 ticks of at most 2^31 units.
    pub(super) const fn units(self, unit: u32) -> u64 {
        (self.ticks as u64)
            .wrapping_mul(unit as u64)
            .wrapping_add(self.rest as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_numbers_are_those_of_units() {
        const UNIT: u32 = 7;
        let of = |units: u32| Span {
            ticks: units / UNIT,
            rest: units % UNIT,
        };
        for a in 0..60 {
            for b in 0..60 {
                assert_eq!(of(a).plus(of(b), UNIT), of(a + b));
                assert_eq!(of(a).minus(of(b), UNIT), a.checked_sub(b).map(of));
                assert_eq!(of(a).times(b, UNIT), of(a * b));
            }
            assert_eq!(of(a).ticks_ceil(), a.div_ceil(UNIT));
            assert_eq!(of(a).units(UNIT), u64::from(a));
        }
    }
}
