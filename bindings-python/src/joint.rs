//! One decision over several limiters.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::{Clock as _, Limits, Subject, Tokens, TooManyKeys, decide_all};

use crate::clock::Clock;
use crate::convert::Cost;
use crate::decision::PyDecision;
use crate::error::OrRaise;
use crate::key::Key;
use crate::keyed::PyKeyedLimiter;
use crate::limiter::PyLimiter;

/// What several limiters decided together. True if all of them allowed it.
#[pyclass(frozen, eq, hash, name = "JointDecision", module = "tokenweir")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct PyJointDecision {
    subject: usize,
    decision: tokenweir::Decision,
    limits: Arc<Limits>,
}

#[pymethods]
impl PyJointDecision {
    /// Whether every limiter had its cost; otherwise nothing was taken from any.
    #[getter]
    fn allowed(&self) -> bool {
        self.decision.allowed
    }

    /// Which limiter decided, counted from 0: the one with the longest wait if it was refused, otherwise
    /// the one with the least left.
    #[getter]
    fn subject(&self) -> usize {
        self.subject
    }

    /// Its decision; allowed only if all of them are.
    #[getter]
    fn decision(&self) -> PyDecision {
        PyDecision::new(self.decision, Arc::clone(&self.limits))
    }

    fn __bool__(&self) -> bool {
        self.decision.allowed
    }

    fn __repr__(&self) -> String {
        let decided = if self.decision.allowed {
            "allowed"
        } else {
            "refused"
        };
        let name = self.limits.name(self.decision.scope);
        format!(
            "<JointDecision {decided} by subject {}, {name:?}>",
            self.subject
        )
    }
}

/// Takes what is asked of each limiter, if every one has it; otherwise nothing is taken from any.
///
/// Each is a Limiter, or a pair of a KeyedLimiter and a key, for a cost of 1, or the same with a cost behind:
/// `check_all(everybody, (tokens, 800), (users, "user:1"), (users, "user:2", 3))`. All must read the same
/// clock.
///
/// Raises TooManyKeys for a new key without room, unless it shares a limiter with others; the costs of
/// those that do add up.
#[pyfunction]
#[pyo3(signature = (*subjects))]
pub(crate) fn check_all(subjects: &Bound<'_, PyTuple>) -> PyResult<PyJointDecision> {
    let demands = subjects
        .iter()
        .enumerate()
        .map(|(place, subject)| demand(place, &subject))
        .collect::<PyResult<Vec<_>>>()?;
    let Some(first) = demands.first() else {
        return Err(PyValueError::new_err("there is no limiter to ask"));
    };
    let clock = first.clock().clone();
    if !demands.iter().all(|demand| demand.clock().is_same(&clock)) {
        return Err(PyValueError::new_err("the limiters read different clocks"));
    }
    for (place, demand) in demands.iter().enumerate() {
        demand.differs_from(&demands[..place])?;
    }
    decide(&demands, &clock).or_raise(subjects.py())
}

