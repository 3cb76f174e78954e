//! HTTP-date (RFC 9110 section 5.6.7) in its three forms.

use super::lines::digits;
use super::{NANOS, saturating_nanos};

/// The instant of an HTTP-date, in nanoseconds of Unix time; `None` if the text is not one.
///
/// The three forms are `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
/// `Sun Nov  6 08:49:37 1994`. The name of the day must be one, but is not compared with the date.
/// The two digits of a year stand for the latest year that is not more than 50 years after `now`.
/// A date before 1970 is 0, one after the year 2554 `u64::MAX`.
///
/// ```
/// use tokenweir::http::parse_date;
///
/// let expected = Some(784_111_777_000_000_000);
/// assert_eq!(parse_date("Sun, 06 Nov 1994 08:49:37 GMT", 0), expected);
/// assert_eq!(parse_date("Sun Nov  6 08:49:37 1994", 0), expected);
/// assert_eq!(parse_date("1994-11-06T08:49:37Z", 0), None);
/// ```
#[must_use]
pub fn parse_date(text: &str, now: u64) -> Option<u64> {
    parse_seconds(text.as_bytes(), now).map(saturating_nanos)
}

/// As [`parse_date`], in seconds.
pub(super) fn parse_seconds(text: &[u8], now: u64) -> Option<u64> {
    let instant = imf_fixdate(text)
        .or_else(|| rfc_850(text, now / NANOS))
        .or_else(|| asctime(text))?;
    instant.unix_seconds()
}

/// A date and a time of day, in UTC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Instant {
    year: u32,
    month: u32,
    day: u32,
    second: u32,
}

const DAYS: [&[u8]; 7] = [
    b"Monday",
    b"Tuesday",
    b"Wednesday",
    b"Thursday",
    b"Friday",
    b"Saturday",
    b"Sunday",
];

const MONTHS: &[u8; 36] = b"JanFebMarAprMayJunJulAugSepOctNovDec";

const SECONDS_PER_DAY: u64 = 86_400;

/// `Sun, 06 Nov 1994 08:49:37 GMT`
fn imf_fixdate(text: &[u8]) -> Option<Instant> {
    let (weekday, text) = text.split_at_checked(3)?;
    let [b',', b' ', d1, d0, b' ', month @ .., b' ', b'G', b'M', b'T'] = text else {
        return None;
    };
    let (month, text) = month.split_at_checked(3)?;
    let [b' ', y3, y2, y1, y0, b' ', time @ ..] = text else {
        return None;
    };
    is_short_day(weekday).then_some(Instant {
        year: number(&[*y3, *y2, *y1, *y0])?,
        month: month_of(month)?,
        day: number(&[*d1, *d0])?,
        second: time_of_day(time)?,
    })
}

/// `Sunday, 06-Nov-94 08:49:37 GMT`
fn rfc_850(text: &[u8], now_seconds: u64) -> Option<Instant> {
    let text = DAYS.iter().find_map(|day| text.strip_prefix(*day))?;
    let [b',', b' ', d1, d0, b'-', month @ .., b' ', b'G', b'M', b'T'] = text else {
        return None;
    };
    let (month, text) = month.split_at_checked(3)?;
    let [b'-', y1, y0, b' ', time @ ..] = text else {
        return None;
    };
    let instant = Instant {
        year: number(&[*y1, *y0])?,
        month: month_of(month)?,
        day: number(&[*d1, *d0])?,
        second: time_of_day(time)?,
    };
    instant.within_50_years_of(now_seconds)
}

/// `Sun Nov  6 08:49:37 1994`
fn asctime(text: &[u8]) -> Option<Instant> {
    let (weekday, text) = text.split_at_checked(3)?;
    let (month, text) = text.strip_prefix(b" ")?.split_at_checked(3)?;
    let [b' ', d1, d0, b' ', time @ .., b' ', y3, y2, y1, y0] = text else {
        return None;
    };
    // A day below ten has a space in front.
    let d1 = if *d1 == b' ' { b'0' } else { *d1 };
    is_short_day(weekday).then_some(Instant {
        year: number(&[*y3, *y2, *y1, *y0])?,
        month: month_of(month)?,
        day: number(&[d1, *d0])?,
        second: time_of_day(time)?,
    })
}

