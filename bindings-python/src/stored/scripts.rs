//! What stores run, and what all adapters agree on.

use pyo3::prelude::*;
use tokenweir::stored::scripts;

/// The hash slot of a key on a Redis Cluster: keys of one decision must have the same.
#[pyfunction]
pub(crate) fn hash_slot(key: &str) -> u16 {
    scripts::hash_slot(key)
}
