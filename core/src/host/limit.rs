//! One limit of a set.

use alloc::boxed::Box;

use crate::{Bandwidth, BandwidthId, CycleConfig, Refill, arith};

/// One limit: a bandwidth of a bucket or a fixed cycle, with a name of its own or without.
///
/// Instants and periods are in nanoseconds ([`TickRate::NANOS`](crate::TickRate::NANOS)).
///
/// ```
/// use tokenweir::{Bandwidth, CycleConfig, Limit, TickRate};
///
/// let burst = Limit::bandwidth(Bandwidth::per_second(10, TickRate::NANOS)?).named("burst");
/// assert_eq!(burst.to_string(), "burst: 10/s");
/// let cycle = Limit::cycle(CycleConfig::new(10, 60_000_000_000)?);
/// assert_eq!(cycle.to_string(), "cycle 10/min");
/// assert_eq!("cycle 10 per 60 seconds".parse(), Ok(cycle));
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Limit {
    name: Option<Box<str>>,
    rule: Rule,
    recurring: bool,
}

/// What a [`Limit`] counts by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Tokens of a bucket.
    Bandwidth(Bandwidth),
    /// Permits of a fixed cycle.
    Cycle(CycleConfig),
}

impl Limit {
    /// A limit by a bandwidth.
    ///
    /// Among limits the name identifies: an id that the bandwidth has is replaced by that of the
    /// name, or removed where there is none.
    #[must_use]
    pub const fn bandwidth(bandwidth: Bandwidth) -> Self {
        Self::new(Rule::Bandwidth(bandwidth.without_id()))
    }

    /// A limit by fixed cycles.
    ///
    /// The timeout of the configuration is set to 0: how long a reservation may wait is said when it
    /// is made.
    #[must_use]
    pub fn cycle(config: CycleConfig) -> Self {
        Self::new(Rule::Cycle(config.without_timeout()))
    }

    /// This limit with a name, by which decisions and replacements refer to it.
    ///
    /// That a name has 1 to [`Limits::MAX_NAME`](crate::Limits::MAX_NAME) bytes and differs from
    /// the others is checked where the limits are put together.
    #[must_use]
    pub fn named(mut self, name: impl Into<Box<str>>) -> Self {
        let name = name.into();
        if let Rule::Bandwidth(bandwidth) = self.rule {
            self.rule = Rule::Bandwidth(bandwidth.with_id(BandwidthId::of(&name)));
        }
        self.name = Some(name);
        self
    }

    /// This limit with the first edge of an aligned refill at the first one after its state is
    /// created, on the grid through the edge that was given. Changes no other limit.
    ///
    /// A bandwidth by itself takes the edge that was given as its first, also where that has passed
    /// long ago: then a new bucket has had that refill, and initial tokens as well as an adaptive
    /// share are lost in it. Limits written as text are always of this kind, except for those
    /// that say `from`.
    #[must_use]
    pub const fn recurring(mut self) -> Self {
        if let Rule::Bandwidth(bandwidth) = &self.rule {
            self.recurring = bandwidth.is_aligned();
        }
        self
    }

    /// The name, where one was given.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// What the limit counts by.
    #[must_use]
    pub const fn rule(&self) -> &Rule {
        &self.rule
    }

    /// The most that can be there at once: the capacity of a bandwidth, the limit of a cycle.
    #[must_use]
    pub const fn quota(&self) -> u64 {
        match &self.rule {
            Rule::Bandwidth(bandwidth) => bandwidth.capacity(),
            Rule::Cycle(config) => config.limit(),
        }
    }

    /// What comes back each period: the tokens of a bandwidth, the limit of a cycle.
    #[must_use]
    pub const fn amount(&self) -> u64 {
        match &self.rule {
            Rule::Bandwidth(bandwidth) => bandwidth.tokens(),
            Rule::Cycle(config) => config.limit(),
        }
    }

    /// The period, in nanoseconds.
    #[must_use]
    pub const fn period(&self) -> u64 {
        match &self.rule {
            Rule::Bandwidth(bandwidth) => bandwidth.period(),
            Rule::Cycle(config) => config.period(),
        }
    }

    /// Whether the limit needs a clock that tells civil time.
    #[must_use]
    pub const fn is_aligned(&self) -> bool {
        match &self.rule {
            Rule::Bandwidth(bandwidth) => bandwidth.is_aligned(),
            Rule::Cycle(config) => config.edge().is_some(),
        }
    }

    /// Whether the first edge is the first after creation, see [`Limit::recurring`].
    #[must_use]
    pub const fn is_recurring(&self) -> bool {
        self.recurring
    }

    /// The bandwidth with which a state is created at `now`.
    pub(crate) fn bandwidth_at(&self, bandwidth: &Bandwidth, now: u64) -> Bandwidth {
        if !self.recurring {
            return *bandwidth;
        }
        let moved = |first| arith::next_edge(first, bandwidth.period, now);
        match bandwidth.refill() {
            Refill::Aligned { first_refill } => bandwidth.with_first_refill(moved(first_refill)),
            Refill::Adaptive { first_refill } => bandwidth.with_first_refill(moved(first_refill)),
            Refill::Greedy | Refill::Interval => *bandwidth,
        }
    }

    const fn new(rule: Rule) -> Self {
        Self {
            name: None,
            rule,
            recurring: false,
        }
    }
}
