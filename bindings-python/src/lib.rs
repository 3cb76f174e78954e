//! The Python package's native module: conversions and one line of delegation for each method.
//! Rules and arithmetic are those of the crate `tokenweir`.

mod backoff;
mod bandwidth;
mod clock;
mod convert;
mod cycle_config;
mod decision;
mod demand;
mod error;
mod fixed_cycle;
mod http;
mod joint;
mod key;
mod keyed;
mod keyed_waiting;
mod limiter;
mod limits;
mod outcome;
mod replay;
mod reservation;
mod retry;
mod snapshot;
mod status;
mod stored;
mod suppressed;
mod token_bucket;
mod told;
mod waiting;

/// The compiled part of `tokenweir`; import the names from `tokenweir` itself.
// Every class is frozen and guards what changes by a lock or an atomic, so the module needs no GIL.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    // What all store adapters run and agree on; documented where `tokenweir.stored` names them.
    #[pymodule_export]
    const COMPARE_AND_SET_LUA: &str = tokenweir::stored::scripts::COMPARE_AND_SET_LUA;
    #[pymodule_export]
    const SCHEMA_SQL: &str = tokenweir::stored::scripts::SCHEMA_SQL;
    #[pymodule_export]
    const MARGIN_MS: u64 = tokenweir::stored::scripts::MARGIN_MS;
    #[pymodule_export]
    const RECHECK_MS: u64 = tokenweir::stored::scripts::RECHECK_MS;

    #[pymodule_export]
    const PROBLEM_MEDIA_TYPE: &str = tokenweir::http::PROBLEM_MEDIA_TYPE;
    #[pymodule_export]
    const QUOTA_EXCEEDED: &str = tokenweir::http::QUOTA_EXCEEDED;
    #[pymodule_export]
    const TOO_MANY_REQUESTS: u16 = tokenweir::http::TOO_MANY_REQUESTS;

    #[pymodule_export]
    use crate::backoff::PyBackoff;
    #[pymodule_export]
    use crate::bandwidth::{PyBandwidth, rebuild_bandwidth};
    #[pymodule_export]
    use crate::clock::{PyManualClock, PyMonotonicClock, PySystemClock};
    #[pymodule_export]
    use crate::cycle_config::{PyCycleConfig, rebuild_cycle_config};
    #[pymodule_export]
    use crate::decision::PyDecision;
    #[pymodule_export]
    use crate::demand::check_subjects;
    #[pymodule_export]
    use crate::fixed_cycle::FixedCycle;
    #[pymodule_export]
    use crate::http::address::PyClientAddress;
    #[pymodule_export]
    use crate::http::limits::{check_with_quotas, policies, quotas};
    #[pymodule_export]
    use crate::http::policy::PyPolicy;
    #[pymodule_export]
    use crate::http::quota::PyQuota;
    #[pymodule_export]
    use crate::http::received::{PyAdvice, PyReceived, PyServiceLimit};
    #[pymodule_export]
    use crate::http::reply::{fields, parse_date, parse_date_ns, problem, retry_after};
    #[pymodule_export]
    use crate::joint::{PyJointDecision, check_all, reserve_all};
    #[pymodule_export]
    use crate::keyed::PyKeyedLimiter;
    #[pymodule_export]
    use crate::limiter::PyLimiter;
    #[pymodule_export]
    use crate::limits::PyLimits;
    #[pymodule_export]
    use crate::outcome::{PyEstimate, PyProbe};
    #[pymodule_export]
    use crate::replay::Replay;
    #[pymodule_export]
    use crate::reservation::PyReservation;
    #[pymodule_export]
    use crate::retry::PyRetry;
    #[pymodule_export]
    use crate::snapshot::PyLevelSnapshot;
    #[pymodule_export]
    use crate::status::PyLimitStatus;
    #[pymodule_export]
    use crate::stored::{
        PyCommand, PyDesired, PyStep, PyStoredReservation, PyWrite, degraded, hash_slot, share_of,
        step, step_across, step_batch, without_store,
    };
    #[pymodule_export]
    use crate::suppressed::PySuppressed;
    #[pymodule_export]
    use crate::token_bucket::TokenBucket;
    #[pymodule_export]
    use crate::told::duration_ns;
}
