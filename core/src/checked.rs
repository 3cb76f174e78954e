//! Checked constructors at compile time.

/// Evaluates a checked constructor at compile time: a value out of range does not compile.
///
/// Takes any constant expression of a `Result` whose error has a `code()`, as all errors of this
/// crate have, and gives the value without a check at run time.
///
/// ```
/// use tokenweir::{Bandwidth, Bucket, BucketConfig, Tokens, checked};
///
/// const LIMIT: Bandwidth = checked!(Bandwidth::greedy(10, 10, 1_000));
/// static mut UNUSED: Bucket<1> = Bucket::new(BucketConfig::single(LIMIT), 0);
/// assert_eq!(checked!(Tokens::new(3)).get(), 3);
/// ```
///
/// ```compile_fail
/// use tokenweir::{Bandwidth, checked};
///
/// const LIMIT: Bandwidth = checked!(Bandwidth::greedy(0, 10, 1_000));
/// ```
#[macro_export]
macro_rules! checked {
    ($constructor:expr) => {
        const {
            match $constructor {
                Ok(value) => value,
                Err(error) => ::core::panic!("{}", error.code()),
            }
        }
    };
}
