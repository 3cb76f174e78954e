//! A timeline of commands, in the crate and in the model of unbounded integers: they agree in every
//! answer and in the state.

use num_bigint::BigInt;
use tokenweir::{
    Bandwidth, Bucket, BucketConfig, CycleConfig, CycleLimiter, Permits, ReserveError, Tokens,
    TokensInheritance, Wait,
};
use tokenweir_reference as model;

/// Takes numbers from the input; zeros after its end.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((byte, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *byte
    }

    /// A number of any size: so many bits, as the first byte says.
    fn number(&mut self) -> u64 {
        let bits = u32::from(self.byte() % 65);
        let mut word = [0; 8];
        for byte in word.iter_mut().take(bits.div_ceil(8) as usize) {
            *byte = self.byte();
        }
        let word = u64::from_le_bytes(word);
        if bits == 64 {
            word
        } else {
            word & ((1 << bits) - 1)
        }
    }

    fn positive(&mut self) -> u64 {
        self.number().clamp(1, i64::MAX as u64)
    }

    /// The next instant: mostly later, sometimes earlier.
    fn instant(&mut self, now: u64) -> u64 {
        let step = self.number();
        if self.byte().is_multiple_of(8) {
            now.saturating_sub(step)
        } else {
            now.saturating_add(step)
        }
    }
}

pub(crate) fn run(data: &[u8]) {
    let mut input = Input(data);
    if input.byte().is_multiple_of(2) {
        bucket(&mut input);
    } else {
        cycle(&mut input);
    }
}

fn bucket(input: &mut Input<'_>) {
    let mut now = input.number();
    let (limits, models) = limits(input);
    let mut bucket = Bucket::<2>::new(BucketConfig::from_slice(&limits).expect("limits"), now);
    let mut oracle = model::Bucket::new(models, now).expect("the crate took them");
    while !input.0.is_empty() {
        let (op, n) = (input.byte() % 9, input.positive());
        now = input.instant(now);
        let cost = Tokens::new(n).expect("in range");
        match op {
            0 => {
                let probe = bucket.try_consume_with_probe(cost, now);
                let expected = oracle.probe(n, now).expect("in range");
                assert_eq!(probe.consumed, expected.consumed);
                assert_eq!(BigInt::from(probe.remaining), expected.remaining);
                assert_eq!(wait(probe.wait), expected.wait);
                assert_eq!(wait(probe.reset), expected.reset);
            }
            1 => assert_eq!(
                bucket.try_consume(cost, now),
                oracle.try_consume(n, now).expect("in range")
            ),
            2 => {
                let most = Some(BigInt::from(n));
                let expected = oracle.as_much_as_possible(most, now).expect("in range");
                assert_eq!(BigInt::from(bucket.consume_up_to(cost, now)), expected);
            }
            3 => match (
                bucket.consume_ignoring_limits(cost, now),
                oracle.consume_ignoring(n, now),
            ) {
                (Ok(wait), Ok(expected)) => assert_eq!(BigInt::from(wait), expected),
                (Err(ReserveError::ReservationOverflow), Err(_)) => {}
                (found, expected) => panic!("{found:?}, expected {expected:?}"),
            },
            4 => {
                bucket.add(cost, now);
                oracle.add(n, now).expect("in range");
            }
            5 => {
                bucket.force_add(cost, now);
                oracle.force_add(n, now).expect("in range");
            }
            6 => {
                bucket.reset(now);
                oracle.reset(now);
            }
            7 => {
                let max_wait = input.positive();
                match (
                    bucket.reserve(cost, max_wait, now),
                    oracle.reserve(n, max_wait, now),
                ) {
                    (Ok(reservation), Ok(Some(expected))) => {
                        assert_eq!(BigInt::from(reservation.wait()), expected.wait);
                    }
                    (Err(ReserveError::NotInTime { .. }), Ok(None))
                    | (Err(ReserveError::ReservationOverflow), Err(_)) => {}
                    (found, expected) => panic!("{found:?}, expected {expected:?}"),
                }
            }
            _ => {
                let (limits, models) = self::limits(input);
                let (inheritance, expected) = match input.byte() % 4 {
                    0 => (TokensInheritance::AsIs, model::Inheritance::AsIs),
                    1 => (
                        TokensInheritance::Proportional,
                        model::Inheritance::Proportional,
                    ),
                    2 => (TokensInheritance::Additive, model::Inheritance::Additive),
                    _ => (TokensInheritance::Reset, model::Inheritance::Reset),
                };
                let config = BucketConfig::from_slice(&limits).expect("limits");
                bucket.replace(config, inheritance, now);
                oracle
                    .replace(models, expected, now)
                    .expect("the crate took them");
            }
        }
        let snapshot = bucket.snapshot();
        assert_eq!(snapshot.levels().len(), oracle.levels().len());
        for (level, expected) in snapshot.levels().iter().zip(oracle.levels()) {
            assert_eq!(BigInt::from(level.tokens), expected.tokens);
            assert_eq!(BigInt::from(level.remainder), expected.remainder);
        }
        let each: Vec<_> = bucket.available_of_each(now).map(BigInt::from).collect();
        assert_eq!(each, oracle.available_per_bandwidth(now));
        assert_eq!(wait(bucket.time_to_full(now)), oracle.time_to_full(now));
    }
}

