//! Values by number.

use crate::fault::Fault;

/// Values kept by the number of their slot; a slot that is given up is used again.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    /// Boxed, so that growing moves pointers only.
    slots: Vec<Option<Box<T>>>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    pub(crate) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Keeps a value; returns its slot.
    pub(crate) fn insert(&mut self, value: T) -> i32 {
        let value = Some(Box::new(value));
        match self.free.pop() {
            Some(slot) => {
                if let Some(place) = self.slots.get_mut(slot as usize) {
                    *place = value;
                }
                slot.cast_signed()
            }
            None => {
                self.slots.push(value);
                // Memory ends long before 2^31 slots.
                (self.slots.len() - 1) as i32
            }
        }
    }

    /// The value of a slot, if there is one.
    #[inline(always)]
    pub(crate) fn find(&mut self, slot: u32) -> Option<&mut T> {
        self.slots.get_mut(slot as usize)?.as_deref_mut()
    }

    /// The value of a slot.
    pub(crate) fn get(&mut self, slot: u32) -> Result<&mut T, Fault> {
        self.find(slot).ok_or_else(unknown)
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// How many slots there are, free ones included.
    pub(crate) fn places(&self) -> usize {
        self.slots.len()
    }

    /// The value of a slot, which stays reserved for it.
    pub(crate) fn lift(&mut self, slot: u32) -> Option<Box<T>> {
        self.slots.get_mut(slot as usize)?.take()
    }

    /// Puts a value back that was lifted.
    pub(crate) fn put_back(&mut self, slot: u32, value: Box<T>) {
        if let Some(place) = self.slots.get_mut(slot as usize) {
            *place = Some(value);
        }
    }

    /// All values.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().flatten().map(|value| &mut **value)
    }

    /// The value of a slot, which is given up.
    pub(crate) fn take(&mut self, slot: u32) -> Result<T, Fault> {
        let place = self.slots.get_mut(slot as usize);
        let value = place.and_then(Option::take).ok_or_else(unknown)?;
        self.free.push(slot);
        Ok(*value)
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
        let mut slab = Slab::new();
        assert_eq!((slab.insert('a'), slab.insert('b')), (0, 1));
        slab.remove(0);
        slab.remove(0);
        assert!(slab.get(0).is_err());
        assert_eq!((slab.insert('c'), slab.insert('d')), (0, 2));
        assert_eq!(slab.get(0).ok(), Some(&mut 'c'));
        assert_eq!(slab.get(1).ok(), Some(&mut 'b'));
    }
}
