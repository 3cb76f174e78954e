//! Limiters that all threads of a process share by name.
//!
//! They last as long as the process: a thread that ends, or forgets its limiter, gives nothing back.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

use crate::convert::instant_at;
use crate::fault::{Fault, outcome};
use crate::group::{Group, Place, keep};
use crate::limits;
use crate::words::NOW;
use tokenweir::{LimiterState, Limits};

/// A group, and the limits that it was made with.
struct Shared {
    limits: Arc<Limits>,
    group: Arc<Mutex<Group>>,
}

static SHARED: LazyLock<Mutex<HashMap<String, Shared>>> = LazyLock::new(Mutex::default);
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The group of this name, with one entry, whose number is 0; a new one at the instant in the words if
/// there is none. One that there is must have been made with these limits. Otherwise as
/// [`group_new`](crate::group::group_new).
#[must_use]
pub fn group_shared(limits: u32, name: &str) -> i32 {
    outcome(find(limits, name).map(|group| keep(Place::Shared(group))))
}

fn find(slot: u32, name: &str) -> Result<Arc<Mutex<Group>>, Fault> {
    let mut wanted = Group::new(slot)?;
    let mut all = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    match all.entry(name.to_owned()) {
        Entry::Vacant(place) => {
            let state = LimiterState::new(&wanted.limits, instant_at(NOW)?);
            wanted.states.insert(state);
            let limits = Arc::clone(&wanted.limits);
            let group = Arc::new(Mutex::new(wanted));
            Ok(Arc::clone(&place.insert(Shared { limits, group }).group))
        }
        Entry::Occupied(found) => {
            let Shared { limits, group } = found.get();
            if *limits != wanted.limits {
                let message = format_args!("the limiter {name:?} was made with others: {limits}");
                return Err(Fault::new("limits", "shared_limits_differ").said(message));
            }
            Ok(Arc::clone(group))
        }
    }
}

/// Milliseconds by a clock that all threads read alike.
#[must_use]
pub fn shared_now() -> f64 {
    ORIGIN.elapsed().as_nanos() as f64 / 1e6
}

/// The limits of a group as it has them now.
#[must_use]
pub fn group_limits(group: u32) -> i32 {
    crate::group::with(group, |group| Ok(limits::keep(Arc::clone(&group.limits))))
}
