//! The Python package's native module: conversions and one line of delegation for each method.
//! Rules and arithmetic are those of the crate `tokenweir`.

mod backoff;
mod bandwidth;
mod clock;
mod convert;
mod cycle_config;
mod decision;
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
mod reservation;
mod retry;
mod snapshot;
mod token_bucket;
mod told;
mod waiting;

/// The compiled part of `tokenweir`; import the names from `tokenweir` itself.
// Every class is frozen and guards what changes by a lock or an atomic, so the module needs no GIL.
#[pyo3::pymodule(gil_used = false)]
mod _native {
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
    use crate::fixed_cycle::FixedCycle;
    #[pymodule_export]
    use crate::http::address::PyClientAddress;
    #[pymodule_export]
    use crate::http::limits::policies;
    #[pymodule_export]
    use crate::http::policy::PyPolicy;
    #[pymodule_export]
    use crate::http::quota::PyQuota;
    #[pymodule_export]
    use crate::http::received::{PyAdvice, PyReceived, PyServiceLimit};
    #[pymodule_export]
    use crate::http::reply::{fields, parse_date, parse_date_ns, problem, retry_after};
    #[pymodule_export]
    use crate::joint::{PyJointDecision, check_all};
    #[pymodule_export]
    use crate::keyed::PyKeyedLimiter;
    #[pymodule_export]
    use crate::limiter::PyLimiter;
    #[pymodule_export]
    use crate::limits::PyLimits;
    #[pymodule_export]
    use crate::outcome::{PyEstimate, PyProbe};
    #[pymodule_export]
    use crate::reservation::PyReservation;
    #[pymodule_export]
    use crate::retry::PyRetry;
    #[pymodule_export]
    use crate::snapshot::PyLevelSnapshot;
    #[pymodule_export]
    use crate::token_bucket::TokenBucket;
    #[pymodule_export]
    use crate::told::duration_ns;
}
