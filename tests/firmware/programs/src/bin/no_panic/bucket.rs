//! The bucket, as one piece and as a state apart from its configuration.

use core::hint::black_box;

use tokenweir::{
    Bandwidth, Bucket, BucketConfig, BucketSnapshot, BucketState, Reservation, ReserveError,
    SnapshotError, TokensInheritance, checked,
};

use crate::{call, exhaust, number, tokens};

const LIMIT: Bandwidth = checked!(Bandwidth::greedy(10, 10, 100));

fn inheritance() -> TokensInheritance {
    black_box(TokensInheritance::Proportional)
}

pub(crate) fn call_all<const N: usize>() {
    let Ok(config) = call!(BucketConfig::<N>::from_slice(
        black_box([LIMIT; N]).as_slice()
    )) else {
        return;
    };
    bucket(config);
    state(config);
    if let Err(error) = call!(BucketSnapshot::<N>::from_slice(black_box([].as_slice()))) {
        call!(SnapshotError::code(&error));
    }
}

fn bucket<const N: usize>(config: BucketConfig<N>) {
    let mut bucket = call!(Bucket::<N>::new(config, number()));
    call!(Bucket::<N>::try_consume(&mut bucket, tokens(), number()));
    let _ = call!(Bucket::<N>::try_consume_with_probe(
        &mut bucket,
        tokens(),
        number()
    ));
    let _ = call!(Bucket::<N>::estimate(&bucket, tokens(), number()));
    call!(Bucket::<N>::consume_up_to(&mut bucket, tokens(), number()));
    let _ = call!(Bucket::<N>::consume_ignoring_limits(
        &mut bucket,
        tokens(),
        number()
    ));
    match call!(Bucket::<N>::reserve(
        &mut bucket,
        tokens(),
        number(),
        number()
    )) {
        Ok(reservation) => {
            call!(Reservation::amount(&reservation));
            call!(Reservation::wait(&reservation));
            call!(Reservation::ready_at(&reservation));
            call!(Bucket::<N>::cancel(&mut bucket, reservation, number()));
        }
        Err(error) => {
            call!(ReserveError::code(&error));
        }
    }
    call!(Bucket::<N>::add(&mut bucket, tokens(), number()));
    call!(Bucket::<N>::force_add(&mut bucket, tokens(), number()));
    call!(Bucket::<N>::reset(&mut bucket, number()));
    call!(Bucket::<N>::available(&bucket, number()));
    call!(Bucket::<N>::time_to_full(&bucket, number()));
    exhaust(call!(Bucket::<N>::available_of_each(&bucket, number())));
    call!(Bucket::<N>::replace(
        &mut bucket,
        config,
        inheritance(),
        number()
    ));
    let snapshot = call!(Bucket::<N>::snapshot(&bucket));
    call!(BucketSnapshot::<N>::levels(&snapshot));
    let _ = call!(Bucket::<N>::restore(config, &snapshot));
    call!(Bucket::<N>::config(&bucket));
    call!(Bucket::<N>::state(&bucket));
}

fn state<const N: usize>(config: BucketConfig<N>) {
    let config = &config;
    let mut state = call!(BucketState::<N>::new(config, number()));
    call!(BucketState::<N>::try_consume(
        &mut state,
        config,
        tokens(),
        number()
    ));
    let _ = call!(BucketState::<N>::try_consume_with_probe(
        &mut state,
        config,
        tokens(),
        number()
    ));
    let _ = call!(BucketState::<N>::estimate(
        &state,
        config,
        tokens(),
        number()
    ));
    call!(BucketState::<N>::consume_up_to(
        &mut state,
        config,
        tokens(),
        number()
    ));
    let _ = call!(BucketState::<N>::consume_ignoring_limits(
        &mut state,
        config,
        tokens(),
        number()
    ));
    let reserved = call!(BucketState::<N>::reserve(
        &mut state,
        config,
        tokens(),
        number(),
        number()
    ));
    if let Ok(reservation) = reserved {
        call!(BucketState::<N>::cancel(
            &mut state,
            config,
            reservation,
            number()
        ));
    }
    call!(BucketState::<N>::add(
        &mut state,
        config,
        tokens(),
        number()
    ));
    call!(BucketState::<N>::force_add(
        &mut state,
        config,
        tokens(),
        number()
    ));
    call!(BucketState::<N>::reset(&mut state, config, number()));
    call!(BucketState::<N>::available(&state, config, number()));
    call!(BucketState::<N>::time_to_full(&state, config, number()));
    exhaust(call!(BucketState::<N>::available_of_each(
        &state,
        config,
        number()
    )));
    call!(BucketState::<N>::replaced(
        &state,
        config,
        config,
        inheritance(),
        number()
    ));
    let snapshot = call!(BucketState::<N>::snapshot(&state, config));
    let _ = call!(BucketState::<N>::restore(config, &snapshot));
}
