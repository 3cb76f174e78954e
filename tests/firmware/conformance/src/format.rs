//! The codes of the compact form, shared with the build script that writes it.
//!
//! A catalogue is scenarios one after the other, without padding. Numbers are LEB128; signed ones zigzag
//! first. Instants are the difference from the one before, to begin with from the recorded 0.
//!
//! ```text
//! scenario  its index in the JSON file, the configuration, the start, then
//!           an error code, if building it must fail, or 0 and
//!           the number of steps, the steps, and for a bucket the levels at the end
//! step      operation and flags in one byte, the instant, the arguments, the answer, and for a cycle what
//!           is left and what was drained
//! ```

/// An enum whose variants are numbered from 0.
macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($variant:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum $name { $($variant,)+ }

        impl $name {
            const ALL: &[Self] = &[$(Self::$variant,)+];

            pub(crate) fn from_code(code: u8) -> Self {
                Self::ALL[usize::from(code)]
            }
        }
    };
}

codes!(
    /// What a step of a bucket does; in the lowest five bits.
    BucketOp {
        TryConsume,
        VerboseTryConsume,
        Probe,
        Estimate,
        ConsumeUpTo,
        ConsumeAll,
        ConsumeIgnoringLimits,
        Add,
        ForceAdd,
        Reset,
        Available,
        VerboseAvailable,
        Reserve,
        ReserveInterrupted,
        ReserveScheduled,
        Replace,
        TimeToLive,
    }
);

codes!(
    /// What a step of a cycle limiter does; in the lowest four bits.
    CycleOp {
        Acquire,
        Reserve,
        Call,
        CallThatDrains,
        Drain,
        Nothing,
        ChangeLimit,
        ChangeTimeout,
        Available,
        WaitForOne,
        Cycle,
        Config,
    }
);

codes!(
    /// How tokens come back; in the lowest two bits of a bandwidth.
    Style { Greedy, Interval, Aligned, Adaptive, }
);

codes!(
    /// What a replacement takes over.
    Inheritance { AsIs, Proportional, Additive, Reset, }
);

codes!(
    /// How a store chooses the time to live.
    TimeToLive { Unlimited, Fixed, BasedOnRefill, }
);

/// Flags beside the operation of a bucket.
pub(crate) mod bucket_flag {
    pub(crate) const OP: u8 = 0x1f;
    /// The answer is yes: consumed, can be consumed, reserved.
    pub(crate) const YES: u8 = 0x20;
    /// The answer is an error, whose code follows.
    pub(crate) const ERROR: u8 = 0x40;
}

/// Flags beside the operation of a cycle limiter.
pub(crate) mod cycle_flag {
    pub(crate) const OP: u8 = 0x0f;
    pub(crate) const YES: u8 = 0x10;
    pub(crate) const ERROR: u8 = 0x20;
    /// The permits left after the step follow.
    pub(crate) const AVAILABLE: u8 = 0x40;
    /// What the step drained follows.
    pub(crate) const DRAINED: u8 = 0x80;
}

/// Flags beside the style of a bandwidth.
pub(crate) mod bandwidth_flag {
    pub(crate) const STYLE: u8 = 0x03;
    pub(crate) const INITIAL: u8 = 0x04;
    pub(crate) const ID: u8 = 0x08;
}

/// The error codes that occur; an error is written as its place here, counted from 1.
pub(crate) const ERRORS: [&str; 24] = [
    "adaptive_conflicts_with_initial_tokens",
    "aligned_requires_wall_clock",
    "amount_too_large",
    "capacity_overflow",
    "duplicate_bandwidth_id",
    "initial_tokens_overflow",
    "limit_for_period_too_large",
    "limit_for_period_too_small",
    "limit_refresh_period_too_large",
    "limit_refresh_period_too_short",
    "no_bandwidths",
    "non_positive_capacity",
    "non_positive_period",
    "non_positive_permits",
    "non_positive_refill_tokens",
    "non_positive_tokens_to_add",
    "non_positive_tokens_to_consume",
    "non_positive_wait",
    "period_overflow",
    "refill_tokens_overflow",
    "reservation_overflow",
    "timeout_too_large",
    "too_many_bandwidths",
    "not_permitted",
];
