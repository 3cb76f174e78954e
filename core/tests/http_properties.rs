//! What holds for every field that is sent and every byte that is received.
#![cfg(feature = "alloc")]

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv6Addr};

use proptest::collection::vec;
use proptest::prelude::*;
use tokenweir::http::{
    Advice, ClientAddress, Field, ForwardedField, Policy, Quota, Received, Style, Unit, fields,
    parse_date, problem,
};
use tokenweir::{Bandwidth, Bucket, Tokens, Wait};

const SECOND: u64 = 1_000_000_000;
const NOW: u64 = 1_700_000_000 * SECOND;
const MAX_INTEGER: u64 = 999_999_999_999_999;

/// The policy and the numbers of a quota: remaining, reset, effective window, retry-after.
type Numbers = (Policy, u64, Wait, Option<Wait>, Wait);

fn wait() -> impl Strategy<Value = Wait> {
    let ticks = (0..=i64::MAX as u64).prop_map(Wait::Ticks);
    prop_oneof![4 => ticks, 2 => (0..100 * SECOND).prop_map(Wait::Ticks), 1 => Just(Wait::Never)]
}

fn policy() -> impl Strategy<Value = Policy> {
    let unit = prop_oneof![
        Just(Unit::Requests),
        Just(Unit::ContentBytes),
        Just(Unit::ConcurrentRequests)
    ];
    let window = proptest::option::of(1..u64::MAX);
    let key = proptest::option::of(vec(any::<u8>(), 0..9));
    ("[ -~]{1,12}", 0..=MAX_INTEGER, window, unit, key).prop_map(
        |(name, quota, window, unit, key)| {
            let mut policy = Policy::new(&name, quota).unwrap().with_unit(unit);
            if let Some(window) = window {
                policy = policy.with_window(window).unwrap();
            }
            match key {
                Some(key) => policy.with_partition_key(&key),
                None => policy,
            }
        },
    )
}

fn numbers() -> impl Strategy<Value = Numbers> {
    let refusal = prop_oneof![Just(Wait::NONE), wait()];
    let window = proptest::option::of(wait());
    (policy(), 0..=MAX_INTEGER, wait(), window, refusal)
}

fn quotas(numbers: &[Numbers]) -> Vec<Quota<'_>> {
    numbers.iter().map(quota).collect()
}

fn quota((policy, remaining, reset, window, refusal): &Numbers) -> Quota<'_> {
    let quota = Quota::new(policy, *remaining, *reset).with_retry_after(*refusal);
    match window {
        Some(window) => quota.with_effective_window(*window),
        None => quota,
    }
}

fn receive(sent: &[Field], now: u64) -> Received {
    Received::parse(sent.iter().map(|field| (field.name, &field.value)), now)
}

/// Names of all fields that are read, and one that is not.
const NAMES: [&str; 12] = [
    "retry-after",
    "date",
    "age",
    "ratelimit",
    "ratelimit-policy",
    "ratelimit-limit",
    "ratelimit-remaining",
    "ratelimit-reset",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "server",
];

