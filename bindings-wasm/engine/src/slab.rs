//! Values by number.

use crate::fault::Fault;

/// Values kept by the number of their slot; a slot that is given up is used again.
///
/// The first `N` are where the slab is, which is the quickest to find: the hot path takes little more time
/// than to load two addresses takes.
#[derive(Debug)]
pub(crate) struct Slab<T, const N: usize = 0> {
    first: [Option<T>; N],
    others: Vec<Option<T>>,
    /// How many slots there are, free ones included.
    places: usize,
    free: Vec<u32>,
}

impl<T, const N: usize> Slab<T, N> {
    pub(crate) const fn new() -> Self {
        Self {
            first: [const { None }; N],
            others: Vec::new(),
            places: 0,
            free: Vec::new(),
        }
    }

    /// Keeps a value; returns its slot.
    pub(crate) fn insert(&mut self, value: T) -> i32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            if self.places >= N {
                self.others.push(None);
            }
            self.places += 1;
            // Memory ends long before 2^31 slots.
            (self.places - 1) as u32
        });
        if let Some(place) = self.place(slot) {
            *place = Some(value);
        }
        slot.cast_signed()
    }

    #[inline(always)]
    fn place(&mut self, slot: u32) -> Option<&mut Option<T>> {
        let slot = slot as usize;
        if slot < N {
            self.first.get_mut(slot)
        } else {
            self.others.get_mut(slot - N)
        }
    }

    /// The value of a slot, if there is one.
    #[inline(always)]
    pub(crate) fn find(&mut self, slot: u32) -> Option<&mut T> {
        self.place(slot)?.as_mut()
    }

    /// The value of a slot.
    pub(crate) fn get(&mut self, slot: u32) -> Result<&mut T, Fault> {
        self.find(slot).ok_or_else(unknown)
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.places - self.free.len()
    }

    /// How many slots there are, free ones included.
    pub(crate) fn places(&self) -> usize {
        self.places
    }

    /// The value of a slot, which stays reserved for it.
    pub(crate) fn lift(&mut self, slot: u32) -> Option<T> {
        self.place(slot)?.take()
    }

    /// Puts a value back that was lifted.
    pub(crate) fn put_back(&mut self, slot: u32, value: T) {
        if let Some(place) = self.place(slot) {
            *place = Some(value);
        }
    }

    /// All values.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.first.iter_mut().chain(&mut self.others).flatten()
    }

    /// The value of a slot, which is given up.
    pub(crate) fn take(&mut self, slot: u32) -> Result<T, Fault> {
        let place = self.place(slot);
        let value = place.and_then(Option::take).ok_or_else(unknown)?;
        self.free.push(slot);
        Ok(value)
    }

    /// Gives a slot up; one that is free already stays so.
    pub(crate) fn remove(&mut self, slot: u32) {
        let _ = self.take(slot);
    }
}

#[cold]
fn unknown() -> Fault {
    Fault::new("", "no_such_slot")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_given_up_twice_is_used_again_once() {
        is_used_again_once(Slab::<_, 0>::new());
        is_used_again_once(Slab::<_, 1>::new());
        is_used_again_once(Slab::<_, 9>::new());
    }

    fn is_used_again_once<const N: usize>(mut slab: Slab<char, N>) {
        assert_eq!((slab.insert('a'), slab.insert('b')), (0, 1));
        slab.remove(0);
        slab.remove(0);
        assert!(slab.get(0).is_err());
        assert_eq!((slab.insert('c'), slab.insert('d')), (0, 2));
        assert_eq!(slab.get(0).ok(), Some(&mut 'c'));
        assert_eq!(slab.get(1).ok(), Some(&mut 'b'));
        assert!(slab.get(3).is_err());
        assert_eq!((slab.len(), slab.places()), (3, 3));
        assert_eq!(
            slab.iter_mut().map(|value| *value).collect::<String>(),
            "cbd"
        );
    }
}
