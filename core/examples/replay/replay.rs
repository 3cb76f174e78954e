//! The replay itself.

use std::collections::HashMap;

use tokenweir::{LimiterState, Limits, Tokens, Wait};

use crate::log::Request;

/// What became of the requests.
pub(crate) struct Outcome {
    /// By key, the most refused first.
    pub(crate) keys: Vec<(Box<str>, Tally)>,
    /// How many requests each limit refused.
    pub(crate) refused_by: Vec<usize>,
    /// How long each refused request would have had to wait.
    pub(crate) waits: Vec<Wait>,
}

/// What became of the requests of one key.
pub(crate) struct Tally {
    pub(crate) admitted: usize,
    pub(crate) refused: usize,
    pub(crate) longest: Wait,
}

impl Outcome {
    pub(crate) fn admitted(&self) -> usize {
        self.keys.iter().map(|(_, tally)| tally.admitted).sum()
    }

    pub(crate) fn refused(&self) -> usize {
        self.waits.len()
    }

    pub(crate) fn keys_refused(&self) -> usize {
        let refused = self.keys.iter().filter(|(_, tally)| tally.refused > 0);
        refused.count()
    }
}

/// Runs one limiter for each key, which begins at the first request of that key.
pub(crate) fn replay(requests: &[Request], limits: &Limits) -> Outcome {
    let mut keys: HashMap<&str, (LimiterState, Tally)> = HashMap::new();
    let mut refused_by = vec![0; limits.len()];
    let mut waits = Vec::new();
    for Request { at, key } in requests {
        let (limiter, tally) = keys
            .entry(key)
            .or_insert_with(|| (LimiterState::new(limits, *at), Tally::NONE));
        let decision = limiter.check(limits, Tokens::ONE, *at);
        if decision.allowed {
            tally.admitted += 1;
        } else {
            tally.refused += 1;
            tally.longest = tally.longest.max(decision.retry_after);
            refused_by[decision.scope] += 1;
            waits.push(decision.retry_after);
        }
    }
    let keys = keys.into_iter();
    let mut keys: Vec<_> = keys.map(|(key, (_, tally))| (key.into(), tally)).collect();
    keys.sort_by(|(key, tally), (other_key, other): &(Box<str>, Tally)| {
        other
            .refused
            .cmp(&tally.refused)
            .then_with(|| key.cmp(other_key))
    });
    Outcome {
        keys,
        refused_by,
        waits,
    }
}

impl Tally {
    const NONE: Self = Self {
        admitted: 0,
        refused: 0,
        longest: Wait::NONE,
    };
}
