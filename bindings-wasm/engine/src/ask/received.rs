//! What a client makes of a reply, and a service of an address.

use tokenweir::http::{AddressError, Advice, ClientAddress, Received, parse_date};

use super::GROUP;
use super::parts::{Parts, bytes, characters, put, put_optional, put_optional_time, put_time};
use crate::fault::Fault;

/// What fields that arrive at an instant say: `Retry-After`, the advice, then a group for each policy
/// and each limit.
pub(super) fn received(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    let now = parts.time("now")?;
    let mut fields = Vec::new();
    while let Some(mut group) = parts.group() {
        fields.push((group.text(), bytes(group.text())));
    }
    let received = Received::parse(fields, now);
    put_optional_time(answer, received.retry_after);
    match received.advice() {
        Advice::Unknown => put(answer, "unknown"),
        Advice::MayCall => put(answer, "may_call"),
        Advice::NotBefore(instant) => put_time(answer, instant),
    }
    for policy in &received.policies {
        answer.push(GROUP);
        put(answer, "policy");
        put(answer, policy.name());
        put(answer, policy.quota());
        put_optional(answer, policy.window_seconds());
        put_optional(answer, policy.unit().map(|unit| unit.name()));
        put_bytes(answer, policy.partition_key());
    }
    for limit in &received.limits {
        answer.push(GROUP);
        put(answer, "limit");
        put_optional(answer, limit.name.as_ref().map(|name| format!("~{name}")));
        put_optional(answer, limit.limit);
        put_optional(answer, limit.remaining);
        put_optional_time(answer, limit.reset);
        put_bytes(answer, limit.partition_key.as_deref());
    }
    Ok(())
}

fn put_bytes(answer: &mut String, bytes: Option<&[u8]>) {
    put_optional(answer, bytes.map(|bytes| format!("~{}", characters(bytes))));
}

/// An HTTP-date.
pub(super) fn date(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    let now = parts.time("now")?;
    put_optional_time(answer, parse_date(parts.text(), now));
    Ok(())
}

/// The key of a client: trusted proxies, field, prefix, the peer, and the lines of the field.
pub(super) fn address(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    let mut rule = ClientAddress::new().with_trusted_proxies(parts.number("trustedProxies")?);
    if let Some(field) = parts.optional_text() {
        rule = rule.with_field(
            field
                .parse()
                .map_err(|error: AddressError| Fault::new("field", error.code()).said(error))?,
        );
    }
    if let Some(prefix) = parts.optional_number::<i64>("ipv6Prefix")? {
        // Out of range one way is out of range the other.
        let prefix = u32::try_from(prefix).unwrap_or(0);
        rule = rule
            .with_ipv6_prefix(prefix)
            .map_err(|error| Fault::new("ipv6Prefix", error.code()).said(error))?;
    }
    let peer = parts.text();
    put(answer, rule.field().name());
    put(answer, rule.key(peer, &parts.rest()));
    Ok(())
}
