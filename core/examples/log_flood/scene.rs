//! A serial log that a broken sensor cannot flood.
//!
//! At 115 200 baud a line of 60 characters takes 5 ms, during which a device that logs by polling does
//! nothing else. So the log gets three lines at once and four a second, and says how many it left out.

use core::fmt::{self, Write};
use core::num::NonZeroU32;

use tokenweir::{Bandwidth, Suppressed, TinyBucket, TinyConfig, checked};

/// Three lines at once, and one each 250 ms.
const LINES: TinyConfig = checked!(TinyConfig::new(checked!(Bandwidth::greedy(3, 1, 250))));

/// A log whose lines are limited.
struct Log<'a> {
    out: &'a mut dyn Write,
    lines: Suppressed<TinyBucket>,
}

impl Log<'_> {
    /// Writes a line, or counts it.
    fn line(&mut self, now: u32, text: fmt::Arguments<'_>) -> fmt::Result {
        match self.lines.try_take(NonZeroU32::MIN, now) {
            Some(0) => writeln!(self.out, "{now:>10} ms  {text}"),
            Some(left_out) => writeln!(self.out, "{now:>10} ms  {text} (and {left_out} more)"),
            None => Ok(()),
        }
    }

    /// Says what was left out since the last line, if no further one will.
    fn settle(&mut self, now: u32) -> fmt::Result {
        match self.lines.take_suppressed() {
            0 => Ok(()),
            left_out => writeln!(self.out, "{now:>10} ms  {left_out} lines were left out"),
        }
    }
}

/// The log of a device whose sensor fails once a second, then at every reading, and then recovers. The
/// counter of milliseconds wraps meanwhile.
pub(crate) fn run(out: &mut dyn Write) -> fmt::Result {
    let start = u32::MAX - 3_499;
    let mut log = Log {
        out,
        lines: Suppressed::new(TinyBucket::new(LINES, start)),
    };
    for elapsed in (0..6_000).step_by(10) {
        let now = start.wrapping_add(elapsed);
        let fails = match elapsed {
            0..3_000 => elapsed % 1_000 == 0,
            3_000..4_500 => true,
            _ => false,
        };
        if fails {
            log.line(now, format_args!("sensor 3 does not answer"))?;
        }
        if elapsed == 5_000 {
            log.settle(now)?;
        }
    }
    Ok(())
}
