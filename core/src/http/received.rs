//! What a reply says about limits, whichever of the styles it says it in.

use alloc::string::String;
use alloc::vec::Vec;

use super::date::parse_seconds;
use super::lines::{Lines, Name, digits};
use super::policy::partition_key;
use super::sfv::parse::{self, Bare, Item};
use super::{Advice, NANOS, Policy, saturating_nanos};

/// What a client learns from the fields of a reply.
///
/// A field that is malformed, or that may have only one value and has more, counts as absent. A
/// reply from a cache (`Age` above 0) says nothing about limits.
///
/// ```
/// use tokenweir::http::{Advice, Received};
///
/// const SECOND: u64 = 1_000_000_000;
/// let now = 1_700_000_000 * SECOND;
/// let fields = [("ratelimit", r#""burst";r=0;t=5, "daily";r=900;t=36000"#)];
/// let received = Received::parse(fields, now);
/// assert_eq!(received.limits[1].remaining, Some(900));
/// assert_eq!(received.advice(), Advice::NotBefore(now + 5 * SECOND));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// The wait that `Retry-After` asks for, in nanoseconds; 0 for a date in the past.
    pub retry_after: Option<u64>,
    /// The policies, of `RateLimit-Policy`.
    pub policies: Vec<Policy>,
    /// What is left: of `RateLimit`, or if that says nothing `RateLimit-Remaining` and its
    /// companions, or if those say nothing `X-RateLimit-Remaining` and its companions.
    pub limits: Vec<ServiceLimit>,
    now: u64,
}

/// What is left of a policy, as a client is told it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct ServiceLimit {
    /// The name of the policy, in the draft's style.
    pub name: Option<String>,
    /// The quota, in the older styles.
    pub limit: Option<u64>,
    /// How many units are left.
    pub remaining: Option<u64>,
    /// For how long no more than that can be used, in nanoseconds.
    pub reset: Option<u64>,
    /// Whose quota it is.
    pub partition_key: Option<Vec<u8>>,
}

impl Received {
    /// Reads the fields of a reply that arrived at `now`, in nanoseconds of Unix time.
    ///
    /// Pass all fields, or those that are of interest: names in any case, values as text or bytes.
    /// Instants (dates, Unix times) are compared with the reply's own `Date`, if it is among them,
    /// so that a client's clock may be wrong; else with `now`.
    pub fn parse<N: AsRef<str>, V: AsRef<[u8]>>(
        fields: impl IntoIterator<Item = (N, V)>,
        now: u64,
    ) -> Self {
        let mut lines = Lines::default();
        for (name, value) in fields {
            lines.add(name.as_ref(), value.as_ref());
        }
        Self::from_lines(&lines, now)
    }

    /// Whether, and when, the next request may be made.
    ///
    /// `Retry-After` decides alone. Without it, the policies with nothing left do: the latest of
    /// their resets.
    #[must_use]
    pub fn advice(&self) -> Advice {
        if let Some(wait) = self.retry_after {
            return Advice::after(wait, self.now);
        }
        let mut known = false;
        let mut unknown = false;
        let mut wait = 0;
        for limit in &self.limits {
            match (limit.remaining, limit.reset) {
                (Some(0), Some(reset)) => {
                    known = true;
                    wait = reset.max(wait);
                }
                (Some(0), None) => unknown = true,
                (Some(_), _) => known = true,
                (None, _) => {}
            }
        }
        if wait == 0 && (unknown || !known) {
            return Advice::Unknown;
        }
        Advice::after(wait, self.now)
    }

    fn from_lines(lines: &Lines, now: u64) -> Self {
        let age = lines.digits(Name::Age).unwrap_or(0);
        let date = lines.single(Name::Date);
        let date = date.and_then(|date| parse_seconds(date, now));
        let clock = ServerClock {
            nanos: date.map_or(now, |date| saturating_nanos(date.saturating_add(age))),
        };
        let retry_after = lines.single(Name::RetryAfter);
        let mut received = Self {
            retry_after: retry_after.and_then(|value| clock.retry_after(value, now)),
            policies: Vec::new(),
            limits: Vec::new(),
            now,
        };
        if age == 0 {
            let policies = parse::list(lines.all(Name::Policy), Policy::from_item);
            received.policies = policies.unwrap_or_default();
            received.limits = limits(lines, clock);
        }
        received
    }
}