proptest! {
    #[test]
    fn the_draft_carries_every_number(numbers in vec(numbers(), 1..4)) {
        let quotas = quotas(&numbers);
        let received = receive(&fields(Style::Draft, &quotas), 0);
        let policies: Vec<_> = numbers.iter().map(|numbers| numbers.0.clone()).collect();
        prop_assert_eq!(&received.policies, &policies);
        prop_assert_eq!(received.limits.len(), quotas.len());
        for (limit, quota) in received.limits.iter().zip(&quotas) {
            prop_assert_eq!(limit.name.as_deref(), Some(quota.policy().name()));
            prop_assert_eq!(limit.remaining, Some(quota.remaining()));
            let seconds = quota.effective_window_seconds();
            prop_assert_eq!(limit.reset, seconds.map(|seconds| seconds.saturating_mul(SECOND)));
            prop_assert_eq!(limit.partition_key.as_deref(), quota.policy().partition_key());
        }
    }

    #[test]
    fn the_older_styles_carry_the_numbers_of_one(
        numbers in vec(numbers(), 1..4),
        style in prop_oneof![Just(Style::Draft7), Just(Style::Legacy), Just(Style::XRateLimit)],
    ) {
        let quotas = quotas(&numbers);
        let received = receive(&fields(style, &quotas), 0);
        prop_assert_eq!(received.limits.len(), 1);
        let limit = &received.limits[0];
        let same = |quota: &&Quota<'_>| {
            limit.limit == Some(quota.policy().quota())
                && limit.remaining == Some(quota.remaining())
                && limit.reset == Some(quota.reset_seconds() * SECOND)
        };
        let told = quotas.iter().find(same).expect("one of them");
        let longest = quotas.iter().map(Quota::retry_after).max();
        prop_assert_eq!(Some(told.retry_after()), longest);
    }

    #[test]
    fn every_name_is_sent_once_and_every_value_is_printable(numbers in vec(numbers(), 0..4)) {
        let quotas = quotas(&numbers);
        for style in Style::ALL {
            let sent = fields(style, &quotas);
            let names: BTreeSet<_> = sent.iter().map(|field| field.name.to_lowercase()).collect();
            prop_assert_eq!(names.len(), sent.len());
            for field in &sent {
                prop_assert!(!field.value.is_empty());
                prop_assert!(field.value.bytes().all(|byte| matches!(byte, b' '..=b'~')));
            }
        }
    }

    #[test]
    fn retry_after_is_never_before_the_t_of_a_policy_that_refuses(
        numbers in vec(numbers(), 1..4),
    ) {
        let quotas = quotas(&numbers);
        let sent = fields(Style::Draft, &quotas);
        let retry_after = receive(&sent, 0).retry_after;
        for quota in quotas.iter().filter(|quota| quota.refuses()) {
            if let (Some(retry_after), Some(t)) = (retry_after, quota.effective_window_seconds()) {
                prop_assert!(retry_after >= t.saturating_mul(SECOND));
            }
        }
    }

    #[test]
    fn a_retry_when_told_is_granted(
        capacity in 1..50_u64,
        tokens in 1..50_u64,
        period in 1..100 * SECOND,
        costs in vec(1..60_u64, 1..20),
        style in prop::sample::select(&Style::ALL[..]),
    ) {
        let limit = Bandwidth::greedy(capacity, tokens, period).unwrap();
        let policy = Policy::new("limit", capacity).unwrap().with_window(period).unwrap();
        let mut bucket = Bucket::<1>::new(limit.into(), NOW);
        let mut now = NOW;
        for cost in costs {
            let cost = Tokens::new(cost).unwrap();
            let probe = bucket.try_consume_with_probe(cost, now);
            let quota = Quota::new(&policy, probe.remaining, probe.reset)
                .with_retry_after(probe.wait);
            let received = receive(&fields(style, &[quota]), now);
            match probe.wait {
                Wait::Ticks(0) => prop_assert_eq!(received.retry_after, None),
                Wait::Never => prop_assert_eq!(received.retry_after, None),
                Wait::Ticks(wait) => {
                    let Advice::NotBefore(instant) = received.advice() else {
                        return Err(TestCaseError::fail("no instant"));
                    };
                    // The first whole second that is not early, and at least one.
                    let told = instant - now;
                    prop_assert!(told.is_multiple_of(SECOND) && told >= wait);
                    prop_assert!(told - wait < SECOND);
                    now = instant;
                    prop_assert!(bucket.try_consume(cost, now));
                }
            }
        }
    }

    #[test]
    fn the_body_is_json_whatever_the_detail(
        numbers in vec(numbers(), 0..4),
        detail in proptest::option::of(any::<String>()),
    ) {
        let quotas = quotas(&numbers);
        let body = problem(&quotas, detail.as_deref());
        let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        prop_assert_eq!(body["detail"].as_str(), detail.as_deref());
        let refusing = quotas.iter().filter(|quota| quota.refuses());
        let names: Vec<_> = refusing.map(|quota| quota.policy().name()).collect();
        prop_assert_eq!(&body["violated-policies"], &serde_json::json!(names));
        prop_assert_eq!(&body["status"], 429);
    }

    #[test]
    fn no_bytes_panic_or_lead_to_an_instant_before_now(
        fields in vec((prop::sample::select(&NAMES[..]), vec(any::<u8>(), 0..40)), 0..8),
        now: u64,
    ) {
        let advice = Received::parse(fields, now).advice();
        prop_assert!(!matches!(advice, Advice::NotBefore(instant) if instant < now));
    }

    #[test]
    fn no_text_close_to_a_field_panics(
        fields in vec((prop::sample::select(&NAMES[..]), CLOSE_TO_A_FIELD), 0..8),
        now: u64,
    ) {
        let advice = Received::parse(fields, now).advice();
        prop_assert!(!matches!(advice, Advice::NotBefore(instant) if instant < now));
    }

    #[test]
    fn no_text_panics_as_a_date_or_an_address(text: String, close in CLOSE_TO_AN_ADDRESS, now: u64) {
        let _ = parse_date(&text, now);
        for field in [ForwardedField::XForwardedFor, ForwardedField::Forwarded] {
            let rules = ClientAddress::new().with_trusted_proxies(1).with_field(field);
            for lines in [[text.as_str(), &close], [&close, &text]] {
                let key = rules.key("peer", &lines);
                let expected = rules.client("peer", &lines);
                prop_assert_eq!(key == "peer", expected.is_none());
            }
        }
    }

    #[test]
    fn what_a_client_writes_does_not_change_its_key(
        forged in vec("[ -~]{0,30}", 0..4),
        address: IpAddr,
        proxy: IpAddr,
    ) {
        // Each proxy adds the address it was called from, in a line of its own or to the last.
        let rules = ClientAddress::new().with_trusted_proxies(2);
        let direct = rules.key(&proxy.to_string(), &[&address.to_string(), "10.0.0.1"]);
        let mut lines: Vec<&str> = forged.iter().map(String::as_str).collect();
        let added = format!("{address}, 10.0.0.1");
        lines.push(&added);
        prop_assert_eq!(rules.key(&proxy.to_string(), &lines), direct.clone());
        let joined = forged.iter().map(String::as_str).chain([added.as_str()]);
        let joined = joined.collect::<Vec<_>>().join(", ");
        prop_assert_eq!(rules.key(&proxy.to_string(), &[&joined]), direct);
    }

    #[test]
    fn no_quote_of_a_client_forges_an_address(
        forged in "[a-z0-9=\"\\\\;,. ]{0,30}",
        address: Ipv6Addr,
    ) {
        let rules = ClientAddress::new()
            .with_trusted_proxies(1)
            .with_field(ForwardedField::Forwarded);
        let line = format!("{forged}, for=\"[{address}]\"");
        let key = rules.key("peer", &[&line]);
        let honest = ClientAddress::new().key(&address.to_string(), &[]);
        prop_assert!(key == honest || key == "peer", "{}: {}", line, key);
    }

    #[test]
    fn addresses_share_a_key_exactly_if_they_share_the_prefix(
        address: u128, flipped in 0..128_u32, bits in 32..=128_u32,
    ) {
        let rules = ClientAddress::new().with_ipv6_prefix(bits).unwrap();
        let key = |bits: u128| rules.key(&Ipv6Addr::from_bits(bits).to_string(), &[]);
        // Not among the addresses of IPv4 in IPv6.
        let address = address | 1 << 127;
        let other = (address ^ (1 << (127 - flipped))) | 1 << 127;
        let same = flipped == 0 || flipped >= bits;
        prop_assert_eq!(key(address) == key(other), same);
    }
}

const CLOSE_TO_A_FIELD: &str =
    r#"(([";:,=?@%*a-z0-9 .-]|"a"|;r=0|;t=[0-9]{1,16}|;q=1|limit=1|, |reset=2|Nov|GMT){0,12})"#;
const CLOSE_TO_AN_ADDRESS: &str =
    r#"((for=|"|\[|\]|:|[0-9a-f]{1,4}|\.|,|;|::|%|192\.0\.2\.1|2001:db8::1| ){0,12})"#;
