//! Properties of the core, against an oracle on unbounded integers that shares no code with it.
//!
//! `PROPTEST_CASES` sets the number of cases of each property. A failure is kept in
//! `runner.proptest-regressions` and tried first from then on.

mod bucket_case;
mod bucket_promise;
mod bucket_run;
mod numbers;
mod runner;

use runner::check;

#[test]
fn a_bucket_answers_as_unbounded_integers_do() {
    let wanted = [];
    check(2_000, bucket_case::case(), &wanted, |case, tally| {
        bucket_run::run(&case, tally)
    });
}
