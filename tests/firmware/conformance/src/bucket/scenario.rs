//! What a scenario of a bucket consists of.

use tokenweir::{Bandwidth, BandwidthId, BucketConfig, LevelSnapshot, TokensInheritance, Wait};

use crate::format::{
    BucketOp, Inheritance, Style, TimeToLive, bandwidth_flag, bucket_flag as flag,
};
use crate::reader::Reader;

/// What a scenario begins with.
pub(super) struct Header {
    /// Its index in the JSON file.
    pub(super) scenario: usize,
    /// Whether the clock tells civil time.
    pub(super) wall: bool,
    pub(super) limits: Limits,
    pub(super) start: u64,
    /// The code of the error that building it must give; then nothing follows.
    pub(super) fails: Option<&'static str>,
    /// How many steps follow.
    pub(super) steps: usize,
}

impl Header {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let scenario = reader.begin();
        let wall = reader.byte() == 1;
        let limits = Limits::read(reader);
        let start = reader.instant();
        let fails = reader.error();
        Self {
            scenario,
            wall,
            limits,
            start,
            fails,
            steps: if fails.is_none() { reader.count() } else { 0 },
        }
    }

    /// The levels at the end, after the steps; none where they are not recorded.
    pub(super) fn read_levels(&self, reader: &mut Reader<'_>) -> heapless::Vec<LevelSnapshot, 8> {
        let count = if self.fails.is_none() {
            reader.count()
        } else {
            0
        };
        let level = |_| LevelSnapshot {
            last_refill: reader.instant_nearby(),
            tokens: reader.signed(),
            remainder: reader.unsigned(),
        };
        (0..count).map(level).collect()
    }
}

/// The bandwidths of a configuration, which may be wrong.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    limits: Result<heapless::Vec<Bandwidth, 8>, &'static str>,
    count: usize,
}

impl Limits {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let count = reader.count();
        let mut limits = Ok(heapless::Vec::new());
        for _ in 0..count {
            let limit = bandwidth(reader);
            limits = limits.and_then(|mut limits| {
                limits.push(limit?).expect("at most eight bandwidths");
                Ok(limits)
            });
        }
        Self { limits, count }
    }

    /// How many bandwidths there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The only bandwidth, if there is one only and it is right.
    pub(super) fn single(&self) -> Option<Bandwidth> {
        match self.limits.as_deref() {
            Ok([limit]) => Some(*limit),
            _ => None,
        }
    }

    /// The configuration, or the code of the error that building it gives.
    pub(super) fn config<const N: usize>(&self) -> Result<BucketConfig<N>, &'static str> {
        let limits = self.limits.as_ref().map_err(|code| *code)?;
        BucketConfig::from_slice(limits).map_err(|error| error.code())
    }
}

fn bandwidth(reader: &mut Reader<'_>) -> Result<Bandwidth, &'static str> {
    let first = reader.byte();
    let (capacity, tokens, period) = (reader.unsigned(), reader.unsigned(), reader.unsigned());
    let built = match Style::from_code(first & bandwidth_flag::STYLE) {
        Style::Greedy => Bandwidth::greedy(capacity, tokens, period),
        Style::Interval => Bandwidth::interval(capacity, tokens, period),
        Style::Aligned => Bandwidth::aligned(capacity, tokens, period, reader.instant_since_zero()),
        Style::Adaptive => {
            Bandwidth::adaptive(capacity, tokens, period, reader.instant_since_zero())
        }
    };
    let initial = (first & bandwidth_flag::INITIAL != 0).then(|| reader.unsigned());
    let id = (first & bandwidth_flag::ID != 0).then(|| BandwidthId::of(reader.text()));
    let built = match initial {
        Some(tokens) => built.and_then(|limit| limit.with_initial_tokens(tokens)),
        None => built,
    };
    match built {
        Ok(limit) => Ok(id.map_or(limit, |id| limit.with_id(id))),
        Err(error) => Err(error.code()),
    }
}

/// What is done, when, and what must come of it.
pub(super) struct Step {
    pub(super) now: u64,
    pub(super) operation: Operation,
    pub(super) answer: Answer,
}

/// Amounts are as recorded: those that are out of range must be an error.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one at a time, and no heap to put it on"
)]
pub(super) enum Operation {
    TryConsume(i64),
    VerboseTryConsume(i64),
    Probe(i64),
    Estimate(i64),
    ConsumeUpTo(i64),
    ConsumeAll,
    ConsumeIgnoringLimits(i64),
    Add(i64),
    ForceAdd(i64),
    Reset,
    Available,
    VerboseAvailable,
    Reserve {
        n: i64,
        max_wait: u64,
    },
    /// The caller is interrupted while it waits; the tokens stay taken.
    ReserveInterrupted {
        n: i64,
        max_wait: u64,
    },
    /// The longest wait is checked before the amount.
    ReserveScheduled {
        n: i64,
        max_wait: u64,
    },
    Replace(Limits, TokensInheritance),
    /// How long a store keeps the state.
    TimeToLive(TimeToLive, u64),
}

