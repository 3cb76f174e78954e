//! Properties of the core, against an oracle on unbounded integers that shares no code with it.
//!
//! `PROPTEST_CASES` sets the number of cases of each property. A failure is kept in
//! `runner.proptest-regressions` and tried first from then on.

mod bucket_case;
mod bucket_limits;
mod bucket_promise;
mod bucket_run;
mod cycle_case;
mod cycle_run;
mod narrow;
mod numbers;
mod runner;

use runner::check;

/// Every answer, and the whole state after every step, for lives of any kind; and the promise for every
/// decision and debt.
#[test]
fn a_bucket_answers_as_unbounded_integers_do() {
    let met = [
        ("several bandwidths", 200),
        ("more than a token per tick", 100),
        ("decided in one word", 500),
        ("decided wide", 150),
        ("granted", 300),
        ("a wait kept", 200),
        ("a wait beyond the last tick", 20),
        ("never, above the capacity", 300),
        ("never, too long a wait", 30),
        ("debt", 800),
        ("a debt repaid in time", 300),
        ("over-full", 600),
        ("forced up to i64::MAX", 20),
        ("reserved at the limit", 30),
        ("reservation not in time", 100),
        ("reservation overflow", 30),
        ("cancelled", 25),
        ("cancelled too late", 20),
        ("cancelled by a stale clock", 3),
        ("clock back", 700),
        ("gap of years", 150),
        ("near tick 0", 1_000),
        ("near the last tick", 300),
        ("edge before tick 0", 90),
        ("greedy refill from before tick 0", 10),
        ("part of a token restored", 600),
        ("part of a token kept as is", 25),
        ("part of a token kept in growth", 25),
        ("part of a token scaled", 50),
        ("reset by replacement", 80),
        ("between greedy and edges", 200),
        ("debt carried over", 80),
        ("debt scaled to the deepest", 3),
    ];
    check(2_000, bucket_case::case(), &met, |case, tally| {
        bucket_run::run(&case, tally)
    });
}

/// The same for greedy bandwidths whose capacity in units is next to the bound of the short cut.
#[test]
fn both_sides_of_the_narrow_bound_answer_as_unbounded_integers_do() {
    let met = [
        ("several bandwidths", 200),
        ("decided in one word", 2_500),
        ("decided wide", 2_000),
        ("granted", 1_000),
        ("a wait kept", 800),
        ("debt", 300),
        ("over-full", 300),
        ("clock back", 800),
        ("gap of years", 300),
        ("part of a token restored", 1_300),
    ];
    check(700, narrow::case(), &met, |case, tally| {
        bucket_run::run(&case, tally)
    });
}

/// Needs no oracle: scaling tokens and period by one factor is no change of the rate.
#[test]
fn the_same_rate_in_one_word_and_in_more_answers_alike() {
    let met = [
        ("twins on both sides", 900),
        ("twins grant", 1_500),
        ("twins refuse", 2_000),
        ("twins with part of a token", 600),
    ];
    check(700, narrow::twins(), &met, |twins, tally| {
        narrow::alike(&twins, tally)
    });
}

/// Every answer, and what the state says about now and about a reading that is earlier than all, after
/// every step; and the promise for every refusal.
#[test]
fn a_cycle_limiter_answers_as_unbounded_integers_do() {
    let met = [
        ("a wait kept", 120),
        ("never, above the limit", 500),
        ("a reservation's wait kept", 180),
        ("a reservation's wait kept above the limit", 90),
        ("never reserved", 400),
        ("reserved at the limit", 8),
        ("debt", 800),
        ("cancelled", 60),
        ("cancelled too late", 90),
        ("cancelled by a stale clock", 12),
        ("drained", 180),
        ("above a lowered limit", 300),
        ("new cycles", 400),
        ("newly aligned", 200),
        ("new cycles with a debt", 60),
        ("aligned to an edge ahead", 130),
        ("first edge within a period of tick 0", 40),
        ("clock back", 800),
        ("gap of years", 200),
        ("near tick 0", 600),
        ("near the last tick", 450),
    ];
    check(1_500, cycle_case::case(), &met, |case, tally| {
        cycle_run::run(&case, tally)
    });
}
