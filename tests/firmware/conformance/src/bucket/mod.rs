//! Replaying the scenarios of a bucket.

mod perform;
mod scenario;
mod simple;

use tokenweir::{Bucket, BucketConfig, ClockedBucket, ManualClock};

use crate::Tally;
use crate::reader::Reader;
use perform::perform;
use scenario::{Header, Step};

pub use simple::{run_atomic, run_tiny};

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
    let header = Header::read(reader);
    let scenario = header.scenario;
    let mut widest = header.limits.count();
    let built = header.limits.config();
    let built = built.and_then(|config| bucket::<N>(config, header.start, header.wall));
    let mut bucket = match (built, header.fails) {
        (Ok(bucket), None) => bucket,
        (Err(code), Some(expected)) => {
            assert_eq!(code, expected, "building scenario {scenario}");
            return (0, widest);
        }
        (built, expected) => panic!(
            "scenario {scenario} was built with the error {:?}, expected {expected:?}",
            built.err()
        ),
    };
    for index in 0..header.steps {
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
    let levels = header.read_levels(reader);
    if !levels.is_empty() {
        let snapshot = bucket.snapshot();
        assert_eq!(snapshot.levels(), levels, "scenario {scenario} at the end");
        let restored = Bucket::restore(*bucket.config(), &snapshot).expect("its own snapshot");
        assert_eq!(restored, bucket, "scenario {scenario} restored");
    }
    (header.steps, widest)
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
