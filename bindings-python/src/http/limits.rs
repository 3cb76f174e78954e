//! How the limits of limiters stand at a reply.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tokenweir::JointDecision;
use tokenweir::http::{self, Policy, Quota};

use super::policy::PyPolicy;
use super::quota::PyQuota;
use crate::decision::PyDecision;
use crate::demand::{self, Demand, Standing};
use crate::error::OrRaise;
use crate::joint::PyJointDecision;
use crate::limits::PyLimits;

/// Each limit as it is announced: its quota in the time in which all of that comes back, called by its
/// name or else by its text, after `scope`, where there is one.
///
/// Raises ConfigError if a name or the scope has anything but printable ASCII.
#[pyfunction]
#[pyo3(signature = (limits, scope = ""))]
pub(crate) fn policies(
    py: Python<'_>,
    limits: &Bound<'_, PyLimits>,
    scope: &str,
) -> PyResult<Vec<PyPolicy>> {
    let policies = http::policies(&limits.get().0, scope).or_raise(py)?;
    Ok(policies
        .into_iter()
        .map(|policy| PyPolicy(Arc::new(policy)))
        .collect())
}

/// As `tokenweir.check_all`, and how each limit of each limiter stands after the decision, for `fields`
/// and `problem`.
///
/// `scopes` are told before the names of the limits of each limiter, in the order of the subjects. Raises
/// ConfigError if a name has anything but printable ASCII; nothing is decided then.
#[pyfunction]
#[pyo3(signature = (*subjects, scopes = None))]
pub(crate) fn check_with_quotas(
    py: Python<'_>,
    subjects: Vec<Demand<'_>>,
    scopes: Option<Vec<PyBackedStr>>,
) -> PyResult<(PyJointDecision, Vec<PyQuota>)> {
    demand::check(&subjects)?;
    let scope_of = |place: usize| match &scopes {
        Some(scopes) => &*scopes[place],
        None => "",
    };
    if scopes
        .as_ref()
        .is_some_and(|scopes| scopes.len() != subjects.len())
    {
        return Err(PyValueError::new_err(
            "scopes: one for each subject is needed",
        ));
    }
    // Before the decision, so that an error leaves everything as it was.
    let announced = subjects
        .iter()
        .enumerate()
        .map(|(place, demand)| {
            let limits = demand.limits();
            let policies = http::policies(&limits, scope_of(place)).or_raise(py)?;
            Ok((limits, policies))
        })
        .collect::<PyResult<Vec<_>>>()?;
    demand::decide(&subjects, |joint, standing, now| {
        let quotas = standing
            .iter()
            .flat_map(|standing| {
                let (limits, policies) = &announced[standing.place];
                if Arc::ptr_eq(standing.limits, limits) {
                    return quotas_of(policies, standing, &joint, now);
                }
                // Replaced in between. Their names were checked by nobody.
                let scope = scope_of(standing.place);
                let policies = http::policies(standing.limits, scope).unwrap_or_default();
                quotas_of(&policies, standing, &joint, now)
            })
            .collect();
        (PyJointDecision::new(joint, standing), quotas)
    })
    .or_raise(py)
}

fn quotas_of(
    policies: &[Policy],
    standing: &Standing<'_>,
    joint: &JointDecision,
    now: u64,
) -> Vec<PyQuota> {
    let quotas = http::quotas(
        policies,
        (standing.limits, standing.state),
        standing.cost,
        &joint.decision,
        joint.subject == standing.place,
        now,
    );
    quotas.iter().map(PyQuota::of).collect()
}

/// How the limit that decided stands, where no more is known than a decision, as of limits in a store. Empty
/// for a degraded one, whose numbers promise nothing.
///
/// Raises ConfigError if its name or the scope has anything but printable ASCII.
#[pyfunction]
#[pyo3(signature = (decision, scope = ""))]
pub(crate) fn quotas(
    py: Python<'_>,
    decision: &Bound<'_, PyDecision>,
    scope: &str,
) -> PyResult<Vec<PyQuota>> {
    let decision = decision.get();
    if decision.is_degraded() {
        return Ok(Vec::new());
    }
    let policies = http::policies(&decision.limits, scope).or_raise(py)?;
    let quota = Quota::of_decision(&policies, &decision.decision);
    Ok(quota.iter().map(PyQuota::of).collect())
}