impl Instant {
    /// Seconds since 1970, 0 before it; `None` for a day the month does not have.
    fn unix_seconds(self) -> Option<u64> {
        if self.day == 0 || self.day > days_in(self.year, self.month) {
            return None;
        }
        // Days before a year that starts in March, so that a leap day is the last of its year; the
        // months from March on have 153 days each five (Fliegel and Van Flandern).
        let (year, month) = if self.month > 2 {
            (self.year, self.month.checked_sub(3)?)
        } else {
            (self.year.saturating_sub(1), self.month.checked_add(9)?)
        };
        // A four-digit year is below 4 million days.
        let leap_days = (year / 4)
            .saturating_sub(year / 100)
            .saturating_add(year / 400);
        let days = year
            .saturating_mul(365)
            .saturating_add(leap_days)
            .saturating_add(month.saturating_mul(153).saturating_add(2) / 5)
            .saturating_add(self.day);
        Some(match days.checked_sub(DAYS_TO_1970) {
            Some(days) => u64::from(days)
                .saturating_mul(SECONDS_PER_DAY)
                .saturating_add(self.second.into()),
            None => 0,
        })
    }

    /// The instant in the latest year with these last two digits that is not more than 50 years
    /// after `now`; `None` if that year has no such day.
    fn within_50_years_of(self, now_seconds: u64) -> Option<Self> {
        let now = Self::from_unix_seconds(now_seconds)?;
        let limit = Self {
            year: now.year.checked_add(50)?,
            ..now
        };
        let century = limit.year.checked_sub(limit.year % 100)?;
        let this = Self {
            year: century.checked_add(self.year)?,
            ..self
        };
        if this <= limit {
            return Some(this);
        }
        Some(Self {
            year: this.year.checked_sub(100)?,
            ..this
        })
    }

    /// The date of a Unix time; `None` beyond the year 9999.
    fn from_unix_seconds(seconds: u64) -> Option<Self> {
        let mut days = seconds / SECONDS_PER_DAY;
        let second = u32::try_from(seconds % SECONDS_PER_DAY).ok()?;
        // Years and months one by one: some thousand steps at most, and plainly right.
        for year in 1970..=9999 {
            for month in 1..=12 {
                let length = days_in(year, month).into();
                let Some(left) = days.checked_sub(length) else {
                    return Some(Self {
                        year,
                        month,
                        day: u32::try_from(days).ok()?.checked_add(1)?,
                        second,
                    });
                };
                days = left;
            }
        }
        None
    }
}

/// The day number of 1970-01-01 in the count of [`Instant::unix_seconds`].
const DAYS_TO_1970: u32 = 719_469;

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn is_short_day(text: &[u8]) -> bool {
    DAYS.iter().any(|day| day.get(..3) == Some(text))
}

fn month_of(text: &[u8]) -> Option<u32> {
    let index = MONTHS.chunks(3).position(|month| month == text)?;
    u32::try_from(index).ok()?.checked_add(1)
}

/// The seconds of `hh:mm:ss`; a leap second, 60, is the first of the next minute.
fn time_of_day(text: &[u8]) -> Option<u32> {
    let &[h1, h0, b':', m1, m0, b':', s1, s0] = text else {
        return None;
    };
    let hour = number(&[h1, h0]).filter(|hour| *hour < 24)?;
    let minute = number(&[m1, m0]).filter(|minute| *minute < 60)?;
    let second = number(&[s1, s0]).filter(|second| *second <= 60)?;
    let minutes = hour.checked_mul(60)?.checked_add(minute)?;
    minutes.checked_mul(60)?.checked_add(second)
}

/// A number in digits, of which all callers give few.
fn number(text: &[u8]) -> Option<u32> {
    u32::try_from(digits(text)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_day_is_a_day_after_the_one_before() {
        let mut expected = 0;
        for year in 1970..2600 {
            for month in 1..=12 {
                for day in 1..=days_in(year, month) {
                    let instant = Instant {
                        year,
                        month,
                        day,
                        second: 7,
                    };
                    assert_eq!(instant.unix_seconds(), Some(expected + 7));
                    expected += SECONDS_PER_DAY;
                }
            }
        }
        // 630 years of 365 days, 157 leap days every fourth year less 2100, 2200, 2300 and 2500.
        assert_eq!(expected / SECONDS_PER_DAY, 630 * 365 + 157 - 4);
    }

    #[test]
    fn a_unix_time_has_its_date() {
        for day in (0..200_000).step_by(997) {
            let seconds = day * SECONDS_PER_DAY + day % 86_400;
            let instant = Instant::from_unix_seconds(seconds).unwrap();
            assert_eq!(instant.unix_seconds(), Some(seconds));
        }
    }

    #[test]
    fn an_instant_beyond_the_calendar_has_no_century() {
        assert!(Instant::from_unix_seconds(253_402_300_799).is_some());
        assert!(Instant::from_unix_seconds(253_402_300_800).is_none());
    }
}
