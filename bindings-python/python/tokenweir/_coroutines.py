"""The methods of native classes that are coroutines.

They are attached from here because no awaitable made in Rust is as fast as a coroutine of Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokenweir import _native
from tokenweir._keyed import OneKey
from tokenweir._waiting import wait

if TYPE_CHECKING:
    from datetime import timedelta

    from tokenweir._types import Key

__all__ = ["attach"]


class Limiter:
    """Attached to ``tokenweir.Limiter``."""

    async def acquire_async(
        self: Any, cost: int = 1, *, timeout: float | timedelta | None = None
    ) -> bool:
        """As ``acquire``, without blocking the event loop: asyncio, trio, and anyio on either.

        Cancelled, it takes nothing.
        """
        return self._pass(cost) or await wait(self, cost, timeout)

    async def __aenter__(self: Any) -> Any:
        if not self._pass():
            await wait(self, 1, None)
        return self

    async def __aexit__(self, *_exception: object) -> None:
        return None


class KeyedLimiter:
    """Attached to ``tokenweir.KeyedLimiter``."""

    async def acquire_async(
        self: Any, key: Key, cost: int = 1, *, timeout: float | timedelta | None = None
    ) -> bool:
        """As ``Limiter.acquire_async``, for a key."""
        return self.try_acquire(key, cost) or await wait(OneKey(self, key), cost, timeout)


def attach() -> None:
    """Gives the native classes their coroutines."""
    for methods, native in ((Limiter, _native.Limiter), (KeyedLimiter, _native.KeyedLimiter)):
        for name in ("acquire_async", "__aenter__", "__aexit__"):
            if name in vars(methods):
                setattr(native, name, vars(methods)[name])
