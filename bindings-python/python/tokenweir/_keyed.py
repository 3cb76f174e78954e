"""One key of a keyed limiter, as those who wait for it see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenweir import _waiting
from tokenweir._waiting import Queued, Waiter

if TYPE_CHECKING:
    from datetime import timedelta

    from tokenweir._native import Decision, KeyedLimiter, Limits
    from tokenweir._types import Key

__all__ = ["OneKey", "block", "pump", "pump_all"]


class OneKey(Queued):
    """A keyed limiter and the key."""

    def __init__(self, keyed: KeyedLimiter, key: Key) -> None:
        self._keyed = keyed
        self._key = key

    @property
    def limits(self) -> Limits:
        return self._keyed.limits

    def peek(self, cost: int, /) -> Decision:
        return self._keyed.peek(self._key, cost)

    def refund(self, tokens: int, /) -> None:
        self._keyed.refund(self._key, tokens)

    def _pass(self, cost: int, /) -> bool:
        return self._keyed.try_acquire(self._key, cost)

    def _join(
        self, cost: int, timeout: float | timedelta | None, waiter: Waiter, /
    ) -> int | None:
        return self._keyed._join(self._key, cost, timeout, waiter)

    def _serve(self) -> tuple[list[tuple[Waiter, bool | None]], Waiter | None]:
        return self._keyed._serve(self._key)

    def _leave(self, ticket: int, /) -> bool:
        return self._keyed._leave(self._key, ticket)

    def _delay_ns(self, ticket: int, /) -> int | None:
        return self._keyed._delay_ns(self._key, ticket)

    def _watch(self) -> None:
        self._keyed._watch()


def block(
    keyed: KeyedLimiter, key: Key, cost: int, timeout: float | timedelta | None
) -> bool:
    return _waiting.block(OneKey(keyed, key), cost, timeout)


def pump(keyed: KeyedLimiter, key: Key) -> None:
    _waiting.pump(OneKey(keyed, key))


def pump_all(keyed: KeyedLimiter) -> None:
    for key in keyed._waiting_keys():
        pump(keyed, key)
