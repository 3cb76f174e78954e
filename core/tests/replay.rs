//! The replay example as its users run it: the figures of the shipped log, and what goes wrong.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

/// The example, built as this test is.
static REPLAY: LazyLock<PathBuf> = LazyLock::new(|| {
    let mut build = Command::new(env!("CARGO"));
    build
        .args([
            "build",
            "-p",
            "tokenweir",
            "--example",
            "replay",
            "--features",
            "std",
        ])
        .args(["--message-format", "json-render-diagnostics"])
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    let built = build.stderr(Stdio::inherit()).output().expect("cargo runs");
    let messages = String::from_utf8(built.stdout).expect("text");
    let executable = messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).expect("a message");
        let is_example =
            message["target"]["name"] == "replay" && message["target"]["kind"][0] == "example";
        is_example.then(|| message["executable"].as_str().map(PathBuf::from))?
    });
    executable.expect("the example is built")
});

const LOG: &str = "tests/data/access.log";

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(&*REPLAY)
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // One that refuses its arguments does not read.
    let _ = child
        .stdin
        .take()
        .expect("piped")
        .write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

/// What it prints where all is well.
fn report(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    assert_eq!(stderr, "");
    String::from_utf8(output.stdout).expect("text")
}

/// What it says where something is wrong: status 2, and nothing on standard output.
fn refusal(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert_eq!(output.stdout, b"", "{arguments:?}");
    String::from_utf8(output.stderr).expect("text")
}

fn lines_after<'a>(report: &'a str, heading: &str) -> Vec<&'a str> {
    let after = report.lines().skip_while(|line| !line.starts_with(heading));
    after.skip(1).take_while(|line| !line.is_empty()).collect()
}

#[test]
fn the_shipped_log_gives_the_known_figures() {
    let cases = [
        (
            "10/min",
            "admitted=8987 refused=1013 keys=1753 keys_refused=54",
        ),
        (
            "100/hour; 5/10s",
            "admitted=9587 refused=413 keys=1753 keys_refused=35",
        ),
        (
            "cycle 10/60s",
            "admitted=8394 refused=1606 keys=1753 keys_refused=76",
        ),
    ];
    for (limit, figures) in cases {
        let report = report(&[LOG, "--limit", limit, "--key", "client"], "");
        assert_eq!(report.lines().next(), Some(figures), "{limit}");
        let most_refused = lines_after(&report, "Most refused");
        // A heading, ten clients, and how many there are beyond them.
        assert_eq!(most_refused.len(), 12, "{report}");
        let waits: usize = lines_after(&report, "Wait until")
            .iter()
            .map(|line| {
                line.split_whitespace()
                    .nth(2)
                    .expect("a count")
                    .parse::<usize>()
                    .expect("a number")
            })
            .sum();
        let refused = figures.split(['=', ' ']).nth(3).expect("a count");
        assert_eq!(waits.to_string(), refused, "{report}");
    }
}

#[test]
fn clients_are_listed_by_refusals_and_limits_by_what_they_refused() {
    let report = report(&[LOG, "--limit", "100/hour; 5/10s"], "");
    assert_eq!(
        lines_after(&report, "Refused by"),
        ["  refused  limit", "        0  100/h", "      413  5/10s"]
    );
    let refused: Vec<usize> = lines_after(&report, "Most refused")[1..11]
        .iter()
        .map(|line| {
            line.split_whitespace()
                .next()
                .expect("a count")
                .parse()
                .expect("a number")
        })
        .collect();
    assert_eq!(refused[0], 134);
    assert!(refused.is_sorted_by(|one, next| one >= next), "{report}");
}

