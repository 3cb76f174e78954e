//! What the limits of a limiter announce, and how they stand at a reply.

use std::sync::Arc;

use pyo3::prelude::*;
use tokenweir::{Clock as _, http};

use super::policy::{PyPolicy, cloned};
use super::quota::PyQuota;
use crate::convert::Cost;
use crate::decision::PyDecision;
use crate::error::OrRaise;
use crate::key::with_view;
use crate::keyed::PyKeyedLimiter;
use crate::limiter::PyLimiter;
use crate::limits::PyLimits;

/// Each of the limits as it is announced: its quota in the time in which all of that comes back.
///
/// It is called by its name, or else by its text; after the `scope`, where there is one, which tells the
/// limits of several limiters apart. Raises ConfigError for a name or a scope that has anything but
/// printable ASCII.
#[pyfunction]
#[pyo3(signature = (limits, scope = ""))]
pub(crate) fn policies(limits: &Bound<'_, PyLimits>, scope: &str) -> PyResult<Vec<PyPolicy>> {
    let policies = http::policies(&limits.get().0, scope).or_raise(limits.py())?;
    Ok(policies
        .into_iter()
        .map(|policy| PyPolicy(Arc::new(policy)))
        .collect())
}

#[pymethods]
impl PyLimiter {
    /// How each limit stands after a decision about `cost`, for `tokenweir.http.fields` and the
    /// `problem` body; `policies` are those of `tokenweir.http.policies` for the same limits.
    ///
    /// `decided` is False where several limiters were asked at once and `decision` is that of another
    /// one. Of a refusal by these limits the one that decided says the wait of the decision, whatever
    /// others have taken or given back since.
    #[pyo3(
        signature = (policies, decision, cost = Cost::ONE, *, decided = true),
        text_signature = "($self, policies, decision, cost=1, *, decided=True)"
    )]
    fn quotas(
        &self,
        policies: Vec<Bound<'_, PyPolicy>>,
        decision: &Bound<'_, PyDecision>,
        cost: Cost,
        decided: bool,
    ) -> Vec<PyQuota> {
        let announced = cloned(&policies);
        let held = self.held();
        let standing = (&*held.limits, held.limiter.state());
        let decision = &decision.get().decision;
        let now = self.now();
        let quotas = http::quotas(&announced, standing, cost.0, decision, decided, now);
        drop(held);
        PyQuota::of_each(&policies, quotas)
    }
}

#[pymethods]
impl PyKeyedLimiter {
    /// As `Limiter.quotas`, for a key. Raises TooManyKeys for a new key without room.
    #[pyo3(
        signature = (key, policies, decision, cost = Cost::ONE, *, decided = true),
        text_signature = "($self, key, policies, decision, cost=1, *, decided=True)"
    )]
    fn quotas(
        &self,
        key: &Bound<'_, PyAny>,
        policies: Vec<Bound<'_, PyPolicy>>,
        decision: &Bound<'_, PyDecision>,
        cost: Cost,
        decided: bool,
    ) -> PyResult<Vec<PyQuota>> {
        let announced = cloned(&policies);
        let decision = &decision.get().decision;
        let now = self.clock().now();
        let quotas = with_view(key, |view| {
            self.table().with(view, now, |limits, state| {
                http::quotas(
                    &announced,
                    (limits, &*state),
                    cost.0,
                    decision,
                    decided,
                    now,
                )
            })
        })?;
        Ok(PyQuota::of_each(&policies, quotas.or_raise(key.py())?))
    }
}
