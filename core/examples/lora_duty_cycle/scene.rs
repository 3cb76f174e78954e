//! A LoRa node in the European 868 MHz band, which may be on air for 1 % of each hour.

use core::fmt::{self, Write};

use tokenweir::{Bandwidth, TinyBucket, TinyConfig, checked};

#[path = "airtime.rs"]
pub(crate) mod airtime;

use airtime::{SpreadingFactor, time_on_air_ms, time_on_air_us};

const HOUR: u32 = 3_600_000;

/// A token is a millisecond on air, and 36 s an hour are 1 %.
///
/// A full bucket gives its capacity at once and the refill of an hour on top. For no hour to have more
/// than 36 s, wherever it begins, both together are 36 s: 6 s at once, and 30 s each hour.
const DUTY_CYCLE: TinyConfig = checked!(TinyConfig::new(checked!(Bandwidth::greedy(
    6_000,
    30_000,
    HOUR as u64
))));

/// What was sent: when, and for how long, in milliseconds.
#[derive(Clone, Copy, Default)]
struct Sent {
    at: u32,
    airtime: u32,
}

/// Prints the time on air of a packet, and four hours of a node that has one to send each 40 s.
pub(crate) fn run(out: &mut dyn Write) -> fmt::Result {
    writeln!(out, "20 bytes are on air for")?;
    for factor in SpreadingFactor::ALL {
        writeln!(out, "  {:>9} us at {factor:?}", time_on_air_us(factor, 20))?;
    }
    let factor = SpreadingFactor::Sf12;
    let cost = time_on_air_ms(factor, 20);
    writeln!(out, "one each 40 s at {factor:?} is {cost} ms each:")?;

    let mut sent = [Sent::default(); 128];
    let mut budget = TinyBucket::new(DUTY_CYCLE, 0);
    let mut places = sent.iter_mut();
    for hour in 0..4 {
        let (mut count, mut held_back) = (0, 0);
        for now in (hour * HOUR..(hour + 1) * HOUR).step_by(40_000) {
            if !budget.try_consume(cost, now) {
                held_back += 1;
            } else if let Some(place) = places.next() {
                let airtime = cost.get();
                *place = Sent { at: now, airtime };
                count += 1;
            }
        }
        let next = budget.wait(cost, (hour + 1) * HOUR);
        writeln!(
            out,
            "  hour {hour}: {count:>2} sent, {held_back:>2} held back, then wait {next}"
        )?;
    }
    let most = most_in_an_hour(&sent);
    writeln!(
        out,
        "most in any hour: {most} ms, allowed are {} ms",
        HOUR / 100
    )
}

/// The longest time on air within an hour that begins with one of the packets.
fn most_in_an_hour(sent: &[Sent]) -> u32 {
    let within = |since: &Sent| {
        let window = since.at..since.at + HOUR;
        let inside = sent.iter().filter(|packet| window.contains(&packet.at));
        inside.map(|packet| packet.airtime).sum()
    };
    sent.iter().map(within).max().unwrap_or(0)
}