impl Operation {
    fn read(op: BucketOp, reader: &mut Reader<'_>) -> Self {
        match op {
            BucketOp::TryConsume => Self::TryConsume(reader.signed()),
            BucketOp::VerboseTryConsume => Self::VerboseTryConsume(reader.signed()),
            BucketOp::Probe => Self::Probe(reader.signed()),
            BucketOp::Estimate => Self::Estimate(reader.signed()),
            BucketOp::ConsumeUpTo => Self::ConsumeUpTo(reader.signed()),
            BucketOp::ConsumeAll => Self::ConsumeAll,
            BucketOp::ConsumeIgnoringLimits => Self::ConsumeIgnoringLimits(reader.signed()),
            BucketOp::Add => Self::Add(reader.signed()),
            BucketOp::ForceAdd => Self::ForceAdd(reader.signed()),
            BucketOp::Reset => Self::Reset,
            BucketOp::Available => Self::Available,
            BucketOp::VerboseAvailable => Self::VerboseAvailable,
            BucketOp::Reserve => Self::Reserve {
                n: reader.signed(),
                max_wait: reader.unsigned(),
            },
            BucketOp::ReserveInterrupted => Self::ReserveInterrupted {
                n: reader.signed(),
                max_wait: reader.unsigned(),
            },
            BucketOp::ReserveScheduled => Self::ReserveScheduled {
                n: reader.signed(),
                max_wait: reader.unsigned(),
            },
            BucketOp::Replace => {
                let inheritance = match Inheritance::from_code(reader.byte()) {
                    Inheritance::AsIs => TokensInheritance::AsIs,
                    Inheritance::Proportional => TokensInheritance::Proportional,
                    Inheritance::Additive => TokensInheritance::Additive,
                    Inheritance::Reset => TokensInheritance::Reset,
                };
                Self::Replace(Limits::read(reader), inheritance)
            }
            BucketOp::TimeToLive => {
                Self::TimeToLive(TimeToLive::from_code(reader.byte()), reader.unsigned())
            }
        }
    }

    /// The new configuration, where one is given.
    pub(super) fn limits(&self) -> Option<&Limits> {
        match self {
            Self::Replace(limits, _) => Some(limits),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Done,
    Decided(bool),
    Number(i64),
    Probe {
        consumed: bool,
        remaining: u64,
        wait: Wait,
        reset: Wait,
    },
    Estimate {
        can_consume: bool,
        remaining: u64,
        wait: Wait,
    },
    Verbose {
        /// Whether tokens were taken (0 or 1), or how many there are.
        value: i64,
        of_each: heapless::Vec<i64, 8>,
        to_full: Wait,
    },
    /// The tokens would come too late.
    NotInTime,
    Error(&'static str),
}

impl Answer {
    /// Whether it says that nothing was taken.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Decided(false)
                | Self::Probe {
                    consumed: false,
                    ..
                }
                | Self::NotInTime
                | Self::Error(_)
        )
    }

    fn read(op: BucketOp, flags: u8, reader: &mut Reader<'_>) -> Self {
        let yes = flags & flag::YES != 0;
        if flags & flag::ERROR != 0 {
            return Self::Error(reader.error().expect("an error"));
        }
        match op {
            BucketOp::TryConsume => Self::Decided(yes),
            BucketOp::Probe => Self::Probe {
                consumed: yes,
                remaining: reader.unsigned(),
                wait: reader.wait(),
                reset: reader.wait(),
            },
            BucketOp::Estimate => Self::Estimate {
                can_consume: yes,
                remaining: reader.unsigned(),
                wait: reader.wait(),
            },
            BucketOp::VerboseTryConsume => Self::verbose(yes.into(), reader),
            BucketOp::VerboseAvailable => {
                let value = reader.signed();
                Self::verbose(value, reader)
            }
            BucketOp::Reserve | BucketOp::ReserveScheduled if !yes => Self::NotInTime,
            BucketOp::Reserve
            | BucketOp::ReserveScheduled
            | BucketOp::ConsumeIgnoringLimits
            | BucketOp::ConsumeUpTo
            | BucketOp::ConsumeAll => Self::number(reader.unsigned()),
            BucketOp::Available | BucketOp::TimeToLive => Self::Number(reader.signed()),
            BucketOp::Add
            | BucketOp::ForceAdd
            | BucketOp::Reset
            | BucketOp::Replace
            | BucketOp::ReserveInterrupted => Self::Done,
        }
    }

    /// A number of tokens or ticks, of which none is above `i64::MAX`.
    pub(super) fn number(value: u64) -> Self {
        Self::Number(i64::try_from(value).expect("at most i64::MAX"))
    }

    /// The same with waits in ticks of `tick`, rounded up.
    pub(super) fn with_waits_in(mut self, tick: u64) -> Self {
        let scale = |wait: &mut Wait| {
            if let Wait::Ticks(ticks) = wait {
                *ticks = ticks.div_ceil(tick);
            }
        };
        match &mut self {
            Self::Probe { wait, reset, .. } => {
                scale(wait);
                scale(reset);
            }
            Self::Estimate { wait, .. } | Self::Verbose { to_full: wait, .. } => scale(wait),
            _ => {}
        }
        self
    }

    fn verbose(value: i64, reader: &mut Reader<'_>) -> Self {
        let count = reader.count();
        Self::Verbose {
            value,
            of_each: (0..count).map(|_| reader.signed()).collect(),
            to_full: reader.wait(),
        }
    }
}

impl Step {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let first = reader.byte();
        let op = BucketOp::from_code(first & flag::OP);
        Self {
            now: reader.instant(),
            operation: Operation::read(op, reader),
            answer: Answer::read(op, first, reader),
        }
    }
}