fn limits(input: &mut Input<'_>) -> (Vec<Bandwidth>, Vec<model::Bandwidth>) {
    let count = 1 + usize::from(input.byte() % 2);
    let mut both = (Vec::new(), Vec::new());
    for _ in 0..count {
        let (capacity, tokens, period) = (input.positive(), input.positive(), input.positive());
        let (limit, style) = if input.byte().is_multiple_of(2) {
            (
                Bandwidth::greedy(capacity, tokens, period),
                model::Style::Greedy,
            )
        } else {
            (
                Bandwidth::interval(capacity, tokens, period),
                model::Style::Interval,
            )
        };
        both.0.push(limit.expect("in range"));
        both.1
            .push(model::Bandwidth::new(capacity, tokens, period, style));
    }
    both
}

fn cycle(input: &mut Input<'_>) {
    let mut now = input.number();
    let (limit, period, timeout) = (input.positive(), input.positive(), input.positive());
    let config = CycleConfig::new(limit, period).and_then(|config| config.with_timeout(timeout));
    let mut limiter = CycleLimiter::new(config.expect("in range"), now);
    let mut oracle = model::CycleLimiter::new(limit, period, timeout, now).expect("in range");
    while !input.0.is_empty() {
        let (op, n) = (input.byte() % 4, input.positive());
        now = input.instant(now);
        let permits = Permits::new(n).expect("in range");
        match op {
            0 => assert_eq!(
                limiter.try_acquire(permits, now),
                oracle.try_acquire(n, now).expect("in range")
            ),
            1 => {
                let expected = oracle.reserve(n, now).expect("in range");
                match (limiter.reserve(permits, now), expected) {
                    (Ok(reservation), Some(expected)) => {
                        assert_eq!(BigInt::from(reservation.wait()), expected.wait);
                    }
                    (Err(_), None) => {}
                    (found, expected) => panic!("{found:?}, expected {expected:?}"),
                }
            }
            2 => assert_eq!(BigInt::from(limiter.drain(now)), oracle.drain(now)),
            _ => {
                limiter.change_limit(n, now).expect("in range");
                oracle.change_limit(n, now).expect("in range");
            }
        }
        assert_eq!(BigInt::from(limiter.available(now)), oracle.available(now));
        assert_eq!(BigInt::from(limiter.cycle(now)), oracle.cycle(now));
        let expected = oracle.wait(1, now).expect("in range");
        assert_eq!(wait(limiter.wait(Permits::ONE, now)), expected);
    }
}

fn wait(wait: Wait) -> Option<BigInt> {
    wait.ticks().map(BigInt::from)
}
