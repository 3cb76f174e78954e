"""The options that all libraries have, for type checkers."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Generic, Literal, TypeVar

from typing_extensions import TypedDict

from tokenweir._native import Backoff
from tokenweir._types import Clock, Key

__all__ = ["Options"]

RequestT = TypeVar("RequestT")


class Options(TypedDict, Generic[RequestT], total=False):
    """How calls are limited, beside the limits themselves. See the transports and the adapter."""

    key: Callable[[RequestT], Key]
    """Which limit a call counts for, and whose replies tell of it; its origin unless given."""
    cost: int | Callable[[RequestT], int]
    """What a call costs; 1 unless given."""
    on_limit: Literal["wait", "raise", "respond"]
    """What becomes of a call that may not be made now: it waits, which it does unless told otherwise, or
    raises `CallSkipped`, or is answered here by a reply of status 429."""
    timeout: float | timedelta
    """The longest wait before a call is made, in seconds; a minute unless given. A call that would have to
    wait longer raises `CallSkipped` at once."""
    retry: Backoff | None
    """How long after one another, and how often, a call is made; None for once. Unless given, after half a
    second, then 1 s and 2 s, of which chance takes a part, and not if a service asks for more than a
    minute."""
    retry_methods: Collection[str]
    """The methods of calls that may be made twice; those that RFC 9110 calls idempotent unless given."""
    retry_statuses: Collection[int]
    """The statuses of replies that are worth another try; 408, 425, 429, 500, 502, 503 and 504 unless
    given."""
    retry_errors: tuple[type[Exception], ...]
    """The errors that are worth another try; those of connections unless given."""
    clock: Clock
    """By what is waited, and by what dates of replies are read if it tells civil time; monotonic time, and
    the system's, unless given."""
