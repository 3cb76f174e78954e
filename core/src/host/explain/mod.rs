//! What limits allow, in words.

mod edges;
mod limit;
mod span;

use alloc::string::{String, ToString};
use core::fmt;

use super::limits::Limits;
use limit::write_limit;
use span::Span;

const SECOND: u64 = 1_000_000_000;
/// The windows for which the most is said, in nanoseconds; the first is a single instant.
const WINDOWS: [u64; 5] = [0, SECOND, 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND];

impl Limits {
    /// What these limits allow, in words: of each the burst, the sustained rate, the worst case and how
    /// it recovers; and the most that all of them grant together in windows from a second to a day,
    /// see [`Limits::most_within`].
    ///
    /// The text has a line for each of these and ends with a line break. It is for people, and may be
    /// worded otherwise in another release.
    ///
    /// ```
    /// use tokenweir::Limits;
    ///
    /// let text = Limits::parse("100/s burst 200; 10000/day aligned")?.explain();
    /// assert!(text.contains("\nIn any 1 h     at most 20000, by 10000/d aligned\n"));
    /// # Ok::<(), tokenweir::LimitSyntaxError>(())
    /// ```
    #[must_use]
    pub fn explain(&self) -> String {
        Explained(self).to_string()
    }
}

struct Explained<'a>(&'a Limits);

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(limits) = *self;
        for limit in limits {
            write_limit(f, limit)?;
            writeln!(f)?;
        }
        if limits.len() > 1 {
            writeln!(f, "All of them together")?;
        }
        let most = WINDOWS.map(|window| limits.strictest_within(window));
        let digits = most.map(|(_, most)| most.checked_ilog10().unwrap_or(0) as usize);
        let width = digits.into_iter().max().unwrap_or(0).saturating_add(1);
        for (window, (strictest, most)) in WINDOWS.into_iter().zip(most) {
            match window {
                0 => f.write_str("At once       ")?,
                _ => write!(f, "In any {:<7}", Span(window).to_string())?,
            }
            write!(f, " at most {most:>width$}")?;
            if limits.len() > 1 {
                write!(f, ", by {}", limits.name(strictest))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