/// Locks all there is to lock, and decides. Python is not entered meanwhile, not even for an error.
fn decide(demands: &[Demand<'_>], clock: &Clock) -> Result<PyJointDecision, TooManyKeys> {
    let mut limiters: Vec<_> = demands.iter().filter_map(Demand::of_limiter).collect();
    let mut keys: Vec<_> = demands.iter().filter_map(Demand::of_key).collect();
    // Locked in one order everywhere, limiters before keys, so that two such calls cannot wait for each
    // other.
    limiters.sort_by_key(|(_, limiter, _)| limiter.as_ptr().addr());
    keys.sort_by_key(|(_, limiter, ..)| limiter.as_ptr().addr());

    let mut limits = Vec::with_capacity(demands.len());
    let mut held: Vec<_> = limiters
        .iter()
        .map(|(place, limiter, cost)| (*place, limiter.get().held(), *cost))
        .collect();
    limits.extend(
        held.iter()
            .map(|(place, held, _)| (*place, Arc::clone(&held.limits))),
    );
    let now = clock.now();
    let mut locked = Vec::new();
    for keys in keys.chunk_by(|(_, one, ..), (_, other, ..)| one.is(other)) {
        let asked: Vec<_> = keys.iter().map(|(_, _, key, cost)| (*key, *cost)).collect();
        let limiter = keys[0].1;
        let states = limiter.get().table().lock_keys(&asked, now)?;
        let places = (0..).map_while(|subject| states.key_of(subject));
        let places: Vec<_> = places.map(|key| keys[key].0).collect();
        let of_each = (0..).map_while(|subject| states.limits_of(subject).cloned());
        limits.extend(places.iter().copied().zip(of_each));
        locked.push((places, states));
    }

    let mut asked: Vec<(usize, Subject<'_>)> = held
        .iter_mut()
        .map(|(place, held, cost)| (*place, held.limiter.subject(*cost)))
        .collect();
    for (places, states) in &mut locked {
        asked.extend(places.iter().copied().zip(states.subjects()));
    }
    asked.sort_by_key(|(place, _)| *place);
    limits.sort_by_key(|(place, _)| *place);
    let mut asked: Vec<_> = asked.into_iter().map(|(_, subject)| subject).collect();
    let joint = decide_all(&mut asked, now);
    let (subject, limits) = limits.swap_remove(joint.subject);
    Ok(PyJointDecision {
        subject,
        decision: joint.decision,
        limits,
    })
}

/// A limiter and what it is asked for, by the place of the argument.
enum Demand<'py> {
    Limiter(usize, Bound<'py, PyLimiter>, Tokens),
    Key(usize, Bound<'py, PyKeyedLimiter>, Key, Tokens),
}

fn demand<'py>(place: usize, subject: &Bound<'py, PyAny>) -> PyResult<Demand<'py>> {
    if let Ok(limiter) = subject.cast::<PyLimiter>() {
        return Ok(Demand::Limiter(place, limiter.clone(), Tokens::ONE));
    }
    if let Ok(parts) = subject.cast::<PyTuple>()
        && let Ok(first) = parts.get_item(0)
    {
        let cost = |at| match parts.get_item(at) {
            Ok(cost) => cost.extract().map(|Cost(cost)| cost),
            Err(_) => Ok(Tokens::ONE),
        };
        match (first.cast::<PyLimiter>(), first.cast::<PyKeyedLimiter>()) {
            (Ok(limiter), _) if parts.len() == 2 => {
                return Ok(Demand::Limiter(place, limiter.clone(), cost(1)?));
            }
            (_, Ok(limiter)) if matches!(parts.len(), 2 | 3) => {
                let key = parts.get_item(1)?.extract()?;
                return Ok(Demand::Key(place, limiter.clone(), key, cost(2)?));
            }
            _ => {}
        }
    }
    Err(PyTypeError::new_err(format!(
        "a Limiter, (Limiter, cost), (KeyedLimiter, key) or (KeyedLimiter, key, cost) is needed, not {}",
        subject.repr()?
    )))
}

impl<'py> Demand<'py> {
    fn clock(&self) -> &Clock {
        match self {
            Self::Limiter(_, limiter, _) => limiter.get().clock(),
            Self::Key(_, limiter, ..) => limiter.get().clock(),
        }
    }

    fn differs_from(&self, others: &[Self]) -> PyResult<()> {
        for other in others {
            match (self, other) {
                (Self::Limiter(_, one, _), Self::Limiter(_, other, _)) if one.is(other) => {
                    return Err(PyValueError::new_err("a limiter is given twice"));
                }
                (Self::Key(_, one, key, _), Self::Key(_, other, other_key, _))
                    if one.is(other) && key == other_key =>
                {
                    return Err(PyValueError::new_err("a key is given twice"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn of_limiter(&self) -> Option<(usize, &Bound<'py, PyLimiter>, Tokens)> {
        match self {
            Self::Limiter(place, limiter, cost) => Some((*place, limiter, *cost)),
            Self::Key(..) => None,
        }
    }

    fn of_key(&self) -> Option<(usize, &Bound<'py, PyKeyedLimiter>, &Key, Tokens)> {
        match self {
            Self::Key(place, limiter, key, cost) => Some((*place, limiter, key, *cost)),
            Self::Limiter(..) => None,
        }
    }
}
