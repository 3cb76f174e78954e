//! Fields of replies and addresses of requests: no input panics, and none says "now" that does not
//! say so.

use tokenweir::http::{Advice, ClientAddress, ForwardedField, Received, parse_date};

const NAMES: [&str; 8] = [
    "RateLimit",
    "RateLimit-Policy",
    "RateLimit-Limit",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "Retry-After",
];

/// Lines of the input are fields: the first byte chooses the name, the rest is the value.
pub(crate) fn run(data: &[u8]) {
    let now = 1_790_000_000_000_000_000;
    let fields: Vec<_> = data
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.split_first())
        .map(|(name, value)| (NAMES[usize::from(*name) % NAMES.len()], value))
        .collect();
    let received = Received::parse(fields.iter().copied(), now);
    let advice = received.advice();
    let retry_after = fields.iter().filter(|(name, _)| *name == "Retry-After");
    if let [(_, value)] = retry_after.collect::<Vec<_>>()[..] {
        // A Retry-After of digits is obeyed whatever else there is.
        let digits = core::str::from_utf8(value)
            .ok()
            .map(|text| text.trim_matches([' ', '\t']));
        let digits = digits.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        if let Some(Ok(seconds @ 1..=1_000_000)) = digits.map(str::parse::<u64>) {
            let Advice::NotBefore(instant) = advice else {
                panic!("{seconds} s became {advice:?}");
            };
            assert_eq!(instant, now + seconds * 1_000_000_000);
        }
    }
    if let Ok(text) = core::str::from_utf8(data) {
        let _ = parse_date(text, now);
        let lines: Vec<_> = text.lines().collect();
        for field in [ForwardedField::XForwardedFor, ForwardedField::Forwarded] {
            for count in 0..3 {
                let address = ClientAddress::new()
                    .with_field(field)
                    .with_trusted_proxies(count);
                let key = address.key("192.0.2.1:80", &lines);
                if count == 0 {
                    assert_eq!(key, "192.0.2.1", "nobody is trusted");
                }
                // A key is a key of itself: grouped and normalised already.
                assert!(!key.is_empty());
            }
        }
    }
}
