//! What a scenario of a cycle limiter consists of.

use tokenweir::{CycleConfig, CycleConfigError, Wait};

use crate::format::{CycleOp, cycle_flag as flag};
use crate::reader::Reader;

/// What a scenario begins with.
pub(super) struct Header {
    /// Its index in the JSON file.
    pub(super) scenario: usize,
    pub(super) config: Result<CycleConfig, CycleConfigError>,
    pub(super) start: u64,
    /// The code of the error that building it must give; then nothing follows.
    pub(super) fails: Option<&'static str>,
    /// How many steps follow.
    pub(super) steps: usize,
}

impl Header {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let scenario = reader.begin();
        let (limit, period, timeout) = (reader.unsigned(), reader.unsigned(), reader.unsigned());
        let config =
            CycleConfig::new(limit, period).and_then(|config| config.with_timeout(timeout));
        let start = reader.instant();
        let fails = reader.error();
        Self {
            scenario,
            config,
            start,
            fails,
            steps: if fails.is_none() { reader.count() } else { 0 },
        }
    }
}

/// What is done, when, and what must come of it.
pub(super) struct Step {
    pub(super) now: u64,
    pub(super) operation: Operation,
    pub(super) answer: Answer,
    /// The permits left after it, where recorded.
    pub(super) available: Option<i64>,
    /// What it drained, where recorded.
    pub(super) drained: Option<Drained>,
}

/// Amounts are as recorded: those that are out of range must be an error.
#[derive(Debug)]
pub(super) enum Operation {
    Acquire(i64),
    Reserve(i64),
    Call {
        n: i64,
        drains: bool,
    },
    Drain,
    /// Something that the limiter has no part in.
    Nothing,
    ChangeLimit(u64),
    ChangeTimeout(u64),
    Available,
    WaitForOne,
    Cycle,
    Config,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Drained {
    /// There was no drain.
    Nothing,
    Permits(u64),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Done,
    Decided(bool),
    /// A wait that was promised, or the number of a cycle.
    Number(u64),
    Available(i64),
    Wait(Wait),
    Config {
        limit: u64,
        period: u64,
        timeout: u64,
    },
    /// A reservation was not made.
    Refused,
    Error(&'static str),
}

impl Step {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let first = reader.byte();
        let op = CycleOp::from_code(first & flag::OP);
        let has = |flag: u8| first & flag != 0;
        Self {
            now: reader.instant(),
            operation: Operation::read(op, reader),
            answer: if has(flag::ERROR) {
                Answer::Error(reader.error().expect("an error"))
            } else {
                Answer::read(op, has(flag::YES), reader)
            },
            available: has(flag::AVAILABLE).then(|| reader.signed()),
            drained: has(flag::DRAINED)
                .then(|| reader.optional().map_or(Drained::Nothing, Drained::Permits)),
        }
    }
}

impl Operation {
    fn read(op: CycleOp, reader: &mut Reader<'_>) -> Self {
        match op {
            CycleOp::Acquire => Self::Acquire(reader.signed()),
            CycleOp::Reserve => Self::Reserve(reader.signed()),
            CycleOp::Call => Self::Call {
                n: reader.signed(),
                drains: false,
            },
            CycleOp::CallThatDrains => Self::Call {
                n: reader.signed(),
                drains: true,
            },
            CycleOp::Drain => Self::Drain,
            CycleOp::Nothing => Self::Nothing,
            CycleOp::ChangeLimit => Self::ChangeLimit(reader.unsigned()),
            CycleOp::ChangeTimeout => Self::ChangeTimeout(reader.unsigned()),
            CycleOp::Available => Self::Available,
            CycleOp::WaitForOne => Self::WaitForOne,
            CycleOp::Cycle => Self::Cycle,
            CycleOp::Config => Self::Config,
        }
    }
}

impl Answer {
    /// Whether it says that nothing was taken.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(self, Self::Decided(false) | Self::Refused)
    }

    fn read(op: CycleOp, yes: bool, reader: &mut Reader<'_>) -> Self {
        match op {
            CycleOp::Acquire | CycleOp::Call | CycleOp::CallThatDrains => Self::Decided(yes),
            CycleOp::Reserve if !yes => Self::Refused,
            CycleOp::Reserve | CycleOp::Cycle => Self::Number(reader.unsigned()),
            CycleOp::Drain | CycleOp::Nothing | CycleOp::ChangeLimit | CycleOp::ChangeTimeout => {
                Self::Done
            }
            CycleOp::Available => Self::Available(reader.signed()),
            CycleOp::WaitForOne => Self::Wait(reader.wait()),
            CycleOp::Config => Self::Config {
                limit: reader.unsigned(),
                period: reader.unsigned(),
                timeout: reader.unsigned(),
            },
        }
    }
}
