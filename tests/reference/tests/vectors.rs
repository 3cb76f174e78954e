//! Every recorded scenario, against the models. The counts are here so that a file that is empty, or of which a
//! part is passed over, does not count as a success.

use std::path::Path;
use tokenweir_reference::vectors::{Report, run_buckets, run_cycles};

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../vectors")
        .join(file);
    std::fs::read_to_string(path).expect("the vectors can be read")
}

fn assert_holds(mut report: Report, counts: Report) {
    let failures = std::mem::take(&mut report.failures);
    let shown = failures
        .iter()
        .take(20)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("\n");
    assert!(failures.is_empty(), "{} failures:\n{shown}", failures.len());
    assert_eq!(report, counts);
}

#[test]
fn every_bucket_scenario_holds() {
    let report = run_buckets(&read("bucket4j.json")).expect("the vectors can be understood");
    // Left out: three scenarios of a shared store entry and three records in another library's format.
    let counts = Report {
        scenarios: 863,
        rejected: 25,
        steps: 18_922,
        skipped: 22,
        final_states: 836,
        ..Report::default()
    };
    assert_holds(report, counts);
}

#[test]
fn every_cycle_scenario_holds() {
    let report = run_cycles(&read("resilience4j.json")).expect("the vectors can be understood");
    // Left out: one count of parked threads.
    let counts = Report {
        scenarios: 506,
        rejected: 11,
        steps: 13_091,
        skipped: 1,
        available: 12_637,
        drains: 21,
        ..Report::default()
    };
    assert_holds(report, counts);
}

#[test]
fn a_wrong_expectation_is_noticed() {
    let bucket = read("bucket4j.json").replacen(r#""result":true"#, r#""result":false"#, 1);
    let cycle = read("resilience4j.json").replacen(r#""result":true"#, r#""result":false"#, 1);
    assert_eq!(
        run_buckets(&bucket).map(|report| report.failures.len()),
        Ok(1)
    );
    assert_eq!(
        run_cycles(&cycle).map(|report| report.failures.len()),
        Ok(1)
    );
}
