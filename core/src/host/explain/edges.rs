//! When the edges of a limit are, for people.

use core::fmt;

use super::span::Span;
use crate::arith;
use crate::host::text::units::{self, DAY, WEEK, nanos};

/// When a limit has its edges; all in nanoseconds.
pub(super) enum Edges {
    /// Each period after the limiter was made.
    FromCreation {
        /// From one edge to the next.
        period: u64,
    },
    /// On the grid of the period through this time after the Unix epoch.
    Grid {
        /// From one edge to the next.
        period: u64,
        /// One of the edges.
        through: u64,
    },
    /// At this time after the Unix epoch, and each period after that.
    From {
        /// From one edge to the next.
        period: u64,
        /// The first edge.
        first: u64,
    },
}

/// The Unix epoch was a Thursday.
const WEEKDAYS: [&str; 7] = [
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
];

impl fmt::Display for Edges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::FromCreation { period } => {
                write!(
                    f,
                    "every {}, counted from when the limiter is made",
                    Span(period)
                )
            }
            Self::Grid { period, through } => write_grid(f, period, through),
            Self::From { period, first } => {
                write!(f, "first {}, then every {}", Instant(first), Span(period))
            }
        }
    }
}

fn write_grid(f: &mut fmt::Formatter<'_>, period: u64, through: u64) -> fmt::Result {
    let (days, time) = arith::div_rem(through.into(), DAY);
    if period == DAY.get() {
        return write!(f, "every day at {} UTC", TimeOfDay(time));
    }
    if period == WEEK.get() {
        let (_, weekday) = arith::div_rem(days, nanos(7));
        let weekday = WEEKDAYS.get(weekday as usize).unwrap_or(&"week");
        return write!(f, "every {weekday} at {} UTC", TimeOfDay(time));
    }
    let divides = |whole: u64| whole.checked_rem(period) == Some(0);
    if divides(DAY.get()) && divides(time) {
        write!(f, "every {}, counted from midnight UTC", Span(period))
    } else {
        write!(
            f,
            "every {}, one of them {}",
            Span(period),
            Instant(through)
        )
    }
}

/// A time after the Unix epoch, in the largest unit that measures it, as limits are written.
struct Instant(u64);

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, unit) = units::measured(self.0);
        write!(f, "{count}{unit} after the Unix epoch")
    }
}

/// Nanoseconds since midnight, with the parts that it has.
struct TimeOfDay(u64);

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, part) = arith::div_rem(self.0.into(), nanos(1_000_000_000));
        let (minutes, second) = arith::div_rem(seconds, nanos(60));
        let (hour, minute) = arith::div_rem(minutes, nanos(60));
        write!(f, "{hour:02}:{minute:02}")?;
        if second > 0 || part > 0 {
            write!(f, ":{second:02}")?;
        }
        if part > 0 {
            write!(f, ".{part:09}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    const HOUR: u64 = 3_600_000_000_000;

    #[test]
    fn edges_are_said_as_people_know_them() {
        let grid = |period, through| Edges::Grid { period, through }.to_string();
        assert_eq!(grid(DAY.get(), 0), "every day at 00:00 UTC");
        assert_eq!(grid(DAY.get(), 22 * HOUR), "every day at 22:00 UTC");
        assert_eq!(
            grid(DAY.get(), HOUR + 1_000_000_005),
            "every day at 01:00:01.000000005 UTC"
        );
        assert_eq!(grid(WEEK.get(), 4 * DAY.get()), "every Monday at 00:00 UTC");
        assert_eq!(grid(HOUR, 0), "every 1 h, counted from midnight UTC");
        assert_eq!(
            grid(HOUR, HOUR / 2),
            "every 1 h, one of them 30min after the Unix epoch"
        );
        assert_eq!(
            grid(7 * HOUR, 0),
            "every 7 h, one of them 0w after the Unix epoch"
        );
        let first = 1_700_000_000_000_000_000;
        let from = Edges::From {
            period: DAY.get(),
            first,
        };
        assert_eq!(
            from.to_string(),
            "first 1700000000s after the Unix epoch, then every 1 day"
        );
    }
}
