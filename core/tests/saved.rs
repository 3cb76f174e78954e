//! Saved state: the form to the byte, what is refused, and what a power cycle buys.

use std::num::NonZeroU32;

use proptest::prelude::*;
use tokenweir::{
    Bandwidth, Bucket, CycleConfig, CycleLimiter, Permits, SavedError, TinyBucket, TinyConfig,
    Tokens,
};

const SECOND: u64 = 1_000_000_000;

fn n(n: u64) -> Tokens {
    Tokens::new(n).unwrap()
}

fn permits(n: u64) -> Permits {
    Permits::new(n).unwrap()
}

fn greedy() -> Bandwidth {
    Bandwidth::greedy(100, 7, SECOND).unwrap()
}

fn bucket() -> Bucket<1> {
    let mut bucket = Bucket::new(greedy().into(), 5);
    assert!(bucket.try_consume(n(90), 5));
    bucket
}

fn cycle() -> CycleLimiter {
    let mut limiter = CycleLimiter::new(CycleConfig::new(10, 1_000).unwrap(), 300);
    assert!(limiter.try_acquire(permits(7), 400));
    limiter
}

fn tiny() -> TinyBucket {
    let limit = Bandwidth::greedy(5, 3, 1_000).unwrap();
    let mut bucket = TinyBucket::new(TinyConfig::new(limit).unwrap(), u32::MAX);
    assert!(bucket.try_consume(NonZeroU32::new(4).unwrap(), u32::MAX));
    bucket
}

#[test]
fn the_form_is_what_the_documentation_says() {
    // Checksums and fingerprints computed independently, in Python with binascii.crc_hqx.
    let saved = bucket().save(5 + SECOND / 2);
    assert_eq!(saved[..2], [0x77, 0x11]);
    assert_eq!(saved[8..16], 13_i64.to_le_bytes());
    assert_eq!(saved[16..], 500_000_000_u64.to_le_bytes());
    assert_eq!(saved[2..8], [0x3d, 0x49, 0xc7, 0xe3, 0x3f, 0xb7]);

    let saved = cycle().save(2_310);
    assert_eq!(saved[..2], [0x77, 0x21]);
    assert_eq!(saved[8..16], 10_i64.to_le_bytes());
    assert_eq!(saved[16..], 10_u64.to_le_bytes());
    assert_eq!(saved[2..8], [0x13, 0x89, 0x22, 0xe7, 0xc2, 0xb9]);

    let saved = tiny().save(99);
    assert_eq!(saved[..2], [0x77, 0x31]);
    // 1333⅓ less 100.
    assert_eq!(saved[8..12], 1_233_u32.to_le_bytes());
    assert_eq!(saved[12..], 1_u32.to_le_bytes());
    assert_eq!(saved[2..8], [0x79, 0xb6, 0x28, 0x25, 0x12, 0x8b]);
}

#[test]
fn a_debt_and_forced_tokens_are_kept() {
    let mut bucket = bucket();
    assert!(bucket.consume_ignoring_limits(n(30), 5).is_ok());
    let loaded = Bucket::load(*bucket.config(), &bucket.save(5), None, 77).unwrap();
    assert_eq!(loaded.available(77), -20);
    bucket.force_add(n(1_000), 5);
    let loaded = Bucket::load(*bucket.config(), &bucket.save(5), Some(u64::MAX), 77).unwrap();
    assert_eq!(loaded.available(77), 980);
}

