//! Ratios of the medians that criterion has just measured.

use std::path::Path;

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
