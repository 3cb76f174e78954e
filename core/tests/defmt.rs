//! With the feature `defmt`, configurations, states, amounts, answers and errors can be logged.

use defmt::Format;
use tokenweir::*;

/// Does not compile for a type that cannot be logged.
const fn can_be_logged<T: Format>() -> usize {
    size_of::<T>()
}

#[test]
fn public_types_can_be_logged() {
    let sizes = [
        can_be_logged::<Tokens>(),
        can_be_logged::<Permits>(),
        can_be_logged::<TickRate>(),
        can_be_logged::<Wait>(),
        can_be_logged::<Bandwidth>(),
        can_be_logged::<BandwidthId>(),
        can_be_logged::<Refill>(),
        can_be_logged::<BucketConfig<3>>(),
        can_be_logged::<BucketState<3>>(),
        can_be_logged::<Bucket<3>>(),
        can_be_logged::<BucketSnapshot<3>>(),
        can_be_logged::<LevelSnapshot>(),
        can_be_logged::<Probe>(),
        can_be_logged::<Estimate>(),
        can_be_logged::<Reservation<Tokens>>(),
        can_be_logged::<Reservation<Permits>>(),
        can_be_logged::<TokensInheritance>(),
        can_be_logged::<CycleConfig>(),
        can_be_logged::<CycleState>(),
        can_be_logged::<CycleLimiter>(),
        can_be_logged::<CycleRefusal>(),
        can_be_logged::<TinyConfig>(),
        can_be_logged::<TinyState>(),
        can_be_logged::<TinyBucket>(),
        can_be_logged::<Suppressed<TinyBucket>>(),
        can_be_logged::<Widening>(),
        can_be_logged::<AmountError>(),
        can_be_logged::<BandwidthError>(),
        can_be_logged::<ConfigError>(),
        can_be_logged::<CycleConfigError>(),
        can_be_logged::<DurationError>(),
        can_be_logged::<ReserveError>(),
        can_be_logged::<SavedError>(),
        can_be_logged::<SnapshotError>(),
        can_be_logged::<TinyConfigError>(),
    ];
    assert!(sizes.iter().all(|size| *size > 0));
}

#[cfg(feature = "atomic")]
#[test]
fn the_errors_of_atomic_limiters_can_be_logged() {
    assert!(can_be_logged::<AtomicError>() > 0);
}

#[cfg(feature = "keyed")]
#[test]
fn the_answers_of_keyed_limiters_can_be_logged() {
    assert_eq!(can_be_logged::<KeyedOutcome>(), 1);
    assert_eq!(can_be_logged::<Overflow>(), 1);
}

#[cfg(feature = "atomic")]
#[test]
fn atomic_limiters_can_be_logged() {
    assert!(can_be_logged::<AtomicBucket>() >= 8);
    assert!(can_be_logged::<AtomicCycleLimiter>() >= 8);
    assert!(can_be_logged::<AtomicError>() > 0);
}
