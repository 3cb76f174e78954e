//! What holds for every back-off.

use proptest::prelude::*;
use tokenweir::Wait;
use tokenweir::backoff::{Backoff, Jitter, Ratio, Retry, timer_millis};

fn ratio(from: u32) -> impl Strategy<Value = Ratio> {
    let part = prop_oneof![1..20_u32, 1..=u32::MAX];
    (part.clone(), part).prop_map(move |(a, b)| {
        let (small, large) = (a.min(b), a.max(b));
        // Above one, or a share of one.
        let (numerator, denominator) = if from == 1 {
            (large, small)
        } else {
            (small, large)
        };
        Ratio::new(numerator, denominator).unwrap()
    })
}

fn jitter() -> impl Strategy<Value = Jitter> {
    prop_oneof![
        Just(Jitter::None),
        Just(Jitter::Full),
        Just(Jitter::Equal),
        ratio(0).prop_map(|factor| Jitter::Randomized { factor }),
    ]
}

fn ticks() -> impl Strategy<Value = u64> {
    prop_oneof![1..1_000_u64, 1..=i64::MAX as u64]
}

proptest! {
    #[test]
    fn intervals_equal_those_of_wide_integers(
        initial in ticks(), multiplier in prop_oneof![ratio(0), ratio(1)], max in ticks(),
    ) {
        let backoff = Backoff::exponential(initial, multiplier).unwrap().with_max(max).unwrap();
        let mut retry = Retry::new(&backoff);
        let mut expected = u128::from(initial.min(max));
        for attempt in 1..40 {
            let interval = u64::try_from(expected).unwrap();
            prop_assert_eq!(backoff.interval(attempt), Ok(interval));
            prop_assert_eq!(retry.next_delay(&backoff, 0, 0, Wait::NONE), Ok(interval));
            let least = if multiplier.is_above_one() { expected + 1 } else { 1 };
            let next = expected * u128::from(multiplier.numerator())
                / u128::from(multiplier.denominator().get());
            expected = next.max(least).min(max.into());
        }
    }

    #[test]
    fn a_delay_is_never_earlier_than_asked_and_never_beyond_the_maximum(
        initial in ticks(), max in ticks(), jitter in jitter(), random: u64, asked: u64,
    ) {
        let backoff = Backoff::fixed(initial)
            .and_then(|backoff| backoff.with_max(max))
            .and_then(|backoff| backoff.with_jitter(jitter))
            .unwrap();
        let own = backoff.jittered(initial.min(max), random);
        prop_assert!((1..=max).contains(&own));
        let mut retry = Retry::new(&backoff);
        let delay = retry.next_delay(&backoff, 0, random, Wait::Ticks(asked));
        prop_assert_eq!(delay, Ok(own.max(asked)));
    }

    #[test]
    fn what_is_allowed_is_never_exceeded(
        initial in ticks(), jitter in jitter(), random: u64, asked: u64, elapsed: u64,
        longest: u64, budget: u64,
    ) {
        let backoff = Backoff::fixed(initial)
            .and_then(|backoff| backoff.with_jitter(jitter))
            .unwrap()
            .with_longest_retry_after(longest)
            .with_budget(budget);
        let mut retry = Retry::new(&backoff);
        let before = retry;
        match retry.next_delay(&backoff, elapsed, random, Wait::Ticks(asked)) {
            Ok(delay) => {
                prop_assert!(asked <= longest);
                prop_assert!(u128::from(elapsed) + u128::from(delay) <= u128::from(budget));
                prop_assert_eq!(retry.retries(), 1);
            }
            Err(_) => {
                let own = backoff.jittered(initial, random);
                let needed = u128::from(elapsed) + u128::from(own.max(asked));
                prop_assert!(asked > longest || needed > budget.into());
                prop_assert_eq!(retry, before);
            }
        }
    }

    #[test]
    fn a_timer_is_never_early_and_fits_31_bits(wait: u64) {
        let millis = u64::from(timer_millis(wait));
        prop_assert!(millis <= 2_147_483_647);
        prop_assert!(millis * 1_000_000 >= wait || millis == 2_147_483_647);
        prop_assert!(millis == 0 || (millis - 1) * 1_000_000 < wait);
    }

    #[test]
    fn no_text_panics_as_a_ratio_or_a_jitter(text: String, digits in "[0-9./]{0,30}") {
        for text in [text, digits] {
            if let Ok(ratio) = text.parse::<Ratio>() {
                prop_assert_eq!(ratio.to_string().parse(), Ok(ratio));
            }
            let _ = text.parse::<Jitter>();
        }
    }
}
