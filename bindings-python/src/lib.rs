//! The Python package's native module: conversions and one line of delegation for each method.
//! Rules and arithmetic are those of the crate `tokenweir`.

mod bandwidth;
mod clock;
mod convert;
mod cycle_config;
mod decision;
mod demand;
mod error;
mod fixed_cycle;
mod joint;
mod key;
mod keyed;
mod keyed_waiting;
mod limiter;
mod limits;
mod outcome;
mod reservation;
mod snapshot;
mod token_bucket;
mod waiting;

/// The compiled part of `tokenweir`; import the names from `tokenweir` itself.
// Every class is frozen and guards what changes by a lock or an atomic, so the module needs no GIL.
#[pyo3::pymodule(gil_used = false)]
mod _native {
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
    use crate::snapshot::PyLevelSnapshot;
    #[pymodule_export]
    use crate::token_bucket::TokenBucket;
}
