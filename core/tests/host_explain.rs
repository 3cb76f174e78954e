//! What limits allow, in words.

use tokenweir::Limits;

fn explained(text: &str) -> String {
    Limits::parse(text).expect("limits").explain()
}

#[test]
fn several_limits_are_explained_each_and_together() {
    assert_eq!(
        explained("100/s burst 200; login: cycle 10/min; 10000/day aligned at 22h"),
        "\
100/s burst 200
  A bucket for 200 tokens, a new one full; they come back evenly, 100 in 1 s.
  Burst: 200 at once; a call for more is never granted.
  Sustained rate: 100 in 1 s, or one every 10 ms.
  Worst case: the burst and all that comes back meanwhile, 300 in any 1 s.
  Recovery: an empty one has a token after 10 ms and is full after 2 s.

login: cycle 10/min
  A count that is set to 10, every 1 min, counted from when the limiter is made; what is left of it then is lost.
  Burst: 10 at once; a call for more is never granted.
  Sustained rate: 10 in 1 min.
  Worst case: just before an edge and just after it, 20 in a moment.
  Recovery: when none is left, all are back after 1 min at most.

10000/d aligned at 22h
  A bucket for 10000 tokens, a new one full; 10000 come back at once, every day at 22:00 UTC.
  Burst: 10000 at once; a call for more is never granted.
  Sustained rate: 10000 in 1 day.
  Worst case: just before an edge and just after it, 20000 in a moment.
  Recovery: an empty one has 10000 after 1 day at most.

All of them together
At once        at most    10, by login
In any 1 s     at most    20, by login
In any 1 min   at most    20, by login
In any 1 h     at most   610, by login
In any 1 day   at most 14410, by login
"
    );
}

#[test]
fn what_is_special_about_a_limit_is_said() {
    let cases = [
        ("3/s", "one every 333.333334 ms (rounded up)."),
        ("1/s", "  A bucket for 1 token, a new one full;"),
        ("10/s initial 0", "for 10 tokens, a new one with 0;"),
        ("10/s initial 50", "10 at once, 50 from a new one;"),
        ("10/s initial 50", "60 in any 1 s."),
        (
            "10/day adaptive",
            "a new one with the share that is due until its first edge;",
        ),
        (
            "interval 400/h burst 1000",
            "has 400 after 1 h at most and is full after 3 h.",
        ),
        (
            "interval 10/h burst 4",
            "  Sustained rate: 4 in 1 h, since more does not fit.",
        ),
        (
            "5/d aligned from 1s",
            "first 1s after the Unix epoch, then every 1 day.",
        ),
        (
            "cycle 5/w aligned",
            "every Monday at 00:00 UTC; what is left",
        ),
        ("9000000000000000000/200w burst 1", "1000000001 in any 1 s."),
        (
            "1/500w burst 9000000000000000000",
            "is full after more than 292 years.",
        ),
        (
            "3/s",
            "\n\nAt once        at most      3\nIn any 1 s     at most      6\n",
        ),
    ];
    for (limits, words) in cases {
        let text = explained(limits);
        assert!(text.contains(words), "{words}: {text}");
    }
}
