//! What the examples print, and the figures behind it.

use core::fmt::Write;

#[path = "../examples/flash_writes/scene.rs"]
mod flash_writes;
#[path = "../examples/log_flood/scene.rs"]
mod log_flood;
#[path = "../examples/lora_duty_cycle/scene.rs"]
mod lora_duty_cycle;

use lora_duty_cycle::airtime::{SpreadingFactor, time_on_air_ms, time_on_air_us};

fn prints(name: &str, run: fn(&mut dyn Write) -> core::fmt::Result, expected: &str) {
    let mut text = String::new();
    run(&mut text).expect("a string takes any text");
    assert_eq!(
        text, expected,
        "if this is right: cargo run -p tokenweir --example {name} > core/examples/{name}/expected.txt"
    );
}

#[test]
fn a_log_flood_is_counted() {
    let expected = include_str!("../examples/log_flood/expected.txt");
    prints("log_flood", log_flood::run, expected);
    // Every one of the 3 + 150 lines is written or counted.
    let counts = expected.lines().map(|line| {
        let number = |text: &str| {
            text.trim_matches(|c: char| !c.is_ascii_digit())
                .parse::<u32>()
        };
        match (line.split_once("(and "), line.split_once("ms  ")) {
            (Some((_, more)), _) => 1 + number(more).unwrap(),
            (None, Some((_, text))) if text.ends_with("left out") => {
                number(text.split_once(' ').unwrap().0).unwrap()
            }
            _ => 1,
        }
    });
    assert_eq!(counts.sum::<u32>(), 153);
}

#[test]
fn a_lora_node_keeps_its_duty_cycle() {
    let expected = include_str!("../examples/lora_duty_cycle/expected.txt");
    prints("lora_duty_cycle", lora_duty_cycle::run, expected);
}

#[test]
fn resets_buy_no_writes() {
    let expected = include_str!("../examples/flash_writes/expected.txt");
    prints("flash_writes", flash_writes::run, expected);
    for line in expected.lines() {
        let (_, counts) = line.split_once(": ").unwrap();
        let writes: u32 = counts.split_whitespace().next().unwrap().parse().unwrap();
        assert!(writes <= 100, "{line}");
    }
}

/// Published figures for 125 kHz and coding rate 4/5, to the hundredth of a millisecond: 10 bytes as
/// in many tables of data rates, 13 bytes as in the spreadsheet that follows AN1200.13.
#[test]
fn the_time_on_air_is_what_published_tables_say() {
    use SpreadingFactor::*;
    let known = [
        (Sf7, 10, 41_220),
        (Sf8, 10, 72_190),
        (Sf9, 10, 144_380),
        (Sf10, 10, 288_770),
        (Sf11, 10, 577_540),
        (Sf12, 10, 991_230),
        (Sf9, 13, 164_864),
        (Sf12, 51, 2_465_790),
    ];
    for (factor, payload, micros) in known {
        let exact = time_on_air_us(factor, payload);
        assert!(
            exact.abs_diff(micros) <= 5,
            "{factor:?}, {payload} bytes: {exact}"
        );
        let millis = time_on_air_ms(factor, payload).get();
        assert!(millis * 1_000 >= exact && (millis - 1) * 1_000 < exact);
    }
}

/// The formula of AN1200.13 as it is printed, with fractions.
#[test]
fn the_time_on_air_is_that_of_the_formula_for_all_packets() {
    for factor in SpreadingFactor::ALL {
        let bits = f64::from(factor as u32);
        let symbol_us = bits.exp2() / 0.125;
        let optimised = f64::from(u8::from(symbol_us > 16_000.0));
        for payload in 0..=u8::MAX {
            let bytes = f64::from(payload);
            let blocks =
                (8.0 * bytes - 4.0 * bits + 28.0 + 16.0) / (4.0 * (bits - 2.0 * optimised));
            let symbols = 8.0 + (blocks.ceil() * 5.0).max(0.0);
            let expected = (8.0 + 4.25 + symbols) * symbol_us;
            assert_eq!(f64::from(time_on_air_us(factor, payload)), expected);
        }
    }
}
