//! Several limits that hold at once.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use super::error::LimitsError;
use super::limit::{Limit, Rule};
use super::text;
use crate::{Bandwidth, BandwidthId, CycleConfig, LimitSyntaxError};

/// The limits of one subject, all of which must agree: bandwidths and fixed cycles mixed.
///
/// Written as text or put together from [`Limit`]s; immutable and shareable: any number of
/// [`LimiterState`](crate::LimiterState)s can use one. Instants and periods are in nanoseconds.
///
/// ```
/// use tokenweir::{Bandwidth, Limit, Limits, TickRate};
///
/// let limits: Limits = "burst: 100/s burst 200; daily: 10000/day aligned".parse()?;
/// assert_eq!((limits.len(), limits.name(1)), (2, "daily"));
///
/// let built = Limits::new([Limit::bandwidth(Bandwidth::per_second(10, TickRate::NANOS)?)])?;
/// assert_eq!(built, Limits::parse("10/s")?);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// # Text
///
/// A list of limits separated by `;` (`,` and `|` as well), each with a name before a `:` if it
/// should have one:
///
/// | text | meaning |
/// |---|---|
/// | `10/s`, `10/second`, `10 per second` | 10 tokens a second, each as soon as its share has passed; at most 10 at once |
/// | `10 per 2 minutes`, `10/500ms`, `0.5/s` | any period, any exact decimal; at most as many at once as the amount, rounded up |
/// | `100/s burst 200` | at most 200 at once |
/// | `100/s initial 0` | tokens of a new bucket, instead of a full one |
/// | `interval 400/hour` | all 400 at once at the end of each hour after creation |
/// | `1000/day aligned` | all at once at midnight UTC |
/// | `1000/day aligned at 22h` | the same at 22:00 UTC: the grid of edges goes through this time after the Unix epoch |
/// | `1000/day adaptive` | as `aligned`, and a new bucket starts with the share of the rest of the day |
/// | `1000/day aligned from 1700000000s` | the first refill is at this time after the Unix epoch |
/// | `cycle 10/60s` | 10 permits in each minute after creation, none carried over |
/// | `cycle 10/60s aligned` | the same in each minute of the clock |
///
/// Units, in any case: `ns`, `us` or `µs`, `ms`, `s`, `min` or `m`, `h`, `d`, `w` and their usual
/// longer forms. Edges are aligned to the Unix epoch in UTC, so that days begin at midnight;
/// periods of whole weeks begin on Monday. An amount that is not whole is brought to a whole one by a
/// longer period: `2.5/s` is 5 tokens each 2 s. A name is a word of letters, digits, `_`, `-` and
/// `.`, or any text in double quotes.
///
/// Formatting gives such text in its shortest form, which parses to the same value.
#[derive(Clone, Debug)]
pub struct Limits {
    limits: Box<[Limit]>,
    names: Box<[Box<str>]>,
    bandwidths: Box<[Bandwidth]>,
    cycles: Box<[CycleConfig]>,
}

impl Limits {
    /// The largest number of limits in a set.
    pub const MAX: usize = 32;
    /// The longest name of a limit, in bytes.
    pub const MAX_NAME: usize = 128;

    /// The limits given, in their order.
    ///
    /// # Errors
    ///
    /// A [`LimitsError`] for none, too many, a name given twice, and a name that is empty or too
    /// long.
    pub fn new(limits: impl IntoIterator<Item = Limit>) -> Result<Self, LimitsError> {
        // One more than allowed is enough to know.
        let limits: Box<[Limit]> = limits
            .into_iter()
            .take(Self::MAX.saturating_add(1))
            .collect();
        check(&limits)?;
        let bandwidths = limits.iter().filter_map(|limit| match limit.rule() {
            Rule::Bandwidth(bandwidth) => Some(*bandwidth),
            Rule::Cycle(_) => None,
        });
        let cycles = limits.iter().filter_map(|limit| match limit.rule() {
            Rule::Cycle(config) => Some(*config),
            Rule::Bandwidth(_) => None,
        });
        Ok(Self {
            bandwidths: bandwidths.collect(),
            cycles: cycles.collect(),
            names: names(&limits),
            limits,
        })
    }

    /// The limits written as text, see [above](Limits#text).
    ///
    /// # Errors
    ///
    /// A [`LimitSyntaxError`] with the column and what was expected there.
    pub fn parse(text: &str) -> Result<Self, LimitSyntaxError> {
        text::parse::limits(text)
    }

    /// How many limits there are: at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is at least one limit")]
    pub const fn len(&self) -> usize {
        self.limits.len()
    }

