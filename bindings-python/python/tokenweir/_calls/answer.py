"""The reply to a call that is not made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenweir._native import PROBLEM_MEDIA_TYPE, Policy, Quota, fields, problem

if TYPE_CHECKING:
    from tokenweir.errors import RateLimited

__all__ = ["answer"]


def answer(error: RateLimited) -> tuple[list[tuple[str, str]], bytes]:
    """The fields and the body of a reply of status 429, which no service has sent."""
    name = "service" if error.code == "refused_by_service" else "client"
    wait = error.retry_after_ns
    quotas = [Quota(Policy(name, 0), 0, reset_after_ns=wait, retry_after_ns=wait)]
    headers = [*fields("none", quotas), ("Content-Type", PROBLEM_MEDIA_TYPE)]
    return headers, problem(quotas, str(error)).encode()
