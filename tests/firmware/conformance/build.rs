//! Writes the recorded scenarios of `tests/vectors` in the compact form of `src/format.rs`.

#[path = "build/bucket.rs"]
mod bucket;
#[path = "build/cycle.rs"]
mod cycle;
#[path = "src/format.rs"]
#[allow(dead_code, reason = "part of it serves reading only")]
mod format;
#[path = "build/json.rs"]
mod json;
#[path = "build/writer.rs"]
mod writer;

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

/// Why a scenario or a step is not written: a number that Rust's types rule out, or another library's
/// stores. The tests of the core count them.
struct LeftOut;

/// Reads a file of `tests/vectors` and encodes those of its scenarios that can be.
fn encode(file: &str, scenario: fn(&Value) -> Result<Vec<u8>, LeftOut>) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../vectors")
        .join(file);
    println!("cargo:rerun-if-changed={}", path.display());
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let json: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let scenarios = json["scenarios"].as_array().expect("a list of scenarios");
    let numbered = scenarios.iter().enumerate();
    let encoded = numbered.filter_map(|(index, value)| {
        let mut bytes = Vec::new();
        writer::unsigned(&mut bytes, index as u64);
        bytes.extend(scenario(value).ok()?);
        Some(bytes)
    });
    encoded.collect()
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=src/format.rs");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    let write =
        |name: &str, bytes: &[u8]| fs::write(out.join(name), bytes).expect("OUT_DIR is writable");

    write(
        "cycle.bin",
        &encode("resilience4j.json", cycle::scenario).concat(),
    );

    // In halves, as not all boards have the memory for the whole.
    let scenarios = encode("bucket4j.json", bucket::scenario);
    let total: usize = scenarios.iter().map(Vec::len).sum();
    let mut halves = [Vec::new(), Vec::new()];
    for scenario in scenarios {
        let half = usize::from(halves[0].len() >= total / 2);
        halves[half].extend(scenario);
    }
    write("bucket_1.bin", &halves[0]);
    write("bucket_2.bin", &halves[1]);
}
