//! What is asked of several limiters at once: all are locked in one order everywhere, so that two such
//! calls cannot wait for each other.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::{
    Clock as _, JointDecision, LimiterState, Limits, Subject, Tokens, TooManyKeys, decide_all,
};

use crate::clock::Clock;
use crate::convert::Cost;
use crate::error::OrRaise;
use crate::key::{Key, Viewed};
use crate::keyed::PyKeyedLimiter;
use crate::limiter::{Held, PyLimiter};

/// A limiter, or one key of a keyed one, and a cost.
pub(crate) struct Demand<'py> {
    of: Of<'py>,
    cost: Tokens,
}

enum Of<'py> {
    Limiter(Bound<'py, PyLimiter>),
    Key(Bound<'py, PyKeyedLimiter>, Key),
}

impl Demand<'_> {
    /// The limits in force.
    pub(crate) fn limits(&self) -> Arc<Limits> {
        match &self.of {
            Of::Limiter(limiter) => Arc::clone(&limiter.get().held().limits),
            Of::Key(limiter, _) => limiter.get().table().limits(),
        }
    }

    fn clock(&self) -> &Clock {
        match &self.of {
            Of::Limiter(limiter) => limiter.get().clock(),
            Of::Key(limiter, _) => limiter.get().clock(),
        }
    }

    /// Limiters before keyed ones, each kind by its place in memory.
    fn rank(&self) -> (bool, usize) {
        match &self.of {
            Of::Limiter(limiter) => (false, limiter.as_ptr().addr()),
            Of::Key(limiter, _) => (true, limiter.as_ptr().addr()),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Demand<'py> {
    type Error = PyErr;

    fn extract(demand: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(limiter) = demand.cast::<PyLimiter>() {
            let of = Of::Limiter(limiter.to_owned());
            return Ok(Self {
                of,
                cost: Tokens::ONE,
            });
        }
        let Ok(parts) = demand.cast::<PyTuple>() else {
            return Err(unfit(demand)?);
        };
        let parts: Vec<_> = parts.iter().collect();
        let (of, cost) = match &*parts {
            [limiter, cost] if limiter.is_instance_of::<PyLimiter>() => {
                (Of::Limiter(limiter.extract()?), Some(cost))
            }
            [limiter, key] if limiter.is_instance_of::<PyKeyedLimiter>() => {
                (Of::Key(limiter.extract()?, key.extract()?), None)
            }
            [limiter, key, cost] if limiter.is_instance_of::<PyKeyedLimiter>() => {
                (Of::Key(limiter.extract()?, key.extract()?), Some(cost))
            }
            _ => return Err(unfit(demand)?),
        };
        let Cost(cost) = cost.map_or(Ok(Cost::ONE), |cost| cost.extract())?;
        Ok(Self { of, cost })
    }
}

fn unfit(demand: Borrowed<'_, '_, PyAny>) -> PyResult<PyErr> {
    Ok(PyTypeError::new_err(format!(
        "a Limiter, (Limiter, cost), (KeyedLimiter, key) or (KeyedLimiter, key, cost) is needed, not {}",
        demand.repr()?
    )))
}

/// Checks that the demands can be decided together.
pub(crate) fn check(demands: &[Demand<'_>]) -> PyResult<()> {
    let Some(first) = demands.first() else {
        return Err(PyValueError::new_err("there is no limiter to ask"));
    };
    let mut ranks: Vec<_> = demands.iter().map(Demand::rank).collect();
    ranks.sort_unstable();
    if ranks.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(PyValueError::new_err("a limiter is given twice"));
    }
    if demands
        .iter()
        .any(|demand| !demand.clock().is_same(first.clock()))
    {
        return Err(PyValueError::new_err("the limiters read different clocks"));
    }
    Ok(())
}

/// Checks that the subjects, given as to `check_all`, can be decided together; decides nothing.
#[pyfunction]
#[pyo3(name = "_check_subjects", signature = (*subjects))]
pub(crate) fn check_subjects(subjects: Vec<Demand<'_>>) -> PyResult<()> {
    check(&subjects)
}

/// How the limits of one demand stand, while all are locked.
pub(crate) struct Standing<'a> {
    place: usize,
    pub(crate) cost: Tokens,
    /// The limits in force.
    pub(crate) limits: Arc<Limits>,
    held: Locked<'a>,
}

enum Locked<'a> {
    Limiter(&'a mut Held),
    Key(&'a Limits, &'a mut LimiterState),
}

impl Standing<'_> {
    pub(crate) fn state(&self) -> &LimiterState {
        match &self.held {
            Locked::Limiter(held) => held.limiter.state(),
            Locked::Key(_, state) => state,
        }
    }

    fn subject(&mut self) -> Subject<'_> {
        match &mut self.held {
            Locked::Limiter(held) => held.limiter.subject(self.cost),
            Locked::Key(limits, state) => state.subject(limits, self.cost),
        }
    }
}

/// Decides what [`check`] has found fit, and has `read` look at the limits as they stand then, in the
/// order of the demands, at the instant of the decision.
///
/// Raises TooManyKeys for a new key without room; then nothing was decided.
pub(crate) fn decide<R>(
    py: Python<'_>,
    demands: &[Demand<'_>],
    mut read: impl FnMut(JointDecision, &[Standing<'_>], u64) -> R,
) -> PyResult<R> {
    let mut order: Vec<_> = demands.iter().enumerate().collect();
    order.sort_by_key(|(_, demand)| demand.rank());
    let mut held: Vec<_> = order
        .iter()
        .filter_map(|(place, demand)| match &demand.of {
            Of::Limiter(limiter) => Some((*place, limiter.get().held(), demand.cost)),
            Of::Key(..) => None,
        })
        .collect();
    let now = demands[0].clock().now();
    let standing = held
        .iter_mut()
        .map(|(place, held, cost)| Standing {
            place: *place,
            cost: *cost,
            limits: Arc::clone(&held.limits),
            held: Locked::Limiter(held),
        })
        .collect();
    let mut decide = |mut standing: Vec<Standing<'_>>| {
        standing.sort_by_key(|standing| standing.place);
        let mut subjects: Vec<_> = standing.iter_mut().map(Standing::subject).collect();
        let joint = decide_all(&mut subjects, now);
        drop(subjects);
        read(joint, &standing, now)
    };
    with_keys(standing, &order, now, &mut decide).or_raise(py)
}

/// Locks the keys one within the other.
fn with_keys<R>(
    standing: Vec<Standing<'_>>,
    order: &[(usize, &Demand<'_>)],
    now: u64,
    decide: &mut dyn FnMut(Vec<Standing<'_>>) -> R,
) -> Result<R, TooManyKeys> {
    let Some(((place, demand), rest)) = order.split_first() else {
        return Ok(decide(standing));
    };
    let Of::Key(limiter, key) = &demand.of else {
        return with_keys(standing, rest, now, decide);
    };
    let key: &(dyn Viewed + '_) = key;
    let table = limiter.get().table();
    let shared = table.limits();
    table.with(key, now, |limits, state| {
        let mut standing: Vec<Standing<'_>> = standing;
        standing.push(Standing {
            place: *place,
            cost: demand.cost,
            // Others may be in force by now.
            limits: if std::ptr::eq(limits, &*shared) {
                shared
            } else {
                Arc::new(limits.clone())
            },
            held: Locked::Key(limits, state),
        });
        with_keys(standing, rest, now, decide)
    })?
}
