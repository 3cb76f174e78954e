//! How long a LoRa packet is on air, in integers.

use core::num::NonZeroU32;

/// The spreading factor: how many bits a symbol carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpreadingFactor {
    Sf7 = 7,
    Sf8,
    Sf9,
    Sf10,
    Sf11,
    Sf12,
}

impl SpreadingFactor {
    pub(crate) const ALL: [Self; 6] = [
        Self::Sf7,
        Self::Sf8,
        Self::Sf9,
        Self::Sf10,
        Self::Sf11,
        Self::Sf12,
    ];
}

/// The time on air of a packet of `payload` bytes, in microseconds, exactly.
///
/// For 125 kHz, coding rate 4/5, a preamble of 8 symbols, an explicit header and a checksum, as LoRaWAN
/// sends in Europe; symbols of more than 16 ms have the low data rate optimisation. The formula is the
/// one of Semtech's AN1200.13, section 4, multiplied out so that no fraction is left: a symbol takes
/// 2^SF × 8 µs, and the preamble is 12¼ symbols.
pub(crate) const fn time_on_air_us(factor: SpreadingFactor, payload: u8) -> u32 {
    let factor = factor as u32;
    let optimised = factor >= SpreadingFactor::Sf11 as u32;
    // 8 × bytes − 4 × SF + 28 + 16 of the checksum, which is not negative up to SF11.
    let bits = (8 * payload as u32 + 44).saturating_sub(4 * factor);
    let bits_in_five_symbols = 4 * (factor - if optimised { 2 } else { 0 });
    let payload_symbols = 8 + bits.div_ceil(bits_in_five_symbols) * 5;
    let quarter_symbols = 49 + 4 * payload_symbols;
    quarter_symbols << (factor + 1)
}

/// As [`time_on_air_us`], in milliseconds, rounded up: what a packet costs.
pub(crate) const fn time_on_air_ms(factor: SpreadingFactor, payload: u8) -> NonZeroU32 {
    match NonZeroU32::new(time_on_air_us(factor, payload).div_ceil(1_000)) {
        Some(millis) => millis,
        // No packet takes no time.
        None => NonZeroU32::MIN,
    }
}
