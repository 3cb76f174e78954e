//! The report: the figures on the first line, then what they are made of.

use std::io::{self, Write};

use jiff::Timestamp;
use tokenweir::Wait;

use crate::args::Arguments;
use crate::log::Log;
use crate::replay::Outcome;

/// The rows of a list.
const MOST: usize = 10;
/// The characters of the longest bar.
const BAR: usize = 40;

const SECOND: u64 = 1_000_000_000;
/// What the bars of the histogram stand for: waits up to this.
const BOUNDS: [(u64, &str); 13] = [
    (SECOND / 1000, "1 ms"),
    (SECOND / 100, "10 ms"),
    (SECOND / 10, "100 ms"),
    (SECOND, "1 s"),
    (2 * SECOND, "2 s"),
    (5 * SECOND, "5 s"),
    (10 * SECOND, "10 s"),
    (30 * SECOND, "30 s"),
    (60 * SECOND, "1 min"),
    (600 * SECOND, "10 min"),
    (3600 * SECOND, "1 h"),
    (86_400 * SECOND, "1 day"),
    (u64::MAX, "longer"),
];

pub(crate) fn write(
    out: &mut dyn Write,
    arguments: &Arguments,
    log: &Log,
    outcome: &Outcome,
) -> io::Result<()> {
    writeln!(
        out,
        "admitted={} refused={} keys={} keys_refused={}",
        outcome.admitted(),
        outcome.refused(),
        outcome.keys.len(),
        outcome.keys_refused(),
    )?;
    write_input(out, arguments, log)?;
    write_bad_lines(out, log)?;
    if outcome.refused() == 0 {
        return writeln!(out, "\nNothing was refused.");
    }
    write_limits(out, arguments, outcome)?;
    write_keys(out, arguments, outcome)?;
    write_waits(out, &outcome.waits)
}

fn write_input(out: &mut dyn Write, arguments: &Arguments, log: &Log) -> io::Result<()> {
    let Arguments { limits, key, .. } = arguments;
    let instant = |request: Option<&crate::log::Request>| {
        let nanos = request.map_or(0, |request| i128::from(request.at));
        let time = Timestamp::from_nanosecond(nanos).map_err(io::Error::other)?;
        io::Result::Ok(time.strftime("%Y-%m-%d %H:%M:%S").to_string())
    };
    let (first, last) = (
        instant(log.requests.first())?,
        instant(log.requests.last())?,
    );
    writeln!(out)?;
    writeln!(out, "limits    {limits}, for each {}", key.name())?;
    writeln!(out, "requests  {} in {}", log.requests.len(), log.name)?;
    writeln!(out, "time      {first} to {last} UTC")
}

fn write_bad_lines(out: &mut dyn Write, log: &Log) -> io::Result<()> {
    if log.bad.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nBad lines, left out: {}", log.bad.len())?;
    for bad in log.bad.iter().take(MOST) {
        writeln!(out, "  line {}: {}", bad.number, bad.problem)?;
    }
    write_rest(out, log.bad.len())
}

/// Which of several limits refused.
fn write_limits(out: &mut dyn Write, arguments: &Arguments, outcome: &Outcome) -> io::Result<()> {
    if arguments.limits.len() < 2 {
        return Ok(());
    }
    writeln!(out, "\nRefused by\n  refused  limit")?;
    for (index, refused) in outcome.refused_by.iter().enumerate() {
        writeln!(out, "  {refused:>7}  {}", arguments.limits.name(index))?;
    }
    Ok(())
}

fn write_keys(out: &mut dyn Write, arguments: &Arguments, outcome: &Outcome) -> io::Result<()> {
    writeln!(out, "\nMost refused")?;
    writeln!(
        out,
        "  refused  admitted  longest wait  {}",
        arguments.key.name()
    )?;
    let refused = outcome.keys.iter().filter(|(_, tally)| tally.refused > 0);
    for (key, tally) in refused.take(MOST) {
        // What a client sent is not for the terminal to obey.
        let key = key.replace(char::is_control, "\u{fffd}");
        let longest = described(tally.longest);
        let (refused, admitted) = (tally.refused, tally.admitted);
        writeln!(out, "  {refused:>7}  {admitted:>8}  {longest:>12}  {key}")?;
    }
    write_rest(out, outcome.keys_refused())
}

/// How long the refused would have had to wait.
fn write_waits(out: &mut dyn Write, waits: &[Wait]) -> io::Result<()> {
    let bar_of = |wait: &Wait| {
        let ticks = wait.ticks()?;
        BOUNDS.iter().position(|(bound, _)| ticks <= *bound)
    };
    let mut counts = [0; BOUNDS.len() + 1];
    for wait in waits {
        // The last bar is for those that no wait helps.
        counts[bar_of(wait).unwrap_or(BOUNDS.len())] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let used = |count: &usize| *count > 0;
    let first = counts.iter().position(used).unwrap_or(0);
    let last = counts.iter().rposition(used).unwrap_or(0);
    let labels = BOUNDS.iter().map(|(_, label)| *label).chain(["never"]);
    writeln!(
        out,
        "\nWait until the refused would have been admitted, up to"
    )?;
    for (label, count) in labels.zip(counts).take(last + 1).skip(first) {
        // A bar that is not empty can be seen.
        let bar = "#".repeat((count * BAR).div_ceil(most));
        writeln!(out, "  {label:>7}  {count:>7}  {bar}")?;
    }
    Ok(())
}

fn write_rest(out: &mut dyn Write, all: usize) -> io::Result<()> {
    match all.checked_sub(MOST) {
        None | Some(0) => Ok(()),
        Some(rest) => writeln!(out, "  … and {rest} more"),
    }
}

/// A wait in words, rounded up to what is shown.
fn described(wait: Wait) -> String {
    let Some(nanos) = wait.ticks() else {
        return "never".into();
    };
    let millis = nanos.div_ceil(1_000_000);
    let (tenths, secs) = (millis.div_ceil(100), millis.div_ceil(1000));
    let mins = secs.div_ceil(60);
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{}.{} s", tenths / 10, tenths % 10),
        60_000..3_600_000 => format!("{} min {:02} s", secs / 60, secs % 60),
        _ => format!("{} h {:02} min", mins / 60, mins % 60),
    }
}
