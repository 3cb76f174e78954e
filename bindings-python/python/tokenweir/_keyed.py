from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenweir import _native
from tokenweir._waiting import Waiter, Waits
from tokenweir._wrapping import limited

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from tokenweir._native import Decision, Limits
    from tokenweir._types import Key
    from tokenweir._wrapping import Decorator

__all__ = ["KeyedLimiter"]


class KeyedLimiter(_native.KeyedLimiter):
    """A limiter for each key, all under the same limits: per client, per user, per tenant.

    ``KeyedLimiter("10/s; 1000/day", max_keys=100_000)`` has the verbs of ``Limiter``, each with the key
    first. Keys are strings, bytes, integers, and tuples of these. A decision takes the same time
    however many keys there are.

    At most ``max_keys`` keys are kept. A key whose limits are all full is forgotten for a new one, a key
    that has used anything never is, so that rotating keys cannot buy a fresh burst. Where nothing can be
    forgotten, a new key is refused, or with ``when_full="share"`` shares one further limiter with all
    others that find no room.

    Waiting for one key does not delay another. At most ``max_waiting`` callers wait for each key.
    """

    __slots__ = ()

    def acquire(
        self, key: Key, cost: int = 1, *, timeout: float | timedelta | None = None
    ) -> bool:
        """As ``Limiter.acquire``, for a key."""
        return self.try_acquire(key, cost) or OneKey(self, key)._block(cost, timeout)

    async def acquire_async(
        self, key: Key, cost: int = 1, *, timeout: float | timedelta | None = None
    ) -> bool:
        """As ``Limiter.acquire_async``, for a key."""
        return self.try_acquire(key, cost) or await OneKey(self, key)._wait(cost, timeout)

    def __call__(
        self,
        *,
        key: Callable[..., Key],
        cost: int | Callable[..., int] = 1,
        timeout: float | timedelta | None = None,
    ) -> Decorator:
        """Has a function, or a coroutine function, wait for its key before each call.

        ``@keyed(key=lambda request: request.user)``; the key, and the cost if it is a function, are
        computed from the call's arguments. A call that cannot be made in time raises RateLimited.
        """

        def subject(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Waits, int]:
            n = cost(*args, **kwargs) if callable(cost) else cost
            return OneKey(self, key(*args, **kwargs)), n

        def decorate(function: Callable[..., Any], /) -> Callable[..., Any]:
            return limited(function, subject, timeout)

        return decorate

    def _pump(self) -> None:
        for key in self._waiting_keys():
            self._pump_key(key)

    def _pump_key(self, key: Key) -> None:
        OneKey(self, key)._pump()


class OneKey(Waits):
    """One key of a keyed limiter, as those who wait for it see it."""

    __slots__ = ("_key", "_keyed")

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
