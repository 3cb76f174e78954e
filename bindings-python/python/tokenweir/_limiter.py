from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from tokenweir import _native
from tokenweir._waiting import Waits
from tokenweir._wrapping import Decorator, limited

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from typing_extensions import Self

__all__ = ["Limiter"]

P = ParamSpec("P")
R = TypeVar("R")


class Limiter(_native.Limiter, Waits):
    """One decision over several limits: all grant or none pays. Safe to share between threads and tasks.

    ``Limiter("100/s burst 200; 1000/min")``, or any mix of text, ``Bandwidth`` and ``CycleConfig``
    objects, and mappings from names to these. Without a ``clock`` it reads monotonic time, or civil time
    if a limit is aligned to it. At most ``max_waiting`` callers wait at once.

    ``try_acquire`` says yes or no, ``check`` adds the numbers, ``acquire`` and ``acquire_async`` wait,
    first come, first served. As a context manager (``with``, ``async with``) it waits for a cost of 1;
    as a decorator it does so before each call.
    """

    __slots__ = ()

    async def acquire_async(
        self, cost: int = 1, *, timeout: float | timedelta | None = None
    ) -> bool:
        """As ``acquire``, without blocking the event loop: asyncio, trio, and anyio on either.

        Cancelled, it takes nothing.
        """
        return self._pass(cost) or await self._wait(cost, timeout)

    async def __aenter__(self) -> Self:
        if not self._pass():
            await self._wait(1, None)
        return self

    async def __aexit__(self, *exception: object) -> None:
        return None

    @overload
    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]: ...
    @overload
    def __call__(
        self,
        function: None = None,
        /,
        *,
        cost: int | Callable[..., int] = 1,
        timeout: float | timedelta | None = None,
    ) -> Decorator: ...
    def __call__(
        self,
        function: Callable[..., Any] | None = None,
        /,
        *,
        cost: int | Callable[..., int] = 1,
        timeout: float | timedelta | None = None,
    ) -> Any:
        """Has a function, or a coroutine function, wait before each call.

        ``@limiter``, or ``@limiter(cost=3, timeout=1)``; ``cost`` may be computed from the call's
        arguments. A call that cannot be made in time raises RateLimited, with ``timeout=0`` at once
        unless the cost is there.
        """
        if function is None:
            return lambda function: self._limited(function, cost, timeout)
        return self._limited(function, cost, timeout)

    def _limited(
        self,
        function: Callable[..., Any],
        cost: int | Callable[..., int],
        timeout: float | timedelta | None,
    ) -> Callable[..., Any]:
        def subject(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Waits, int]:
            return self, cost(*args, **kwargs) if callable(cost) else cost

        return limited(function, subject, timeout)
