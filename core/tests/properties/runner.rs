//! How properties are run, and how it is shown that they met what they are for.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestCaseResult, TestRunner};

/// Counts how often something was met, over all cases of a property.
#[derive(Default)]
pub(crate) struct Tally(RefCell<BTreeMap<&'static str, u64>>);

impl Tally {
    /// Notes that something was met.
    pub(crate) fn note(&self, what: &'static str) {
        *self.0.borrow_mut().entry(what).or_default() += 1;
    }

    /// Notes it if it is so.
    pub(crate) fn note_if(&self, met: bool, what: &'static str) {
        if met {
            self.note(what);
        }
    }
}

/// Runs `property` on `cases` cases of `strategy`, or on as many as `PROPTEST_CASES` says.
///
/// Afterwards each of `wanted` must have been met so many times per thousand cases: a generator
/// that no longer leads there would otherwise leave a property that holds of nothing. Shares are a
/// fraction of what is met in fact, and are not asked of a run with few cases.
pub(crate) fn check<S: Strategy>(
    cases: u32,
    strategy: S,
    wanted: &[(&'static str, u64)],
    property: impl Fn(S::Value, &Tally) -> TestCaseResult,
) {
    let mut config = ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource(
            "proptest-regressions",
        ))),
        source_file: Some(file!()),
        max_shrink_iters: 100_000,
        ..ProptestConfig::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    let cases = u64::from(config.cases);
    let tally = Tally::default();
    let result = TestRunner::new(config).run(&strategy, |case| property(case, &tally));
    if let Err(error) = result {
        panic!("{error}");
    }
    let met = tally.0.into_inner();
    println!("met in {cases} cases: {met:#?}");
    for (what, share) in wanted {
        let met = met.get(what).copied().unwrap_or(0);
        assert!(
            cases < 600 || met * 1_000 >= share * cases,
            "{what}: met {met} times in {cases} cases, wanted {share} per thousand",
        );
    }
}
