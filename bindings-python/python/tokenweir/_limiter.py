from __future__ import annotations

import functools
import inspect
import sys
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, overload

from tokenweir import _native
from tokenweir._waiting import AsyncioWaiter, ThreadWaiter, TrioWaiter, Waiter
from tokenweir.errors import RateLimited

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from typing_extensions import Self

__all__ = ["Limiter"]

P = ParamSpec("P")
R = TypeVar("R")


class Decorator(Protocol):
    """Gives a function back with the same signature."""

    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]: ...


class Limiter(_native.Limiter):
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
        if inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function):
            raise TypeError("a generator function cannot be limited: limit what consumes it")

        def cost_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
            return cost(*args, **kwargs) if callable(cost) else cost

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def limited_async(*args: Any, **kwargs: Any) -> Any:
                n = cost_of(args, kwargs)
                if not await self.acquire_async(n, timeout=timeout):
                    raise self._refusal(n)
                return await function(*args, **kwargs)

            return limited_async

        @functools.wraps(function)
        def limited(*args: Any, **kwargs: Any) -> Any:
            n = cost_of(args, kwargs)
            if not self.acquire(n, timeout=timeout):
                raise self._refusal(n)
            return function(*args, **kwargs)

        return limited

    def _refusal(self, cost: int) -> RateLimited:
        decision = self.peek(cost)
        return RateLimited(
            f"{decision.scope} comes too late for the call: retry after {decision.retry_after} s",
            "not_in_time",
            retry_after=decision.retry_after,
            retry_after_ns=decision.retry_after_ns,
            scope=decision.scope,
            limit=decision.limit,
            remaining=decision.remaining,
        )

    def _block(self, cost: int, timeout: float | timedelta | None) -> bool:
        """Waits as a thread; called by ``acquire`` where the cost is not there."""
        waiter = ThreadWaiter(self, cost)
        if not self._joined(waiter, timeout):
            return waiter.taken is True
        try:
            waiter.wait()
        except BaseException:
            waiter.withdraw()
            raise
        return self._outcome(waiter)

    async def _wait(self, cost: int, timeout: float | timedelta | None) -> bool:
        """Waits as a task; called where the cost is not there."""
        trio = sys.modules.get("trio")
        waiter: AsyncioWaiter | TrioWaiter
        if trio is not None and trio.lowlevel.in_trio_run():
            waiter = TrioWaiter(self, cost, trio)
        else:
            waiter = AsyncioWaiter(self, cost)
        if not self._joined(waiter, timeout):
            return waiter.taken is True
        try:
            await waiter.wait()
        except BaseException:
            waiter.withdraw()
            raise
        return self._outcome(waiter)

    def _joined(self, waiter: Waiter, timeout: float | timedelta | None) -> bool:
        """Whether the waiter has to wait; if not, it is said whether the cost was taken."""
        self._watch()
        ticket = self._join(waiter.cost, timeout, waiter)
        if ticket is None or ticket < 0:
            waiter.taken = ticket is None
            return False
        waiter.ticket = ticket
        return True

    def _outcome(self, waiter: Waiter) -> bool:
        if waiter.taken is None:
            message = f"a cost of {waiter.cost} is above what {self.limits} can ever have"
            raise RateLimited(message, "never")
        return waiter.taken

    def _pump(self, caller: Waiter | None = None) -> None:
        """Ends the waits that are over, and has the first of the others see to its timer."""
        served, first = self._serve()
        for waiter, taken in served:
            waiter.end(taken)
        if first is not None and first is not caller:
            first.lead()
