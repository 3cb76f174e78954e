//! The Python package's native module: conversions and one line of delegation for each method.
//! Rules and arithmetic are those of the crate `tokenweir`.

mod bandwidth;
mod clock;
mod convert;
mod cycle_config;
mod decision;
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
mod stored;
mod token_bucket;
mod waiting;

/// The compiled part of `tokenweir`; import the names from `tokenweir` itself.
// Every class is frozen and guards what changes by a lock or an atomic, so the module needs no GIL.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;
    use tokenweir::stored::scripts;

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
    use crate::stored::{
        PyCommand, PyDesired, PyLimitStatus, PyStep, PyStoredReservation, PyWrite, degraded,
        hash_slot, share_of, step, step_across, step_batch, without_store,
    };
    #[pymodule_export]
    use crate::token_bucket::TokenBucket;

    /// What all store adapters run and agree on; documented where `tokenweir.stored` names them.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("COMPARE_AND_SET_LUA", scripts::COMPARE_AND_SET_LUA)?;
        module.add("SCHEMA_SQL", scripts::SCHEMA_SQL)?;
        module.add("MARGIN_MS", scripts::MARGIN_MS)?;
        module.add("RECHECK_MS", scripts::RECHECK_MS)
    }
}
