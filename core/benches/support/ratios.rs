//! How long is measured, and ratios of the medians that criterion has just measured.

use std::path::Path;
use std::time::Duration;

use criterion::Criterion;

/// Long enough for medians that repeat.
pub(crate) fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(60)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
}

/// Prints one line for each group: our medians divided by the peer's.
pub(crate) fn print(groups: &[&str], ours: &[&str], peer: &str) {
    print!("\n{:<16}", format!("÷ {peer}"));
    ours.iter().for_each(|name| print!("{name:>16}"));
    println!("{:>16}", format!("{peer}, ns"));
    for group in groups {
        let Some(reference) = median(group, peer) else {
            continue;
        };
        print!("{group:<16}");
        for name in ours {
            match median(group, name) {
                Some(ours) => print!("{:>16.2}", ours / reference),
                None => print!("{:>16}", "-"),
            }
        }
        println!("{reference:>16.2}");
    }
}

/// The median of a benchmark of this run, in nanoseconds, as criterion stored it.
fn median(group: &str, name: &str) -> Option<f64> {
    let target = std::env::var("CARGO_TARGET_DIR")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../target").into());
    let path = Path::new(&target).join(format!("criterion/{group}/{name}/new/estimates.json"));
    let text = std::fs::read_to_string(path).ok()?;
    let estimates: serde_json::Value = serde_json::from_str(&text).ok()?;
    estimates["median"]["point_estimate"].as_f64()
}
