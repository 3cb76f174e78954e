//! The atomic word, and what a target needs to have one.

use core::sync::atomic::Ordering::Relaxed;

#[cfg(loom)]
use loom::sync::atomic::AtomicU64;
#[cfg(not(loom))]
use portable_atomic::AtomicU64;

// Said once and clearly, instead of an unresolved import.
portable_atomic::cfg_no_atomic_64! {
    compile_error!(
        "tokenweir's feature `atomic` needs 64-bit atomics, which this target lacks. The final binary \
         chooses how they are made: on a single core add to its Cargo.toml \
         `portable-atomic = { version = \"1\", features = [\"unsafe-assume-single-core\"] }`, \
         otherwise see the documentation of `AtomicBucket`"
    );
}

/// One word of state. Nothing else is published through it, so that relaxed ordering is enough.
#[derive(Debug)]
pub(super) struct Word(AtomicU64);

/// Declares a function as `const`, except under loom, whose atomics are made at run time.
macro_rules! const_fn {
    ($(#[$attribute:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty $body:block) => {
        #[cfg(not(loom))]
        $(#[$attribute])*
        $vis const fn $name($($arg: $type),*) -> $result $body

        #[cfg(loom)]
        $(#[$attribute])*
        $vis fn $name($($arg: $type),*) -> $result $body
    };
}
pub(super) use const_fn;

impl Word {
    /// Whether no thread and no handler ever waits for another in these operations.
    #[cfg(not(loom))]
    pub(super) const IS_LOCK_FREE: bool = AtomicU64::is_always_lock_free();
    /// Loom's atomics stand for those of a host.
    #[cfg(loom)]
    pub(super) const IS_LOCK_FREE: bool = true;

    const_fn! {
        pub(super) fn new(value: u64) -> Self {
            Self(AtomicU64::new(value))
        }
    }

    #[inline(always)]
    pub(super) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Replaces the word by what `change` makes of it, or leaves it where that is `None`; returns
    /// whether it was replaced.
    ///
    /// Where another caller was faster, `change` is asked again with the word as it is now.
    #[inline(always)]
    pub(super) fn update(&self, mut change: impl FnMut(u64) -> Option<u64>) -> bool {
        let word = self.get();
        let Some(next) = change(word) else {
            return false;
        };
        match self.0.compare_exchange_weak(word, next, Relaxed, Relaxed) {
            Ok(_) => true,
            Err(seen) => self.retry(seen, change),
        }
    }

    /// Out of line and marked cold: a refusal, and a grant without a rival, are one straight run.
    #[cold]
    #[inline(never)]
    fn retry(&self, mut word: u64, mut change: impl FnMut(u64) -> Option<u64>) -> bool {
        while let Some(next) = change(word) {
            match self.0.compare_exchange_weak(word, next, Relaxed, Relaxed) {
                Ok(_) => return true,
                Err(seen) => word = seen,
            }
        }
        false
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Word {
    fn format(&self, f: defmt::Formatter<'_>) {
        self.get().format(f);
    }
}
