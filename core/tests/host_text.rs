//! Limits as text: what people write, what they get, and what they are told.

use tokenweir::{Bandwidth, CycleConfig, Limit, Limits};

const SECOND: u64 = 1_000_000_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const WEEK: u64 = 7 * DAY;
const MONDAY: u64 = 4 * DAY;

fn greedy(capacity: u64, tokens: u64, period: u64) -> Limit {
    Limit::bandwidth(Bandwidth::greedy(capacity, tokens, period).unwrap())
}

fn interval(tokens: u64, period: u64) -> Limit {
    Limit::bandwidth(Bandwidth::interval(tokens, tokens, period).unwrap())
}

fn aligned(tokens: u64, period: u64, edge: u64) -> Limit {
    Limit::bandwidth(Bandwidth::aligned(tokens, tokens, period, edge).unwrap()).recurring()
}

fn adaptive(tokens: u64, period: u64, edge: u64) -> Limit {
    Limit::bandwidth(Bandwidth::adaptive(tokens, tokens, period, edge).unwrap()).recurring()
}

fn cycle(limit: u64, period: u64) -> CycleConfig {
    CycleConfig::new(limit, period).unwrap()
}

#[test]
fn every_spelling_means_what_it_says() {
    let same_bandwidth = |edge: u64| Bandwidth::aligned(1000, 1000, DAY, edge).unwrap();
    let cases = [
        ("10/second", greedy(10, 10, SECOND)),
        ("10/s", greedy(10, 10, SECOND)),
        ("5/m", greedy(5, 5, MINUTE)),
        ("10 per 2 minutes", greedy(10, 10, 2 * MINUTE)),
        ("10per2minutes", greedy(10, 10, 2 * MINUTE)),
        ("  10 / 1.5 S ", greedy(10, 10, 3 * SECOND / 2)),
        ("100/s burst 200", greedy(200, 100, SECOND)),
        ("1_000/s", greedy(1_000, 1_000, SECOND)),
        ("0.5/s", greedy(1, 1, 2 * SECOND)),
        ("2.50/s", greedy(3, 5, 2 * SECOND)),
        ("0.1/day", greedy(1, 1, 10 * DAY)),
        ("10/500ms", greedy(10, 10, SECOND / 2)),
        ("7/3µs", greedy(7, 7, 3_000)),
        ("7/3\u{3bc}S", greedy(7, 7, 3_000)),
        ("7/3US", greedy(7, 7, 3_000)),
        ("1/ns", greedy(1, 1, 1)),
        ("1000/day aligned", aligned(1000, DAY, 0)),
        ("1000/day aligned at 22h", aligned(1000, DAY, 22 * HOUR)),
        ("interval 1000/day aligned", aligned(1000, DAY, 0)),
        (
            "1000/day aligned from 0s",
            Limit::bandwidth(same_bandwidth(0)),
        ),
        ("7/w aligned", aligned(7, WEEK, MONDAY)),
        ("7/14 days aligned", aligned(7, 2 * WEEK, MONDAY)),
        ("1000/day adaptive", adaptive(1000, DAY, 0)),
        ("interval 400/hour", interval(400, HOUR)),
        ("400/hour interval", interval(400, HOUR)),
        ("interval 2.5/s", interval(5, 2 * SECOND)),
        ("CYCLE 10/60s", Limit::cycle(cycle(10, MINUTE))),
        (
            "cycle 10/60s aligned",
            Limit::cycle(cycle(10, MINUTE).aligned_to(0)),
        ),
        (
            "10/60s cycle aligned at 5s",
            Limit::cycle(cycle(10, MINUTE).aligned_to(5 * SECOND)),
        ),
        (
            "cycle 1/week aligned",
            Limit::cycle(cycle(1, WEEK).aligned_to(MONDAY)),
        ),
        ("cycle: 10/s", greedy(10, 10, SECOND).named("cycle")),
        (
            r#" "per \"user\" \\ day" : 10/s"#,
            greedy(10, 10, SECOND).named(r#"per "user" \ day"#),
        ),
        (
            "9223372036854775807/9223372036854775807ns burst 1",
            greedy(1, i64::MAX as u64, i64::MAX as u64),
        ),
    ];
    for (text, limit) in cases {
        let limits = Limits::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(limits, Limits::new([limit.clone()]).unwrap(), "{text}");
        assert_eq!(text.parse(), Ok(limit), "{text}");
    }
}

#[test]
fn every_unit_has_its_usual_spellings() {
    let cases = [
        (1, "ns nsec nano nanos nanosecond nanoseconds"),
        (1_000, "us usec micros microsecond microseconds µs μs"),
        (1_000_000, "ms msec millis millisecond milliseconds MS"),
        (SECOND, "s sec secs second seconds Second S"),
        (MINUTE, "m min mins minute minutes MIN M"),
        (HOUR, "h hr hrs hour hours H"),
        (DAY, "d day days Day"),
        (WEEK, "w wk week weeks"),
    ];
    for (length, words) in cases {
        for word in words.split(' ') {
            for text in [
                format!("3/{word}"),
                format!("3 per {word}"),
                format!("3/1{word}"),
            ] {
                let parsed = text
                    .parse::<Limit>()
                    .unwrap_or_else(|error| panic!("{text}: {error}"));
                assert_eq!(parsed.period(), length, "{text}");
            }
        }
    }
}

#[test]
fn lists_are_separated_and_may_end_with_a_separator() {
    let expected = Limits::new([greedy(10, 10, SECOND), greedy(5, 5, MINUTE)]).unwrap();
    for text in [
        "10/s;5/m",
        "10/s ; 5/m ;",
        "10/s, 5/m",
        "10/s|5/m",
        "10/s;\n5/m\n",
    ] {
        assert_eq!(Limits::parse(text).as_ref(), Ok(&expected), "{text}");
    }
    let named = Limits::parse("burst: 10/s; daily: 1000/day").unwrap();
    assert_eq!((named.name(0), named.name(1)), ("burst", "daily"));
    assert_eq!(named.position("daily"), Some(1));
}

#[test]
fn a_limit_without_a_name_is_called_by_its_text() {
    let limits = Limits::parse("10/1s; 10 per second; cycle 10/60s; x: 1/s").unwrap();
    let names: Vec<_> = (0..=limits.len()).map(|index| limits.name(index)).collect();
    assert_eq!(names, ["10/s", "10/s #2", "cycle 10/min", "x", ""]);
    // Not even a name that looks like such a text is used twice.
    let limits = Limits::parse(r#"10/s; "10/s": 20/s"#).unwrap();
    assert_eq!((limits.name(0), limits.name(1)), ("10/s #2", "10/s"));
}

#[test]
fn formatting_is_short() {
    let cases = [
        ("10 per 60 seconds", "10/min"),
        ("10/90s burst 10", "10/90s"),
        ("0.5/s", "1/2s"),
        ("2.5/s", "5/2s burst 3"),
        (
            "a:10/7d initial 3|b:cycle 1/120min aligned",
            "a: 10/w initial 3; b: cycle 1/2h aligned",
        ),
        ("\"a\": 1/s", "a: 1/s"),
        ("\"a b\": 1/s", "\"a b\": 1/s"),
        (
            "5/day adaptive at 1.5h burst 6",
            "5/d burst 6 adaptive at 90min",
        ),
        ("5/day aligned from 1ns", "5/d aligned from 1ns"),
    ];
    for (text, formatted) in cases {
        assert_eq!(Limits::parse(text).unwrap().to_string(), formatted);
    }
}

#[test]
fn errors_name_the_column_and_what_was_expected() {
    let unit = "a unit of time (ns, us, ms, s, min, h, d, w)";
    let amount = "an amount above 0, at most 9223372036854775807";
    let period = "a period of 1 ns to 292 years in all";
    let words = "`burst`, `initial`, `interval`, `cycle`, `aligned`, `adaptive`, `;` or the end of the text";
    let limit = "a limit, such as 10/s";
    let cases = [
        ("", 1, limit, None),
        ("   ", 4, limit, None),
        (";", 1, limit, Some(";")),
        ("10/s;;5/m", 6, limit, Some(";")),
        ("fast", 1, limit, Some("fast")),
        ("-1/s", 1, limit, Some("-")),
        ("10", 3, "`/` or `per`", None),
        ("10 s", 4, "`/` or `per`", Some("s")),
        ("10/", 4, unit, None),
        ("10/month", 4, unit, Some("month")),
        ("é: 10/s", 1, limit, Some("é")),
        ("\"é\": 10/ß", 9, unit, Some("ß")),
        ("10/5", 5, unit, None),
        ("10/s 20", 6, words, Some("20")),
        ("10/s brust 20", 6, words, Some("brust")),
        ("10/s burst", 11, "a whole number of tokens", None),
        (
            "10/s burst 1.5",
            12,
            "a whole number of tokens",
            Some("1.5"),
        ),
        (
            "10/s burst 1 burst 2",
            14,
            "each word at most once",
            Some("burst"),
        ),
        ("10/s burst 0", 12, amount, Some("0")),
        ("0/s", 1, amount, Some("0")),
        (
            "9223372036854775808/s",
            1,
            amount,
            Some("9223372036854775808"),
        ),
        ("10/0s", 4, period, Some("0")),
        ("10/300000d", 4, period, Some("300000")),
        ("0.000001/day", 10, period, Some("day")),
        ("10/1.5ns", 4, "a whole number of nanoseconds", Some("1.5")),
        ("10/1.s", 6, "a digit after the point", Some("s")),
        (
            "1/d aligned at 9999999d",
            16,
            "a time at most 584 years after the epoch",
            Some("9999999"),
        ),
        (
            "1/d aligned adaptive",
            5,
            "`aligned` or `adaptive`, not both",
            Some("aligned"),
        ),
        (
            "1/d initial 1 adaptive",
            13,
            "no initial tokens, which `adaptive` computes",
            Some("1"),
        ),
        (
            "cycle 1/d burst 7",
            17,
            "no word but `aligned` with `cycle`",
            Some("7"),
        ),
        (
            "a: 1/s; a: 2/s",
            9,
            "a name that no limit before it has",
            Some("a"),
        ),
        ("\"\": 1/s", 1, "a name of 1 to 128 bytes", Some("\"")),
        ("\"a: 1/s", 8, "`\"` at the end of the name", None),
        ("\"a\" 1/s", 5, "`:` after the name", Some("1")),
    ];
    for (text, column, expected, found) in cases {
        let error = Limits::parse(text).expect_err(text);
        assert_eq!(
            (error.column, error.expected, error.found.as_deref()),
            (column, expected, found),
            "{text}"
        );
        assert_eq!(error.code(), "limit_syntax");
    }
    let many = "1/s;".repeat(33);
    assert_eq!(Limits::parse(&many[..128]).unwrap().len(), 32);
    let error = Limits::parse(&many).unwrap_err();
    assert_eq!((error.column, error.expected), (129, "at most 32 limits"));
    let error = Limits::parse(&"9".repeat(10_000)).unwrap_err();
    assert_eq!(error.expected, "a number below 10^38");
    assert_eq!(error.found.unwrap().len(), 32);
}
