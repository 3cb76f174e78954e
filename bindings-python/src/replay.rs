//! What the command line replays a log with.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use tokenweir::{LimiterState, Limits, Tokens, Wait};

use crate::limits::PyLimits;
use crate::outcome::ticks;

/// A limiter for each key, which begins at the first request of that key and is never given up, and
/// what became of the requests.
#[pyclass(frozen, name = "_Replay", module = "tokenweir._native")]
pub(crate) struct Replay {
    limits: Arc<Limits>,
    keys: Mutex<HashMap<Box<str>, Entry>>,
}

struct Entry {
    state: LimiterState,
    admitted: u64,
    refused: u64,
    longest: Wait,
}

/// A key, how often it was admitted and refused, and its longest wait in nanoseconds, None for never.
type Tally = (String, u64, u64, Option<u64>);

impl Replay {
    fn keys(&self) -> MutexGuard<'_, HashMap<Box<str>, Entry>> {
        // Nothing panics while it is locked.
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Replay {
    #[new]
    fn new(limits: &PyLimits) -> Self {
        Self {
            limits: Arc::clone(&limits.0),
            keys: Mutex::default(),
        }
    }

    /// One request, later than all before: None if it is admitted; otherwise the place of the limit that
    /// refused it, and the wait in nanoseconds until it would be admitted, None for never.
    fn check(&self, key: &str, now_ns: u64) -> Option<(usize, Option<u64>)> {
        let mut keys = self.keys();
        if !keys.contains_key(key) {
            keys.insert(key.into(), Entry::new(&self.limits, now_ns));
        }
        let entry = keys.get_mut(key)?;
        let decision = entry.state.check(&self.limits, Tokens::ONE, now_ns);
        if decision.allowed {
            entry.admitted += 1;
            return None;
        }
        entry.refused += 1;
        entry.longest = entry.longest.max(decision.retry_after);
        Some((decision.scope, ticks(decision.retry_after)))
    }

    /// How many tokens a key has left, None before its first request.
    fn available(&self, key: &str, now_ns: u64) -> Option<i64> {
        let keys = self.keys();
        let entry = keys.get(key)?;
        Some(entry.state.available(&self.limits, now_ns))
    }

    /// How many keys there are.
    fn __len__(&self) -> usize {
        self.keys().len()
    }

    /// The keys of which requests were refused, the most refused first.
    fn refused(&self) -> Vec<Tally> {
        let keys = self.keys();
        let refused = keys.iter().filter(|(_, entry)| entry.refused > 0);
        let mut tallies: Vec<Tally> = refused
            .map(|(key, entry)| {
                let longest = ticks(entry.longest);
                (key.to_string(), entry.admitted, entry.refused, longest)
            })
            .collect();
        tallies.sort_by(|one, other| other.2.cmp(&one.2).then_with(|| one.0.cmp(&other.0)));
        tallies
    }
}

impl Entry {
    fn new(limits: &Limits, now: u64) -> Self {
        Self {
            state: LimiterState::new(limits, now),
            admitted: 0,
            refused: 0,
            longest: Wait::NONE,
        }
    }
}
