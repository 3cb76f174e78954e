//! Reservations by number: what was taken ahead of time and can be given back.

use std::cell::RefCell;
use std::rc::Rc;

use tokenweir::LimiterReservation;

use crate::fault::Fault;
use crate::slab::Slab;
use crate::words::{RESULT, set_amount, set_nanos};

thread_local! {
    static HELD: RefCell<Slab<Rc<LimiterReservation>>> = const { RefCell::new(Slab::new()) };
}

/// Gives a reservation up: what it took stays taken.
pub fn reservation_drop(slot: u32) {
    HELD.with_borrow_mut(|held| held.remove(slot));
}

/// Keeps a reservation; leaves the amount, the wait, and when it is ready as results.
pub(crate) fn keep(held: LimiterReservation) -> i32 {
    set_amount(RESULT, held.cost().get().cast_signed());
    set_nanos(RESULT + 2, held.wait());
    set_nanos(RESULT + 4, held.ready_at());
    HELD.with_borrow_mut(|slab| slab.insert(Rc::new(held)))
}

/// Takes a reservation out.
pub(crate) fn take(slot: u32) -> Result<LimiterReservation, Fault> {
    let held = HELD.with_borrow_mut(|held| held.take(slot))?;
    // Commands refer to it only while they run.
    Rc::into_inner(held).ok_or_else(|| Fault::new("", "in_use"))
}

/// A reservation, which also stays.
pub(crate) fn find(slot: u32) -> Result<Rc<LimiterReservation>, Fault> {
    HELD.with_borrow_mut(|held| held.get(slot).map(|held| Rc::clone(held)))
}
