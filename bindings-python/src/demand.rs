//! What is asked of several limiters and keys at once.

use std::sync::{Arc, MutexGuard};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tokenweir::{
    Clock as _, JointDecision, LimiterReservation, LimiterState, Limits, LockedKeys, ReserveError,
    Subject, Tokens, TooManyKeys, decide_all, reserve_all,
};

use crate::clock::Clock;
use crate::convert::Cost;
use crate::key::Key;
use crate::keyed::PyKeyedLimiter;
use crate::limiter::{Held, PyLimiter};
use crate::reservation::PyReservation;

/// A limiter, or one key of a keyed one, and a cost.
pub(crate) struct Demand<'py> {
    of: Of<'py>,
    cost: Tokens,
}

enum Of<'py> {
    Limiter(Bound<'py, PyLimiter>),
    Key(Bound<'py, PyKeyedLimiter>, Key),
}

impl<'py> Demand<'py> {
    /// The reservation that was made of it.
    pub(crate) fn reserved(&self, reservation: LimiterReservation) -> PyReservation {
        match &self.of {
            Of::Limiter(limiter) => PyReservation::of_limiter(limiter, reservation),
            Of::Key(limiter, key) => PyReservation::of_key(limiter, key.clone(), reservation),
        }
    }

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

    fn differs_from(&self, others: &[Self]) -> PyResult<()> {
        for other in others {
            match (&self.of, &other.of) {
                (Of::Limiter(one), Of::Limiter(other)) if one.is(other) => {
                    return Err(PyValueError::new_err("a limiter is given twice"));
                }
                (Of::Key(one, key), Of::Key(other, other_key))
                    if one.is(other) && key == other_key =>
                {
                    return Err(PyValueError::new_err("a key is given twice"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn of_limiter(&self) -> Option<&Bound<'py, PyLimiter>> {
        match &self.of {
            Of::Limiter(limiter) => Some(limiter),
            Of::Key(..) => None,
        }
    }

    fn of_key(&self) -> Option<(&Bound<'py, PyKeyedLimiter>, &Key)> {
        match &self.of {
            Of::Key(limiter, key) => Some((limiter, key)),
            Of::Limiter(_) => None,
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
                cost: Cost::ONE.0,
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
    for (place, demand) in demands.iter().enumerate() {
        if !demand.clock().is_same(first.clock()) {
            return Err(PyValueError::new_err(
                "the limiters read different clocks: give each the same, a SystemClock where one has \
                 limits that are aligned to civil time",
            ));
        }
        demand.differs_from(&demands[..place])?;
    }
    Ok(())
}

/// Checks that the subjects, given as to `check_all`, can be decided together; decides nothing.
#[pyfunction]
#[pyo3(name = "_check_subjects", signature = (*subjects))]
pub(crate) fn check_subjects(subjects: Vec<Demand<'_>>) -> PyResult<()> {
    check(&subjects)
}

/// How the limits of one demand stand, while all are locked. Demands that share a state are one, the
/// first of them.
pub(crate) struct Standing<'a> {
    /// Which demand it is.
    pub(crate) place: usize,
    pub(crate) cost: Tokens,
    /// The limits in force.
    pub(crate) limits: &'a Arc<Limits>,
    pub(crate) state: &'a LimiterState,
}

/// Locks all there is to lock, decides what [`check`] has found fit, and has `read` look at the limits as
/// they stand then. The subject of the decision is the place of a demand.
///
/// Python is not entered meanwhile, not even for an error: of a new key without room, after which
/// nothing was decided.
pub(crate) fn decide<R>(
    demands: &[Demand<'_>],
    read: impl FnOnce(JointDecision, &[Standing<'_>], u64) -> R,
) -> Result<R, TooManyKeys> {
    let limiters = limiters(demands);
    let keys = keys(demands);
    let mut locked = Locked::new(demands, &limiters, &keys)?;
    let now = locked.now;
    let (places, mut asked) = locked.subjects();
    let mut joint = decide_all(&mut asked, now);
    joint.subject = places[joint.subject];
    drop(asked);
    Ok(read(joint, &locked.standing(), now))
}

/// As [`decide`], for reservations, each with the demand it is of.
pub(crate) fn reserve(demands: &[Demand<'_>], max_wait: u64) -> Result<Reserved, TooManyKeys> {
    let limiters = limiters(demands);
    let keys = keys(demands);
    let mut locked = Locked::new(demands, &limiters, &keys)?;
    let now = locked.now;
    let (places, mut asked) = locked.subjects();
    Ok(match reserve_all(&mut asked, max_wait, now) {
        Ok(reserved) => Ok(places.into_iter().zip(reserved).collect()),
        Err(refused) => Err(refused.error),
    })
}

/// The reservations, each with the place of its demand.
type Reserved = Result<Vec<(usize, LimiterReservation)>, ReserveError>;

type PlacedLimiter<'d, 'py> = (usize, &'d Bound<'py, PyLimiter>, Tokens);
type PlacedKey<'d, 'py> = (usize, (&'d Bound<'py, PyKeyedLimiter>, &'d Key), Tokens);

/// The limiters among the demands, in the order of locking.
fn limiters<'d, 'py>(demands: &'d [Demand<'py>]) -> Vec<PlacedLimiter<'d, 'py>> {
    let placed = demands.iter().enumerate();
    let mut limiters: Vec<_> = placed
        .filter_map(|(place, demand)| Some((place, demand.of_limiter()?, demand.cost)))
        .collect();
    limiters.sort_by_key(|(_, limiter, _)| limiter.as_ptr().addr());
    limiters
}

/// The keys among the demands, in the order of locking, those of a limiter together.
fn keys<'d, 'py>(demands: &'d [Demand<'py>]) -> Vec<PlacedKey<'d, 'py>> {
    let placed = demands.iter().enumerate();
    let mut keys: Vec<_> = placed
        .filter_map(|(place, demand)| Some((place, demand.of_key()?, demand.cost)))
        .collect();
    keys.sort_by_key(|(_, (limiter, _), _)| limiter.as_ptr().addr());
    keys
}

/// All that is asked, locked: in one order everywhere, limiters before keys, so that two such calls cannot
/// wait for each other.
struct Locked<'d> {
    held: Vec<(usize, MutexGuard<'d, Held>, Tokens)>,
    /// The keys of each keyed limiter, by the places of the demands they are.
    keys: Vec<(Vec<usize>, LockedKeys<'d, Key>)>,
    now: u64,
}

impl<'d> Locked<'d> {
    fn new(
        demands: &[Demand<'_>],
        limiters: &'d [PlacedLimiter<'d, '_>],
        keys: &'d [PlacedKey<'d, '_>],
    ) -> Result<Self, TooManyKeys> {
        let held = limiters
            .iter()
            .map(|(place, limiter, cost)| (*place, limiter.get().held(), *cost))
            .collect();
        let now = demands.first().map_or(0, |demand| demand.clock().now());
        let mut locked = Vec::new();
        for keys in keys.chunk_by(|(_, (one, _), _), (_, (other, _), _)| one.is(other)) {
            let asked: Vec<_> = keys
                .iter()
                .map(|(_, (_, key), cost)| (*key, *cost))
                .collect();
            let (limiter, _) = keys[0].1;
            let states = limiter.get().table().lock_keys(&asked, now)?;
            let places = (0..).map_while(|subject| states.key_of(subject));
            let places: Vec<_> = places.map(|key| keys[key].0).collect();
            locked.push((places, states));
        }
        Ok(Self {
            held,
            keys: locked,
            now,
        })
    }

    /// The subjects in the order of their demands, and which of these they are.
    fn subjects(&mut self) -> (Vec<usize>, Vec<Subject<'_>>) {
        let held = self.held.iter_mut();
        let mut asked: Vec<(usize, Subject<'_>)> = held
            .map(|(place, held, cost)| (*place, held.limiter.subject(*cost)))
            .collect();
        for (places, states) in &mut self.keys {
            asked.extend(places.iter().copied().zip(states.subjects()));
        }
        asked.sort_by_key(|(place, _)| *place);
        asked.into_iter().unzip()
    }

    /// How the limits of each demand stand.
    fn standing(&self) -> Vec<Standing<'_>> {
        let mut standing: Vec<_> = self
            .held
            .iter()
            .map(|(place, held, cost)| Standing {
                place: *place,
                cost: *cost,
                limits: &held.limits,
                state: held.limiter.state(),
            })
            .collect();
        for (places, states) in &self.keys {
            standing.extend(places.iter().enumerate().filter_map(|(subject, place)| {
                Some(Standing {
                    place: *place,
                    cost: states.cost_of(subject)?,
                    limits: states.limits_of(subject)?,
                    state: states.state_of(subject)?,
                })
            }));
        }
        standing.sort_by_key(|standing| standing.place);
        standing
    }
}
