//! The fields are read as the crate sfv reads them.
#![cfg(feature = "alloc")]

use proptest::prelude::*;
use sfv::{BareItem, Dictionary, Item, List, ListEntry, Parser};
use tokenweir::http::Received;

/// What both readers find: name, limit, remaining and reset in nanoseconds.
type Limit = (Option<String>, Option<u64>, Option<u64>, Option<u64>);

/// Name, quota, window and partition key.
type Policy = (String, u64, Option<u64>, Option<Vec<u8>>);

fn integer(item: &BareItem) -> Option<u64> {
    u64::try_from(i64::from(item.as_integer()?)).ok()
}

fn nanos(seconds: u64) -> u64 {
    seconds.saturating_mul(1_000_000_000)
}

/// The value of a parameter, if it has one; `None` if that is of another kind.
fn parameter<T>(
    item: &Item,
    key: &str,
    kind: impl Fn(&BareItem) -> Option<T>,
) -> Option<Option<T>> {
    match item.params.get(key) {
        Some(value) => kind(value).map(Some),
        None => Some(None),
    }
}

fn list(text: &[u8]) -> Option<Vec<Item>> {
    let list = Parser::new(text).parse::<List>().ok()?;
    let items = list.into_iter().map(|entry| match entry {
        ListEntry::Item(item) => Some(item),
        ListEntry::InnerList(_) => None,
    });
    items.collect()
}

fn bytes(item: &BareItem) -> Option<Vec<u8>> {
    item.as_byte_sequence().map(<[u8]>::to_vec)
}

fn draft(text: &[u8]) -> Option<Vec<Limit>> {
    let limits: Option<Vec<Limit>> = list(text)?
        .iter()
        .map(|item| {
            let name = item.bare_item.as_string()?.as_str().to_owned();
            let remaining = parameter(item, "r", integer)??;
            let reset = parameter(item, "t", integer)?.map(nanos);
            parameter(item, "pk", bytes)?;
            Some((Some(name), None, Some(remaining), reset))
        })
        .collect();
    limits.filter(|limits| !limits.is_empty())
}

fn draft_7(text: &[u8]) -> Option<Vec<Limit>> {
    let fields = Parser::new(text).parse::<Dictionary>().ok()?;
    let value = |key: &str| match fields.get(key) {
        Some(ListEntry::Item(item)) => Some(Some(integer(&item.bare_item)?)),
        Some(ListEntry::InnerList(_)) => None,
        None => Some(None),
    };
    let (limit, reset) = (value("limit")??, value("reset")??);
    Some(vec![(
        None,
        Some(limit),
        value("remaining")?,
        Some(nanos(reset)),
    )])
}

fn policies(text: &[u8]) -> Option<Vec<Policy>> {
    let items = list(text)?;
    let policies = items.iter().map(|item| {
        let (name, quota) = match &item.bare_item {
            BareItem::String(name) => (name.as_str().to_owned(), parameter(item, "q", integer)??),
            value => (String::new(), integer(value)?),
        };
        parameter(item, "qu", |unit| unit.as_string().map(|_| ()))?;
        let window = parameter(item, "w", |window| integer(window).filter(|w| *w > 0))?;
        Some((name, quota, window, parameter(item, "pk", bytes)?))
    });
    policies.collect()
}

/// Members with what they need and more, and at times one piece that may break the field.
fn field(member: &'static str, needed: &'static [&'static str]) -> impl Strategy<Value = String> {
    let more = prop::sample::select(&PARAMETERS[..]);
    let parameters = (
        prop::sample::select(needed),
        prop::collection::vec(more, 0..3),
    )
        .prop_map(|(needed, more)| needed.to_owned() + &more.concat());
    let members = prop::collection::vec((member, parameters), 0..3).prop_map(|members| {
        let members: Vec<_> = members
            .into_iter()
            .map(|(name, rest)| name + &rest)
            .collect();
        members.join(", ")
    });
    let piece = prop_oneof![
        prop::sample::select(&PARAMETERS[..]),
        prop::sample::select(&BREAKING[..])
    ];
    (
        members,
        prop::option::of((piece, any::<prop::sample::Index>())),
    )
        .prop_map(|(mut text, piece)| {
            if let Some((piece, at)) = piece {
                // Often at the end of a parameter, where most pieces belong.
                let ends: Vec<_> = (0..=text.len())
                    .filter(|at| {
                        matches!(text.as_bytes().get(*at), None | Some(b';' | b',' | b' '))
                    })
                    .collect();
                text.insert_str(*at.get(&ends), piece);
            }
            text
        })
}

/// As a parameter of any item, all of these are well-formed.
const PARAMETERS: [&str; 22] = [
    ";r=0",
    ";r=7",
    ";t=5",
    ";t=0",
    ";q=9",
    ";w=60",
    ";pk=:Zg==:",
    ";pk=:Zh:",
    ";x",
    ";x=1.5",
    ";x=-123456789012.123",
    ";x=to/ke:n",
    ";x=?1",
    ";x=@-1",
    ";x=%\"f%c3%bc\"",
    ";x=::",
    ";qu=\"requests\"",
    ";t=999999999999999",
    "; r=4",
    ";r=1;r=2",
    ";x=\"\\\"\\\\\"",
    ";*-._=*a",
];

/// Most of these break a field, or the rules for one of its parameters.
const BREAKING: [&str; 44] = [
    " ",
    "\t",
    ";",
    "=",
    "\"",
    "\\",
    "(",
    ")",
    ":",
    "-",
    ".",
    "1",
    "0",
    "a",
    "A",
    "\u{e9}",
    "%",
    "?",
    "@",
    "*",
    "\u{7f}",
    ",",
    ", ",
    ", x",
    ";r=-1",
    ";r=0.0",
    ";r",
    ";t=1000000000000000",
    ";t=\"5\"",
    ";x=1.2345",
    ";x=1234567890123.1",
    ";x=1.",
    ";x=%\"%ff\"",
    ";x=%\"%C3%BC\"",
    ";x=\"\\n\"",
    ";X=1",
    ";pk=\"\"",
    ";pk=:Z:",
    ";pk=:Zg=",
    ";pk=:Z-==:",
    ";w=0",
    ";qu=x",
    ";x=?2",
    ";x=@1.0",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn limits_are_those_of_sfv(
        text in prop_oneof![
            field("\"[a-z ]{0,2}\"", &[";r=0", ";r=3;t=7"]),
            field("limit=[0-9]{1,2}|x=\\(1 \"b\";x \\)|y", &[", reset=3", ", remaining=0, reset=5"]),
        ],
    ) {
        let trimmed = text.trim_matches([' ', '\t']).as_bytes();
        let expected = draft(trimmed).or_else(|| draft_7(trimmed)).unwrap_or_default();
        let received = Received::parse([("RateLimit", &text)], 0);
        let found: Vec<Limit> = received
            .limits
            .into_iter()
            .map(|limit| (limit.name, limit.limit, limit.remaining, limit.reset))
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn policies_are_those_of_sfv(
        text in field("\"[a-z ]{0,2}\";q=5|[0-9]{1,2}|\\(\\)", &["", ";w=60"]),
    ) {
        let trimmed = text.trim_matches([' ', '\t']).as_bytes();
        let received = Received::parse([("RateLimit-Policy", &text)], 0);
        let found: Vec<Policy> = received
            .policies
            .iter()
            .map(|policy| {
                let key = policy.partition_key().map(<[u8]>::to_vec);
                (policy.name().into(), policy.quota(), policy.window_seconds(), key)
            })
            .collect();
        prop_assert_eq!(found, policies(trimmed).unwrap_or_default());
    }
}