#[test]
fn standard_input_time_zones_and_order_are_understood() {
    // The same second in three zones, not in order; the fourth is a second later.
    let log = r#"10.0.0.1 - - [17/May/2015:10:00:01 +0000] "GET /a HTTP/1.1" 200 5
10.0.0.1 - jo hn [17/May/2015:12:00:00 +0200] "GET /b?c HTTP/1.1" 200 - "http://x/\"[\"" "agent"

10.0.0.1 - - [17/May/2015:04:30:00 -0530] "GET /c HTTP/1.1" 304 0
::1 - - [17/May/2015:10:00:00 +0000] "-" 408 -
"#;
    let by_client = report(&["-", "--limit", "interval 1/s"], log);
    assert_eq!(
        by_client.lines().next(),
        Some("admitted=3 refused=1 keys=2 keys_refused=1")
    );
    assert!(by_client.contains("time      2015-05-17 10:00:00 to 2015-05-17 10:00:01 UTC"));
    assert!(by_client.contains("requests  4 in standard input"));
    assert_eq!(
        lines_after(&by_client, "Most refused")[1],
        "        1         2         1.0 s  10.0.0.1"
    );
    let figures = |key| {
        report(&["-", "--limit", "1/s", "--key", key], log)
            .lines()
            .next()
            .map(str::to_owned)
    };
    let expected = |text: &str| Some(text.to_owned());
    assert_eq!(
        figures("all"),
        expected("admitted=2 refused=2 keys=1 keys_refused=1")
    );
    assert_eq!(
        figures("path"),
        expected("admitted=4 refused=0 keys=4 keys_refused=0")
    );
    assert_eq!(
        figures("status"),
        expected("admitted=4 refused=0 keys=3 keys_refused=0")
    );
}

#[test]
fn bad_lines_are_counted_with_their_numbers() {
    let good = r#"h - - [17/May/2015:10:00:01 +0000] "GET / HTTP/1.1" 200 5"#;
    let log = [
        good,
        "nonsense",
        r#" [17/May/2015:10:00:01 +0000] "GET / HTTP/1.1" 200 5"#,
        r#"h - - [17/May/2015:10:00:01 +0000"#,
        r#"h - - [31/Feb/2015:10:00:01 +0000] "GET / HTTP/1.1" 200 5"#,
        r#"h - - [17/May/1915:10:00:01 +0000] "GET / HTTP/1.1" 200 5"#,
        r#"h - - [17/May/2015:10:00:01 +0000] GET"#,
        r#"h - - [17/May/2015:10:00:01 +0000] "GET / HTTP/1.1"#,
        r#"h - - [17/May/2015:10:00:01 +0000] "GET / HTTP/1.1" OK 5"#,
        good,
    ]
    .join("\r\n");
    let report = report(&["-", "--limit", "2/s"], &log);
    assert_eq!(
        report.lines().next(),
        Some("admitted=2 refused=0 keys=1 keys_refused=0")
    );
    assert_eq!(
        lines_after(&report, "Bad lines, left out: 8"),
        [
            "  line 2: no time in brackets",
            "  line 3: no client before the time",
            "  line 4: no end of the time",
            "  line 5: the time is not one, such as 17/May/2015:10:05:03 +0000",
            "  line 6: the time is outside the years 1970 to 2554",
            "  line 7: no request in quotes",
            "  line 8: no end of the request",
            "  line 9: no status after the request",
        ]
    );
    assert!(report.ends_with("Nothing was refused.\n"));
}

#[test]
fn what_cannot_be_replayed_is_said_on_standard_error_with_status_2() {
    let missing = refusal(&["no/such.log", "--limit", "1/s"], "");
    assert!(
        missing.starts_with("replay: cannot read no/such.log: "),
        "{missing}"
    );
    assert_eq!(
        refusal(&["-", "--limit", "1/s"], "\n"),
        "replay: standard input is empty\n"
    );
    assert_eq!(
        refusal(&["-", "--limit", "1/s"], "\nnonsense\n"),
        "replay: standard input has no request in Common or Combined Log Format; line 2: no time in \
         brackets\n"
    );
    assert_eq!(
        refusal(&[LOG, "--limit", "10/min; 5/fortnight"], ""),
        "replay: --limit, column 11: expected a unit of time (ns, us, ms, s, min, h, d, w), found \
         \"fortnight\"\n  10/min; 5/fortnight\n            ^\n"
    );
    assert_eq!(
        refusal(&[LOG], ""),
        "replay: --limit is needed; see --help\n"
    );
    assert_eq!(
        refusal(&["--limit", "1/s"], ""),
        "replay: a log file is needed; see --help\n"
    );
    assert_eq!(
        refusal(&[LOG, "--limit", "1/s", "--key", "color"], ""),
        "replay: --key is client, path, status or all, not \"color\"\n"
    );
    assert!(refusal(&[LOG, "--limits", "1/s"], "").contains("--limits"));
    assert!(report(&["--help"], "").starts_with("Replays a web server's log"));
}