    /// The limits, in their order.
    pub fn iter(&self) -> core::slice::Iter<'_, Limit> {
        self.limits.iter()
    }

    /// The limit at this place.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Limit> {
        self.limits.get(index)
    }

    /// What the limit at this place is called, here and in HTTP fields: its name; without one, its
    /// text, to which a number is added where two are written alike. Empty for a place that is not
    /// there.
    #[must_use]
    pub fn name(&self, index: usize) -> &str {
        self.names.get(index).map_or("", |name| name)
    }

    /// Which limit is called so.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|candidate| **candidate == *name)
    }

    /// Whether a new state of these limits is exactly full, whenever it is made: none has initial
    /// tokens of its own, or an adaptive share.
    #[must_use]
    pub fn start_full(&self) -> bool {
        self.bandwidths.iter().all(Bandwidth::starts_full)
    }

    /// Whether a limit is aligned to a wall clock.
    #[must_use]
    pub fn is_aligned(&self) -> bool {
        self.limits.iter().any(Limit::is_aligned)
    }

    /// Checks that a clock can serve these limits: `is_wall` says whether it tells civil time.
    ///
    /// # Errors
    ///
    /// [`LimitsError::AlignedRequiresWallClock`] if a limit is aligned and it does not.
    pub fn check_clock(&self, is_wall: bool) -> Result<(), LimitsError> {
        if self.is_aligned() && !is_wall {
            return Err(LimitsError::AlignedRequiresWallClock);
        }
        Ok(())
    }

    /// The bandwidths among the limits, in their order.
    #[inline(always)]
    pub(crate) fn bandwidths(&self) -> &[Bandwidth] {
        &self.bandwidths
    }

    /// The fixed cycles among the limits, in their order.
    #[inline(always)]
    pub(crate) fn cycles(&self) -> &[CycleConfig] {
        &self.cycles
    }

    /// The bandwidths with which a state is created at `now`.
    pub(crate) fn bandwidths_at(&self, now: u64) -> Cow<'_, [Bandwidth]> {
        if !self.limits.iter().any(Limit::is_recurring) {
            return Cow::Borrowed(&self.bandwidths);
        }
        let moved = self.limits.iter().filter_map(|limit| match limit.rule() {
            Rule::Bandwidth(bandwidth) => Some(limit.bandwidth_at(bandwidth, now)),
            Rule::Cycle(_) => None,
        });
        Cow::Owned(moved.collect())
    }
}

impl PartialEq for Limits {
    fn eq(&self, other: &Self) -> bool {
        self.limits == other.limits
    }
}

impl Eq for Limits {}

impl core::hash::Hash for Limits {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.limits.hash(state);
    }
}

impl<'a> IntoIterator for &'a Limits {
    type Item = &'a Limit;
    type IntoIter = core::slice::Iter<'a, Limit>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl core::str::FromStr for Limits {
    type Err = LimitSyntaxError;

    fn from_str(text: &str) -> Result<Self, LimitSyntaxError> {
        Self::parse(text)
    }
}

/// The rules every set of limits keeps.
fn check(limits: &[Limit]) -> Result<(), LimitsError> {
    if limits.is_empty() {
        return Err(LimitsError::NoLimits);
    }
    if limits.len() > Limits::MAX {
        return Err(LimitsError::TooManyLimits);
    }
    for (index, limit) in limits.iter().enumerate() {
        let Some(name) = limit.name() else { continue };
        if name.is_empty() || name.len() > Limits::MAX_NAME {
            return Err(LimitsError::NameLength { length: name.len() });
        }
        // By their ids, since these are what a replacement goes by.
        let id = Some(BandwidthId::of(name));
        let before = || limits.iter().take(index).filter_map(Limit::name);
        if before().any(|other| Some(BandwidthId::of(other)) == id) {
            return Err(LimitsError::DuplicateName { name: name.into() });
        }
    }
    Ok(())
}

/// What each limit is called: all different.
fn names(limits: &[Limit]) -> Box<[Box<str>]> {
    let mut names: Vec<Box<str>> = Vec::with_capacity(limits.len());
    for limit in limits {
        let name = match limit.name() {
            Some(name) => name.into(),
            None => {
                let text = limit.text();
                let taken = |name: &str| {
                    names.iter().any(|other| **other == *name)
                        || limits.iter().any(|other| other.name() == Some(name))
                };
                let (mut name, mut number) = (text.clone(), 1_u64);
                while taken(&name) {
                    number = number.saturating_add(1);
                    name.clone_from(&text);
                    name.push_str(" #");
                    text::format::push_number(&mut name, number);
                }
                name.into_boxed_str()
            }
        };
        names.push(name);
    }
    names.into_boxed_slice()
}