/// What time it is at the server, in nanoseconds of Unix time.
#[derive(Clone, Copy)]
struct ServerClock {
    nanos: u64,
}

impl ServerClock {
    fn until(self, seconds: u64) -> u64 {
        saturating_nanos(seconds).saturating_sub(self.nanos)
    }

    /// `Retry-After`: seconds, of any length, or a date.
    fn retry_after(self, value: &[u8], now: u64) -> Option<u64> {
        match digits(value) {
            Some(seconds) => Some(saturating_nanos(seconds)),
            None => parse_seconds(value, now).map(|date| self.until(date)),
        }
    }

    /// A reset of the older fields. Nobody means a wait of 31 years: larger numbers are Unix times
    /// in seconds, and those beyond the year 9999 in milliseconds.
    fn reset(self, value: u64) -> Option<u64> {
        match value {
            0..1_000_000_000 => Some(saturating_nanos(value)),
            1_000_000_000..253_402_300_800 => Some(self.until(value)),
            253_402_300_800..253_402_300_800_000 => {
                let nanos = value.saturating_mul(NANOS / 1_000);
                Some(nanos.saturating_sub(self.nanos))
            }
            _ => None,
        }
    }
}

/// The first style that says something.
fn limits(lines: &Lines, clock: ServerClock) -> Vec<ServiceLimit> {
    let value = lines.all(Name::RateLimit);
    match parse::list(value, draft) {
        Some(limits) if !limits.is_empty() => return limits,
        _ => {}
    }
    let limit = draft_7(value)
        .or_else(|| three(lines, [Name::Limit, Name::Remaining, Name::Reset], clock))
        .or_else(|| three(lines, [Name::XLimit, Name::XRemaining, Name::XReset], clock));
    limit.into_iter().collect()
}

/// `"name";r=50;t=30`.
fn draft(item: Item<'_>) -> Option<ServiceLimit> {
    let remaining = item.parameter("r")?.unsigned()?;
    let reset = match item.parameter("t") {
        Some(seconds) => Some(saturating_nanos(seconds.unsigned()?)),
        None => None,
    };
    let partition_key = partition_key(&item)?;
    let Bare::String(name) = item.value else {
        return None;
    };
    Some(ServiceLimit {
        name: Some(name),
        limit: None,
        remaining: Some(remaining),
        reset,
        partition_key,
    })
}

/// `limit=100, remaining=50, reset=30`, of which the second may be absent.
fn draft_7(value: &[u8]) -> Option<ServiceLimit> {
    let fields = parse::dictionary(value)?;
    let required = |key| parse::value(&fields, key)?.unsigned();
    let remaining = match parse::value(&fields, "remaining") {
        Some(remaining) => Some(remaining.unsigned()?),
        None => None,
    };
    Some(ServiceLimit {
        limit: Some(required("limit")?),
        remaining,
        reset: Some(saturating_nanos(required("reset")?)),
        ..ServiceLimit::default()
    })
}

/// Three fields with a number each; before revision 7, the first went on with the policies.
fn three(
    lines: &Lines,
    [limit, remaining, reset]: [Name; 3],
    clock: ServerClock,
) -> Option<ServiceLimit> {
    let limits = parse::list(lines.all(limit), |item| Some(item.value.unsigned()));
    let limit = ServiceLimit {
        limit: limits.and_then(|limits| limits.first().copied()?),
        remaining: lines.digits(remaining),
        reset: lines.digits(reset).and_then(|value| clock.reset(value)),
        ..ServiceLimit::default()
    };
    let said = limit.limit.or(limit.remaining).or(limit.reset);
    said.is_some().then_some(limit)
}
