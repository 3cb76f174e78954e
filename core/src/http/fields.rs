//! The fields of a reply.

use alloc::string::String;
use alloc::vec::Vec;

use crate::Wait;

use super::sfv::write;
use super::{Policy, Quota, Style, Unit};

/// A field of a reply. HTTP does not tell the cases of a name apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The name, as the documents write it.
    pub name: &'static str,
    /// The value: printable ASCII.
    pub value: String,
}

/// All fields a reply carries in a style, each name once.
///
/// The quotas are those of every policy that applies to the request. The reply is a refusal if one
/// of them refuses; it then carries `Retry-After`, see [`retry_after`]. The draft's style tells of
/// each, the older ones of one: the one that refuses for longest, or else the one with the least left.
///
/// Numbers above 999,999,999,999,999 are sent as that, the largest integer of a structured field.
///
/// ```
/// use tokenweir::Wait;
/// use tokenweir::http::{Policy, Quota, Style, fields};
///
/// let policy = Policy::new("burst", 100)?.with_window(60_000_000_000)?;
/// let quota = Quota::new(&policy, 50, Wait::Ticks(29_400_000_000));
/// let sent = fields(Style::Draft, &[quota]);
/// assert_eq!((sent[0].name, &*sent[0].value), ("RateLimit-Policy", r#""burst";q=100;w=60"#));
/// assert_eq!((sent[1].name, &*sent[1].value), ("RateLimit", r#""burst";r=50;t=30"#));
/// # Ok::<(), tokenweir::http::PolicyError>(())
/// ```
#[must_use]
pub fn fields(style: Style, quotas: &[Quota<'_>]) -> Vec<Field> {
    let mut sent = Vec::new();
    match (style, tightest(quotas)) {
        (Style::None, _) | (_, None) => {}
        (Style::Draft, Some(_)) => {
            sent.push(list("RateLimit-Policy", quotas, draft_policy));
            sent.push(list("RateLimit", quotas, draft_limit));
        }
        (Style::Draft7, Some(quota)) => {
            let policies: Vec<_> = draft7_policies(quotas).collect();
            if !policies.is_empty() {
                sent.push(list("RateLimit-Policy", &policies, draft7_policy));
            }
            let mut value = String::from("limit=");
            write::integer(quota.policy().quota(), &mut value);
            parameter(", remaining=", quota.remaining(), &mut value);
            parameter(", reset=", quota.reset_seconds(), &mut value);
            sent.push(Field {
                name: "RateLimit",
                value,
            });
        }
        (Style::Legacy, Some(quota)) => sent.extend(three(
            ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
            quota,
        )),
        (Style::XRateLimit, Some(quota)) => sent.extend(three(
            [
                "X-RateLimit-Limit",
                "X-RateLimit-Remaining",
                "X-RateLimit-Reset",
            ],
            quota,
        )),
    }
    let wait = quotas.iter().map(Quota::retry_after).max();
    if let Some(seconds) = retry_after(wait.unwrap_or(Wait::NONE)) {
        sent.push(number("Retry-After", seconds));
    }
    sent
}

/// The seconds of `Retry-After` (RFC 9110 section 10.2.3) for the wait of a refusal in nanoseconds:
/// rounded up, so that a retry exactly then is not early; at least 1.
///
/// `None` if there is nothing to wait for, and for [`Wait::Never`]: then no wait helps, and a time
/// would invite a retry that must fail.
#[must_use]
pub fn retry_after(wait: Wait) -> Option<u64> {
    match wait {
        Wait::Ticks(0) | Wait::Never => None,
        Wait::Ticks(nanos) => Some(super::seconds(nanos)),
    }
}

/// The one the older styles tell of: a refusing one before others, the longest wait first; then
/// the least that is left, then the later reset, then the earlier in the list.
fn tightest<'q, 'p>(quotas: &'q [Quota<'p>]) -> Option<&'q Quota<'p>> {
    // The first of equals is wanted, and `max_by` gives the last.
    quotas.iter().rev().max_by(|a, b| {
        a.retry_after()
            .cmp(&b.retry_after())
            .then(b.remaining().cmp(&a.remaining()))
            .then(a.reset_seconds().cmp(&b.reset_seconds()))
    })
}

/// Revision 7 needs a window for each policy and forbids two with the same quota: of these the one
/// with the longest window is the strictest.
fn draft7_policies<'q, 'p>(
    quotas: &'q [Quota<'p>],
) -> impl Iterator<Item = Quota<'p>> + use<'q, 'p> {
    quotas.iter().enumerate().filter_map(|(at, quota)| {
        let policy = quota.policy();
        let window = policy.window_seconds()?;
        let stricter = quotas.iter().enumerate().any(|(other_at, other)| {
            let other = other.policy();
            let other_window = other.window_seconds().unwrap_or(0);
            other.quota() == policy.quota()
                && (other_window > window || (other_window == window && other_at < at))
        });
        (!stricter).then_some(*quota)
    })
}

fn draft_policy(quota: &Quota<'_>, out: &mut String) {
    let policy = quota.policy();
    write::string(policy.name(), out);
    parameter(";q=", policy.quota(), out);
    if let Some(unit) = policy.unit().filter(|unit| *unit != Unit::Requests) {
        out.push_str(";qu=");
        write::string(unit.name(), out);
    }
    if let Some(seconds) = policy.window_seconds() {
        parameter(";w=", seconds, out);
    }
    partition_key(policy, out);
}

fn draft_limit(quota: &Quota<'_>, out: &mut String) {
    write::string(quota.policy().name(), out);
    parameter(";r=", quota.remaining(), out);
    if let Some(seconds) = quota.effective_window_seconds() {
        parameter(";t=", seconds, out);
    }
    partition_key(quota.policy(), out);
}

fn draft7_policy(quota: &Quota<'_>, out: &mut String) {
    write::integer(quota.policy().quota(), out);
    if let Some(seconds) = quota.policy().window_seconds() {
        parameter(";w=", seconds, out);
    }
}

fn partition_key(policy: &Policy, out: &mut String) {
    if let Some(key) = policy.partition_key() {
        out.push_str(";pk=");
        write::bytes(key, out);
    }
}

fn parameter(key: &str, value: u64, out: &mut String) {
    out.push_str(key);
    write::integer(value, out);
}

fn list(name: &'static str, quotas: &[Quota<'_>], item: fn(&Quota<'_>, &mut String)) -> Field {
    let mut value = String::new();
    for quota in quotas {
        if !value.is_empty() {
            value.push_str(", ");
        }
        item(quota, &mut value);
    }
    Field { name, value }
}

fn three([limit, remaining, reset]: [&'static str; 3], quota: &Quota<'_>) -> [Field; 3] {
    [
        number(limit, quota.policy().quota()),
        number(remaining, quota.remaining()),
        number(reset, quota.reset_seconds()),
    ]
}

fn number(name: &'static str, value: u64) -> Field {
    let mut text = String::new();
    write::integer(value, &mut text);
    Field { name, value: text }
}
