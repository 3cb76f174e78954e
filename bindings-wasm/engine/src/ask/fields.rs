//! What a service says of its limits.

use tokenweir::Wait;
use tokenweir::http::{self, Policy, PolicyError, Quota, Style, StyleError, Unit};

use super::GROUP;
use super::parts::{Parts, put};
use crate::fault::Fault;

/// A policy: its name, quota, window, unit and partition key.
pub(super) fn policy(parts: &mut Parts<'_>) -> Result<Policy, Fault> {
    let refused = |error: PolicyError| Fault::new("policy", error.code()).said(error);
    let name = parts.text();
    let mut policy = Policy::new(name, parts.number("quota")?).map_err(refused)?;
    if let Some(window) = parts.optional_time("window")? {
        policy = policy.with_window(window).map_err(refused)?;
    }
    let unit = parts.text();
    if !unit.is_empty() {
        let known = Unit::from_name(unit).ok_or_else(|| {
            let message = format_args!("there is no unit {unit}");
            Fault::new("unit", "unknown_unit").said(message)
        })?;
        policy = policy.with_unit(known);
    }
    Ok(match parts.optional_bytes() {
        Some(key) => policy.with_partition_key(&key),
        None => policy,
    })
}

/// The numbers of a quota: what remains, and the waits.
struct Numbers {
    policy: Policy,
    remaining: u64,
    reset: Wait,
    retry_after: Option<Wait>,
    window: Option<Wait>,
}

fn numbers(parts: &mut Parts<'_>) -> Result<Vec<Numbers>, Fault> {
    let mut all = Vec::new();
    while let Some(mut group) = parts.group() {
        all.push(Numbers {
            policy: policy(&mut group)?,
            remaining: group.number("remaining")?,
            reset: group.optional_wait("reset")?.unwrap_or(Wait::NONE),
            retry_after: group.optional_wait("retryAfter")?,
            window: group.optional_wait("effectiveWindow")?,
        });
    }
    Ok(all)
}

fn quotas(numbers: &[Numbers]) -> Vec<Quota<'_>> {
    numbers.iter().map(Numbers::quota).collect()
}

impl Numbers {
    fn quota(&self) -> Quota<'_> {
        let mut quota = Quota::new(&self.policy, self.remaining, self.reset);
        if let Some(wait) = self.retry_after {
            quota = quota.with_retry_after(wait);
        }
        if let Some(wait) = self.window {
            quota = quota.with_effective_window(wait);
        }
        quota
    }
}

/// The fields of a reply in a style: a group of name and value for each.
pub(super) fn fields(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    let style: Style = parts
        .text()
        .parse()
        .map_err(|error: StyleError| Fault::new("style", error.code()).said(error))?;
    let numbers = numbers(parts)?;
    for field in http::fields(style, &quotas(&numbers)) {
        answer.push(GROUP);
        put(answer, field.name);
        put(answer, field.value);
    }
    Ok(())
}

/// The body of a refusal.
pub(super) fn problem(parts: &mut Parts<'_>, answer: &mut String) -> Result<(), Fault> {
    let detail = parts.optional_text();
    let numbers = numbers(parts)?;
    answer.push_str(&http::problem(&quotas(&numbers), detail));
    Ok(())
}