#[test]
fn every_flipped_bit_is_an_error() {
    let (bucket, cycle, tiny) = (bucket(), cycle(), tiny());
    let (saved_bucket, saved_cycle, saved_tiny) = (bucket.save(6), cycle.save(401), tiny.save(3));
    type Load<'a> = &'a dyn Fn(&[u8]) -> Option<SavedError>;
    let load: [(&[u8], Load<'_>); 3] = [
        (&saved_bucket, &|saved| {
            Bucket::load(*bucket.config(), saved, None, 0).err()
        }),
        (&saved_cycle, &|saved| {
            CycleLimiter::load(*cycle.config(), saved, None, 0).err()
        }),
        (&saved_tiny, &|saved| {
            TinyBucket::load(*tiny.config(), saved, None, 0).err()
        }),
    ];
    for (saved, error) in load {
        assert_eq!(error(saved), None);
        for bit in 0..saved.len() * 8 {
            let mut flipped = saved.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(error(&flipped).is_some(), "bit {bit}");
        }
        for length in 0..saved.len() {
            let short = SavedError::Length {
                given: length,
                expected: saved.len(),
            };
            assert_eq!(error(&saved[..length]), Some(short));
        }
        let mut long = saved.to_vec();
        long.push(0);
        assert_eq!(error(&long).unwrap().code(), "saved_length");
    }
}

#[test]
fn each_error_names_its_reason() {
    let load = |saved: &[u8]| Bucket::load(greedy().into(), saved, None, 0).map_err(|e| e.code());
    let saved = bucket().save(5);
    assert_eq!(load(&[0; 24]), Err("saved_foreign"));
    assert_eq!(load(&[0xff; 24]), Err("saved_foreign"));
    assert_eq!(load(&cycle().save(400)), Err("saved_other_limiter"));
    assert_eq!(load(&tiny().save(0)), Err("saved_other_limiter"));
    let mut newer = saved;
    newer[1] = 0x12;
    assert_eq!(load(&newer), Err("saved_newer"));
    let mut corrupt = saved;
    corrupt[20] ^= 3;
    assert_eq!(load(&corrupt), Err("saved_corrupt"));
    let other = Bandwidth::greedy(100, 8, SECOND).unwrap().into();
    assert_eq!(
        Bucket::load(other, &saved, None, 0).unwrap_err(),
        SavedError::OtherConfiguration
    );
    // The initial tokens and the id say nothing about the numbers.
    let same = greedy().with_initial_tokens(0).unwrap();
    assert!(Bucket::load(same.into(), &saved, None, 0).is_ok());
}

/// A device that is switched off and on as often as one likes, and nobody knows for how long.
#[test]
fn power_cycles_buy_nothing() {
    let limit = Bandwidth::greedy(100, 100, 86_400).unwrap();
    let interval = Bandwidth::interval(100, 100, 86_400).unwrap();
    for limit in [limit, interval] {
        let mut saved = Bucket::new(limit.into(), 0).save(0);
        let mut granted = 0;
        for _ in 0..10_000 {
            let mut bucket = Bucket::load(limit.into(), &saved, None, 0).unwrap();
            granted += u64::from(bucket.try_consume(Tokens::ONE, 1));
            saved = bucket.save(2);
        }
        // 20 000 s of life: less than a quarter of a day.
        assert_eq!(granted, if limit == interval { 100 } else { 100 + 23 });
    }
    let config = CycleConfig::new(100, 86_400).unwrap();
    let mut saved = CycleLimiter::new(config, 0).save(0);
    let mut granted = 0;
    for _ in 0..10_000 {
        let mut limiter = CycleLimiter::load(config, &saved, None, 0).unwrap();
        granted += u64::from(limiter.try_acquire(Permits::ONE, 1));
        saved = limiter.save(2);
    }
    assert_eq!(granted, 100);
}

#[test]
fn a_late_reading_can_be_saved() {
    let empty = {
        let mut tiny = tiny();
        let _ = tiny.consume_up_to(NonZeroU32::MAX, u32::MAX);
        tiny
    };
    let loaded = TinyBucket::load(*empty.config(), &empty.save(u32::MAX - 50), None, 0).unwrap();
    assert_eq!(loaded.available(0), 0);
    assert_eq!(loaded.available(1_667), 5);
    let loaded = CycleLimiter::load(*cycle().config(), &cycle().save(0), None, 0).unwrap();
    assert_eq!((loaded.available(999), loaded.available(1_000)), (3, 10));
    let limit = Bandwidth::interval(5, 5, 1_000).unwrap();
    let mut bucket = Bucket::new(limit.into(), 500);
    assert!(bucket.try_consume(n(5), 500));
    let loaded = Bucket::load(limit.into(), &bucket.save(0), None, 0).unwrap();
    assert_eq!((loaded.available(999), loaded.available(1_000)), (0, 5));
}

/// All small numbers, where instants and edges coincide in every way.
#[test]
fn edges_count_once_whether_the_power_was_on_or_off() {
    for (period, edge, start, before, off) in
        (0..5_u64.pow(5)).map(|i| (1 + i % 5, i / 5 % 5, i / 25 % 5, i / 125 % 5, i / 625 % 5))
    {
        let (saved_at, now) = (start + before, start + before + off);
        let cycles = CycleConfig::new(1, period).unwrap();
        for config in [cycles, cycles.aligned_to(edge)] {
            let config = config.with_timeout(100).unwrap();
            let mut limiter = CycleLimiter::new(config, start);
            assert!(limiter.reserve(permits(4), start).is_ok());
            let saved = limiter.save(saved_at);
            let loaded = CycleLimiter::load(config, &saved, Some(off), now).unwrap();
            for later in now..now + 7 {
                let expected = limiter.available(later);
                assert_eq!(
                    loaded.available(later),
                    expected,
                    "{config:?} {start} {saved_at} {later}"
                );
            }
        }
        let limits = [
            Bandwidth::greedy(2, 1, period),
            Bandwidth::interval(2, 1, period),
            Bandwidth::aligned(2, 1, period, edge),
        ];
        for limit in limits.map(Result::unwrap) {
            let mut bucket = Bucket::new(limit.into(), start);
            assert!(bucket.consume_ignoring_limits(n(4), start).is_ok());
            let saved = bucket.save(saved_at);
            let loaded = Bucket::load(limit.into(), &saved, Some(off), now).unwrap();
            for later in now..now + 7 {
                let expected = bucket.available(later);
                assert_eq!(
                    loaded.available(later),
                    expected,
                    "{limit:?} {start} {saved_at} {later}"
                );
            }
        }
    }
}

fn limits() -> impl Strategy<Value = Bandwidth> {
    let up_to = |bits: u32| (0..=bits).prop_flat_map(|bits| 1..=(1_u64 << bits));
    (up_to(62), up_to(62), up_to(62), 0..4_u8, 0..2_000_u64).prop_map(
        |(capacity, tokens, period, style, first)| match style {
            0 | 1 => Bandwidth::greedy(capacity, tokens, period).unwrap(),
            2 => Bandwidth::interval(capacity, tokens, period).unwrap(),
            _ => Bandwidth::aligned(capacity, tokens, period, first).unwrap(),
        },
    )
}

fn ticks() -> impl Strategy<Value = u64> {
    (0..=60_u32).prop_flat_map(|bits| 0..=(1_u64 << bits))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// With the time known, it is as if the power had never been off; the clock begins anew, except
    /// where it is that of the wall.
    #[test]
    fn a_bucket_goes_on_where_it_was(
        limit in limits(),
        (start, before, off, boot, after) in (ticks(), ticks(), ticks(), ticks(), ticks()),
        taken in ticks(),
    ) {
        let mut bucket = Bucket::new(limit.into(), start);
        let taken = n(taken.max(1));
        let _ = bucket.consume_up_to(taken, start);
        let saved_at = start + before;
        let saved = bucket.save(saved_at);
        let boot = if limit.is_aligned() { saved_at + off } else { boot };
        let loaded = Bucket::load(limit.into(), &saved, Some(off), boot).unwrap();
        let (then, now) = (saved_at + off + after, boot + after);
        prop_assert_eq!(loaded.available(now), bucket.available(then));
        prop_assert_eq!(loaded.time_to_full(now), bucket.time_to_full(then));
        prop_assert_eq!(loaded.save(now), bucket.save(then));

        // Not known: as it was, but an aligned bandwidth keeps its edges.
        let unknown = Bucket::load(limit.into(), &saved, None, boot).unwrap();
        prop_assert_eq!(unknown.available(boot), bucket.available(saved_at));
        prop_assert_eq!(unknown.save(boot), saved);
        prop_assert!(unknown.available(now) <= loaded.available(now));
    }

    #[test]
    fn a_cycle_limiter_goes_on_where_it_was(
        (limit, period, aligned) in (ticks(), ticks(), any::<bool>()),
        (start, before, off, boot, after) in (ticks(), ticks(), ticks(), ticks(), ticks()),
        taken in ticks(),
    ) {
        let config = CycleConfig::new(limit.max(1), period.max(1)).unwrap();
        let config = if aligned { config.aligned_to(777) } else { config };
        let config = config.with_timeout(i64::MAX as u64).unwrap();
        let mut limiter = CycleLimiter::new(config, start);
        let _ = limiter.reserve(permits(taken.max(1)), start);
        let saved_at = start + before;
        let saved = limiter.save(saved_at);
        let boot = if aligned { saved_at + off } else { boot };
        let loaded = CycleLimiter::load(config, &saved, Some(off), boot).unwrap();
        let (then, now) = (saved_at + off + after, boot + after);
        prop_assert_eq!(loaded.available(now), limiter.available(then));
        prop_assert_eq!(loaded.time_to_full(now), limiter.time_to_full(then));
        prop_assert_eq!(loaded.save(now), limiter.save(then));
        prop_assert_eq!(loaded.cycle(boot), 0);

        let unknown = CycleLimiter::load(config, &saved, None, boot).unwrap();
        prop_assert_eq!(unknown.available(boot), limiter.available(saved_at));
        prop_assert_eq!(unknown.save(boot), saved);
    }

    #[test]
    fn a_tiny_bucket_goes_on_where_it_was(
        (capacity, tokens, period) in (1..1_000_u64, 1..1_000_u64, 1..1_000_000_u64),
        (start, boot) in any::<(u32, u32)>(),
        (before, off, after) in (0..1_000_000_u32, 0..1_000_000_u32, 0..1_000_000_u32),
        taken in 1..1_000_u32,
    ) {
        let limit = Bandwidth::greedy(capacity, tokens, period).unwrap();
        let config = TinyConfig::new(limit).unwrap();
        let mut bucket = TinyBucket::new(config, start);
        let _ = bucket.consume_up_to(NonZeroU32::new(taken).unwrap(), start);
        let saved_at = start.wrapping_add(before);
        let saved = bucket.save(saved_at);
        let loaded = TinyBucket::load(config, &saved, Some(off.into()), boot).unwrap();
        let then = saved_at.wrapping_add(off).wrapping_add(after);
        let now = boot.wrapping_add(after);
        prop_assert_eq!(loaded.save(now), bucket.save(then));
        prop_assert_eq!(loaded.available(now), bucket.available(then));
        let unknown = TinyBucket::load(config, &saved, None, boot).unwrap();
        prop_assert_eq!(unknown.save(boot), saved);
        let forever = TinyBucket::load(config, &saved, Some(u64::MAX), boot).unwrap();
        prop_assert_eq!(u64::from(forever.available(boot)), capacity);
    }

    /// Bytes of any content: an error or a state within its limits, never a panic.
    #[test]
    fn any_bytes_are_an_error_or_a_state(mut bytes in any::<[u8; 24]>(), off in any::<Option<u64>>(), now in any::<u64>()) {
        let saved = bucket().save(5);
        bytes[..2].copy_from_slice(&saved[..2]);
        bytes[4..8].copy_from_slice(&saved[4..8]);
        let without_sum = [&bytes[..2], &bytes[4..]].concat();
        let sum = without_sum.iter().fold(u16::MAX, |crc, byte| {
            (0..8).fold(crc ^ (u16::from(*byte) << 8), |crc, _| {
                if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
            })
        });
        bytes[2..4].copy_from_slice(&sum.to_le_bytes());
        match Bucket::load(greedy().into(), &bytes, off, now) {
            Ok(bucket) => {
                let remainder = u64::from_le_bytes(bytes[16..].try_into().unwrap());
                prop_assert!(remainder < SECOND);
                let _ = (bucket.available(now), bucket.time_to_full(now), bucket.save(now));
            }
            Err(error) => prop_assert_eq!(error, SavedError::Corrupt),
        }
    }
}
