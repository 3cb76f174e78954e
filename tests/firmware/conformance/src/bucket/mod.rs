//! Replaying the scenarios of a bucket.

mod perform;
mod scenario;

use tokenweir::{Bucket, BucketConfig, ClockedBucket, ManualClock};

use crate::Tally;
use crate::reader::Reader;
use perform::perform;
use scenario::{Limits, Step};

/// Replays a part of [`BUCKET`](crate::BUCKET), each scenario in the smallest bucket it fits, and again in
/// a larger one.
pub fn run(part: &[u8]) -> Tally {
    let mut tally = Tally::default();
    let mut reader = Reader::new(part);
    while !reader.is_empty() {
        let again = &mut reader.clone();
        let (steps, widest) = run_in::<8>(&mut reader);
        let (same, _) = match widest {
            0 | 1 => run_in::<1>(again),
            2 => run_in::<2>(again),
            _ => run_in::<3>(again),
        };
        assert_eq!(steps, same);
        tally.add(steps);
    }
    tally
}

/// Replays a scenario; returns the number of its steps and of the bandwidths of its widest configuration.
fn run_in<const N: usize>(reader: &mut Reader<'_>) -> (usize, usize) {
    let scenario = reader.begin();
    let wall = reader.byte() == 1;
    let limits = Limits::read(reader);
    let start = reader.instant();
    let built = limits
        .config()
        .and_then(|config| bucket::<N>(config, start, wall));
    let mut bucket = match (built, reader.error()) {
        (Ok(bucket), None) => bucket,
        (Err(code), Some(expected)) => {
            assert_eq!(code, expected, "building scenario {scenario}");
            return (0, limits.count());
        }
        (built, expected) => panic!(
            "scenario {scenario} was built with the error {:?}, expected {expected:?}",
            built.err()
        ),
    };
    let steps = reader.count();
    let mut widest = limits.count();
    for index in 0..steps {
        let step = Step::read(reader);
        if let Some(limits) = step.operation.limits() {
            widest = widest.max(limits.count());
        }
        let before = bucket;
        let answer = perform(&mut bucket, &step.operation, step.now);
        let Step { operation, now, .. } = &step;
        assert_eq!(
            answer, step.answer,
            "scenario {scenario} step {index}, {operation:?} at {now}"
        );
        if answer.is_refusal() {
            assert_eq!(
                bucket, before,
                "scenario {scenario} step {index}: a refusal changed it"
            );
        }
    }
    ends_with(&bucket, reader, scenario);
    (steps, widest)
}

/// Builds the bucket as one that is bound to a clock, where an aligned refill needs a wall clock.
fn bucket<const N: usize>(
    config: BucketConfig<N>,
    start: u64,
    wall: bool,
) -> Result<Bucket<N>, &'static str> {
    let clock = ManualClock::new(start);
    let clock = if wall { clock.into_wall() } else { clock };
    match ClockedBucket::new(config, clock) {
        Ok(clocked) => Ok(*clocked.bucket()),
        Err(error) => Err(error.code()),
    }
}

/// Compares the levels with those required at the end, where the scenario has them.
fn ends_with<const N: usize>(bucket: &Bucket<N>, reader: &mut Reader<'_>, scenario: usize) {
    let count = reader.count();
    if count == 0 {
        return;
    }
    let snapshot = bucket.snapshot();
    assert_eq!(
        snapshot.levels().len(),
        count,
        "scenario {scenario}: levels at the end"
    );
    for (index, level) in snapshot.levels().iter().enumerate() {
        let found = (level.last_refill, level.tokens, level.remainder);
        let expected = (reader.instant_nearby(), reader.signed(), reader.unsigned());
        assert_eq!(
            found, expected,
            "scenario {scenario}: level {index} at the end"
        );
    }
    let restored = Bucket::restore(*bucket.config(), &snapshot).expect("its own snapshot");
    assert_eq!(restored, *bucket, "scenario {scenario}: restored");
}
