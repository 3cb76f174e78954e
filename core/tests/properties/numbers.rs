//! Numbers and instants whose boundaries come up often.

use proptest::prelude::*;

/// The largest count of tokens, period or wait.
pub(crate) const MAX: u64 = i64::MAX as u64;

/// A Julian year in nanoseconds.
pub(crate) const YEAR: u64 = 31_557_600_000_000_000;

/// From 1 to `i64::MAX`: small ones, those next to a power of two, those next to the largest, and any
/// of each length.
pub(crate) fn count() -> impl Strategy<Value = u64> {
    prop_oneof![
        6 => 1..=12_u64,
        2 => prop::sample::select(vec![60, 1_000, 32_768, 60_000, 1_000_000_000, 86_400_000_000_000]),
        2 => (0..63_u32, -1..=1_i64)
            .prop_map(|(bit, off)| (1_u64 << bit).saturating_add_signed(off).clamp(1, MAX)),
        1 => (0..4_u64).prop_map(|off| MAX - off),
        3 => (0..63_u32, 1..=MAX).prop_map(|(bits, n)| (n >> bits).max(1)),
    ]
}

/// Any instant: near both ends, in the middle, of today, and of each length.
pub(crate) fn instant() -> impl Strategy<Value = u64> {
    prop_oneof![
        6 => 0..40_u64,
        2 => Just(0),
        6 => Just(1_733_000_000_000_000_000_u64),
        1 => (-2..=2_i64).prop_map(|off| (1_u64 << 63).saturating_add_signed(off)),
        2 => (0..40_u64).prop_map(|off| u64::MAX - off),
        1 => Just(u64::MAX),
        3 => (0..64_u32, any::<u64>()).prop_map(|(bits, n)| n >> bits),
    ]
}

/// A move of the clock, resolved where it is made.
#[derive(Clone, Debug)]
pub(crate) enum Move {
    Stay,
    /// So many ticks on or, if negative, back.
    By(i64),
    /// A number of eighths of a period on, and a few ticks.
    Eighths(u16, i8),
    /// A number of eighths of a period back.
    BackEighths(u8),
    /// To the end of the wait that was last told, and a few ticks.
    Wait(i8),
    Years(u8),
    To(u64),
}

/// Moves that mostly go on, and often stop next to something.
pub(crate) fn moves() -> impl Strategy<Value = Move> {
    prop_oneof![
        6 => Just(Move::Stay),
        8 => (1..=20_i64).prop_map(Move::By),
        10 => (0..=20_u16, -1..=1_i8).prop_map(|(eighths, off)| Move::Eighths(eighths, off)),
        6 => (-1..=1_i8).prop_map(Move::Wait),
        4 => (1..=20_i64).prop_map(|ticks| Move::By(-ticks)),
        2 => (1..=20_u8).prop_map(Move::BackEighths),
        1 => (1..=80_u8).prop_map(Move::Years),
        3 => instant().prop_map(Move::To),
    ]
}

impl Move {
    /// The instant it leads to.
    pub(crate) fn from(&self, now: u64, period: u64, last_wait: Option<u64>) -> u64 {
        let eighths = |n: u64| u128::from(period) * u128::from(n) / 8;
        match *self {
            Self::Stay => now,
            Self::By(ticks) => now.saturating_add_signed(ticks),
            Self::Eighths(n, off) => forward(now, eighths(n.into()), off),
            Self::BackEighths(n) => {
                now.saturating_sub(u64::try_from(eighths(n.into())).unwrap_or(u64::MAX))
            }
            Self::Wait(off) => forward(now, last_wait.unwrap_or(period).into(), off),
            Self::Years(n) => forward(now, u128::from(YEAR) * u128::from(n), 0),
            Self::To(instant) => instant,
        }
    }
}

/// A first edge or an edge of cycles, resolved where the limiter is built.
#[derive(Clone, Debug)]
pub(crate) enum Edge {
    At(u64),
    /// So many periods from now, and so many ticks.
    Periods(i8, i8),
}

/// Edges before, at and after now.
pub(crate) fn edge() -> impl Strategy<Value = Edge> {
    prop_oneof![
        1 => instant().prop_map(Edge::At),
        3 => (-3..=3_i8, -12..=12_i8).prop_map(|(periods, off)| Edge::Periods(periods, off)),
    ]
}

impl Edge {
    /// The instant it stands for.
    pub(crate) fn from(&self, now: u64, period: u64) -> u64 {
        match *self {
            Self::At(instant) => instant,
            Self::Periods(periods, off) => {
                let ticks = i128::from(periods) * i128::from(period) + i128::from(off);
                clamped(i128::from(now) + ticks)
            }
        }
    }
}

fn forward(now: u64, ticks: u128, off: i8) -> u64 {
    // At most 2^64 × 2^13, far below 2^127.
    clamped(i128::from(now) + i128::try_from(ticks).unwrap_or(i128::MAX / 2) + i128::from(off))
}

fn clamped(instant: i128) -> u64 {
    u64::try_from(instant.clamp(0, u64::MAX.into())).unwrap_or(u64::MAX)
}
