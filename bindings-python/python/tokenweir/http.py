"""What a limiter says over HTTP, and what a client makes of it: fields as text, no I/O.

A server describes its limits once as `Policy` objects, makes a `Quota` of each at a reply, and sends what
`fields` gives and, on a refusal, the `problem` body. A client passes the fields of a reply to
`Received.parse` and gets an `Advice`. `ClientAddress` says by which address a client is counted.

    policy = Policy("per-minute", 10, 60)
    decision = limiter.check()
    quota = Quota(
        policy, decision.remaining, decision.reset_after, retry_after=decision.retry_after
    )
    headers = fields("draft", [quota])

`check_with_quotas` does both for limiters as they are, for each of their limits:

    joint, quotas = check_with_quotas((users, "user:1"), everybody)
    headers = fields("draft", quotas)

For whole frameworks see `tokenweir.web`.

Sources: draft-ietf-httpapi-ratelimit-headers (revisions 10 and 11, which define the same fields; 6 and 7
for the older ones), RFC 9651 (structured fields), RFC 9110 (`Retry-After`, HTTP-date), RFC 9457 (problem
details), RFC 7239 (`Forwarded`).
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from tokenweir._native import (
    PROBLEM_MEDIA_TYPE,
    QUOTA_EXCEEDED,
    TOO_MANY_REQUESTS,
    Advice,
    ClientAddress,
    Policy,
    Quota,
    Received,
    ServiceLimit,
    check_with_quotas,
    fields,
    parse_date,
    parse_date_ns,
    policies,
    problem,
    quotas,
    retry_after,
)

__all__ = [
    "PROBLEM_MEDIA_TYPE",
    "QUOTA_EXCEEDED",
    "STYLES",
    "TOO_MANY_REQUESTS",
    "Advice",
    "ClientAddress",
    "Policy",
    "Quota",
    "Received",
    "ServiceLimit",
    "Style",
    "check_with_quotas",
    "fields",
    "parse_date",
    "parse_date_ns",
    "policies",
    "problem",
    "quotas",
    "retry_after",
]

Style: TypeAlias = Literal["draft", "draft-7", "legacy", "x-ratelimit", "none"]
"""Which fields a reply carries; `Retry-After` on a refusal goes with every one. See `fields`."""

STYLES: Final[tuple[Style, ...]] = get_args(Style)
"""All styles."""
