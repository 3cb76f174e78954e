//! The floor of a call from Python.

/// Built by `bench/run.sh` only.
#[pyo3::pymodule(gil_used = false)]
mod noop {
    use std::time::Instant;

    use pyo3::prelude::*;

    #[pyclass(frozen)]
    struct Noop {
        origin: Instant,
    }

    #[pymethods]
    impl Noop {
        #[new]
        fn new() -> Self {
            Self { origin: Instant::now() }
        }

        /// Does nothing.
        #[pyo3(signature = (_cost = 1))]
        fn call(&self, _cost: u64) -> bool {
            true
        }

        /// Reads the clock, as every decision must.
        fn clock(&self) -> bool {
            self.origin.elapsed().as_nanos() > 0
        }
    }
}
