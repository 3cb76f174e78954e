//! Replays the corpus of the fuzz targets, which `make fuzz` extends.

use std::fs;
use std::path::Path;

#[path = "../fuzz/src/http.rs"]
mod http;
#[path = "../fuzz/src/limits.rs"]
mod limits;
#[path = "../fuzz/src/state.rs"]
mod state;
#[path = "../fuzz/src/timeline.rs"]
mod timeline;

fn replay(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let files =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut count = 0;
    for file in files {
        let path = file.expect("a file").path();
        println!("{}", path.display());
        run(&fs::read(&path).expect("a file"));
        count += 1;
    }
    assert!(count >= 10, "{target}: {count} inputs, expected more");
}

#[test]
fn limits_as_text() {
    replay("limits", limits::run);
}

#[test]
fn stored_state() {
    replay("state", state::run);
}

#[test]
fn fields_and_addresses() {
    replay("http", http::run);
}

#[test]
fn timelines_of_commands() {
    replay("timeline", timeline::run);
}
