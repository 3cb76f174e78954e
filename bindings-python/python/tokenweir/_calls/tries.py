"""Which calls are made again, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokenweir._native import Backoff, Retry
from tokenweir.errors import ConfigError, GiveUp

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["METHODS", "RETRY", "STATUSES", "Tries"]

RETRY: Final = Backoff(0.5, 2, max=30, jitter="full", max_retries=3, longest_retry_after=60)
"""The back-off of calls unless another is given."""

METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
"""The methods that RFC 9110 calls idempotent."""

STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""The replies that are worth another try."""


class Tries:
    """Who says how often, and how long after one another, a call is made."""

    def __init__(
        self,
        backoff: Backoff | None,
        methods: Collection[str],
        statuses: Collection[int],
        errors: tuple[type[Exception], ...],
    ) -> None:
        if backoff is not None:
            _check(backoff)
        if isinstance(methods, str):
            raise TypeError(f"retry_methods: a collection of methods is needed, not {methods!r}")
        self._backoff = backoff
        self._methods = frozenset(method.upper() for method in methods)
        self._statuses = frozenset(statuses)
        self.errors = errors

    def of(self, method: str, can_repeat: bool) -> Retry | None:
        """The tries of a call, unless it can be made only once."""
        if self._backoff is None or not can_repeat or method.upper() not in self._methods:
            return None
        return Retry(self._backoff)

    def is_worthwhile(self, status: int) -> bool:
        """Whether a reply of this status is tried again."""
        return status in self._statuses


def delay_ns(retry: Retry | None, elapsed_ns: int, asked_ns: int | None) -> int | None:
    """How long to wait before the next try, in nanoseconds; None to give up."""
    if retry is None:
        return None
    try:
        return retry.next_delay_ns(elapsed_ns=elapsed_ns, retry_after_ns=asked_ns)
    except GiveUp:
        return None


def _check(backoff: Backoff) -> None:
    """A call must end at some time, whatever the service says."""
    if not isinstance(backoff, Backoff):
        raise TypeError(f"retry: a Backoff or None is needed, not {backoff!r}")
    if backoff.max_retries is None:
        raise ConfigError("retry: the back-off has no max_retries, one is needed", "endless_retry")
    if backoff.budget_ns is None and backoff.longest_retry_after_ns is None:
        raise ConfigError(
            "retry: the back-off has neither a budget nor a longest_retry_after, one is needed:"
            " a service could have a call wait for years",
            "endless_retry",
        )
