"""Parking threads and tasks that wait for a limiter.

Who is next and when is for the core's queue to say. A waiter parks its caller and is called back:
``end`` when the wait has ended, ``lead`` when the caller is the first of those who wait, which makes it
the one that sets a timer. So there is at most one timer, however many wait. ``lead`` may come from any
thread and late, so it only has the waiter ask again how long that is.
"""

from __future__ import annotations

import asyncio
import math
import sys
import threading
from typing import TYPE_CHECKING, Any, Protocol

from tokenweir.errors import RateLimited

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from tokenweir._native import Decision, Limits

__all__ = [
    "Queued",
    "Waiter",
    "block",
    "pump",
    "refusal",
    "wait",
]

_NS_PER_SECOND = 1_000_000_000


class Waiter:
    """Somebody who waits for ``cost``."""

    __slots__ = ("_claim", "cost", "has_ended", "limiter", "taken", "ticket")

    def __init__(self, limiter: Queued, cost: int) -> None:
        self.limiter = limiter
        self.cost = cost
        self.ticket = -1
        self.has_ended = False
        self.taken: bool | None = False
        self._claim: list[None] = []

    def end(self, taken: bool | None) -> None:
        """The wait has ended: the cost was taken, comes too late, or (None) can never be had."""
        self.taken = taken
        self.has_ended = True
        self._give_back_unclaimed()
        self.wake()

    def withdraw(self) -> None:
        """The caller was interrupted: what was taken for it is given back, served already or not."""
        self._claim.append(None)
        if not self.limiter._leave(self.ticket):
            # It has left the queue, and whoever serves it may not have said so yet.
            self._give_back_unclaimed()
        pump(self.limiter)

    def _give_back_unclaimed(self) -> None:
        if self.has_ended and self.taken and self._claim:
            try:
                self._claim.pop()
            except IndexError:
                return  # Another thread was first.
            self.limiter.refund(self.cost)

    def wake(self) -> None:
        """The caller is to go on."""
        raise NotImplementedError

    def lead(self) -> None:
        """This is the first of those who wait, or the time of the first has changed."""
        raise NotImplementedError


class ThreadWaiter(Waiter):
    """A thread, parked on a lock of its own."""

    __slots__ = ("_parked",)

    def __init__(self, limiter: Queued, cost: int) -> None:
        super().__init__(limiter, cost)
        self._parked = threading.Lock()
        self._parked.acquire()

    def wait(self) -> None:
        while not self.has_ended:
            delay = self.limiter._delay_ns(self.ticket)
            self._parked.acquire(timeout=-1 if delay is None else _seconds(delay))
            pump(self.limiter, self)

    def wake(self) -> None:
        try:
            self._parked.release()
        except RuntimeError:
            pass  # It has been told and has not looked yet.

    lead = wake


class AsyncioWaiter(Waiter):
    """A task of asyncio, parked on a future."""

    __slots__ = ("_future", "_loop", "_timer")

    def __init__(self, limiter: Queued, cost: int) -> None:
        super().__init__(limiter, cost)
        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[None] = self._loop.create_future()
        self._timer: asyncio.TimerHandle | None = None

    async def wait(self) -> None:
        self._arm()
        try:
            await self._future
        finally:
            self._disarm()

    def wake(self) -> None:
        self._call(self._resolve)

    def lead(self) -> None:
        self._call(self._arm)

    def _call(self, function: Callable[[], None]) -> None:
        try:
            here = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            here = False
        if here:
            function()
            return
        try:
            self._loop.call_soon_threadsafe(function)
        except RuntimeError:
            # Its loop is closed: nobody is there to go on, and the others must not wait for it.
            self.withdraw()

    def _resolve(self) -> None:
        self._disarm()
        if not self._future.done():
            self._future.set_result(None)

    def _arm(self) -> None:
        self._disarm()
        if self._future.done():
            return
        delay = self.limiter._delay_ns(self.ticket)
        if delay is not None:
            self._timer = self._loop.call_later(_seconds(delay), self._ring)

    def _ring(self) -> None:
        self._timer = None
        pump(self.limiter)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class TrioWaiter(Waiter):
    """A task of trio, also under anyio, parked on an event."""

    __slots__ = ("_event", "_token", "_trio")

    def __init__(self, limiter: Queued, cost: int, trio: Any) -> None:
        super().__init__(limiter, cost)
        self._trio = trio
        self._token = trio.lowlevel.current_trio_token()
        self._event: Any = trio.Event()

    async def wait(self) -> None:
        while not self.has_ended:
            delay = self.limiter._delay_ns(self.ticket)
            with self._trio.move_on_after(math.inf if delay is None else _seconds(delay)):
                await self._event.wait()
            self._event = self._trio.Event()
            pump(self.limiter, self)

    def wake(self) -> None:
        try:
            self._token.run_sync_soon(self._look)
        except self._trio.RunFinishedError:
            pass  # Tasks of a run that has finished have left.

    lead = wake

    def _look(self) -> None:
        self._event.set()


class Queued(Protocol):
    """What is waited for: a limiter, or one key of a keyed one. Its queue is native."""

    @property
    def limits(self) -> Limits: ...
    def peek(self, cost: int, /) -> Decision: ...
    def refund(self, tokens: int, /) -> None: ...
    def _pass(self, cost: int, /) -> bool: ...
    def _join(
        self, cost: int, timeout: float | timedelta | None, waiter: Waiter, /
    ) -> int | None: ...
    def _serve(self) -> tuple[list[tuple[Waiter, bool | None]], Waiter | None]: ...
    def _leave(self, ticket: int, /) -> bool: ...
    def _delay_ns(self, ticket: int, /) -> int | None: ...
    def _watch(self) -> None: ...


def block(limiter: Queued, cost: int, timeout: float | timedelta | None) -> bool:
    """Waits as a thread; called where the cost is not there."""
    waiter = ThreadWaiter(limiter, cost)
    if not _joined(waiter, timeout):
        return waiter.taken is True
    try:
        waiter.wait()
    except BaseException:
        waiter.withdraw()
        raise
    return _outcome(waiter)


async def wait(limiter: Queued, cost: int, timeout: float | timedelta | None) -> bool:
    """Waits as a task; called where the cost is not there."""
    trio = sys.modules.get("trio")
    waiter: AsyncioWaiter | TrioWaiter
    if trio is not None and trio.lowlevel.in_trio_run():
        waiter = TrioWaiter(limiter, cost, trio)
    else:
        waiter = AsyncioWaiter(limiter, cost)
    if not _joined(waiter, timeout):
        return waiter.taken is True
    try:
        await waiter.wait()
    except BaseException:
        waiter.withdraw()
        raise
    return _outcome(waiter)


def pump(limiter: Queued, caller: Waiter | None = None) -> None:
    """Ends the waits that are over, and has the first of the others see to its timer."""
    served, first = limiter._serve()
    for waiter, taken in served:
        waiter.end(taken)
    if first is not None and first is not caller:
        first.lead()


def refusal(limiter: Queued, cost: int) -> RateLimited:
    """The error of a call that cannot be made in time."""
    decision = limiter.peek(cost)
    return RateLimited(
        f"{decision.scope} comes too late for the call: retry after {decision.retry_after} s",
        "not_in_time",
        retry_after=decision.retry_after,
        retry_after_ns=decision.retry_after_ns,
        scope=decision.scope,
        limit=decision.limit,
        remaining=decision.remaining,
    )


def _joined(waiter: Waiter, timeout: float | timedelta | None) -> bool:
    """Whether the waiter has to wait; if not, it is said whether the cost was taken."""
    waiter.limiter._watch()
    ticket = waiter.limiter._join(waiter.cost, timeout, waiter)
    if ticket is None or ticket < 0:
        waiter.taken = ticket is None
        return False
    waiter.ticket = ticket
    return True


def _outcome(waiter: Waiter) -> bool:
    if waiter.taken is None:
        message = f"a cost of {waiter.cost} is above what {waiter.limiter.limits} can ever have"
        raise RateLimited(message, "never")
    return waiter.taken


def _seconds(nanoseconds: int) -> float:
    # A timer that rings early by the rounding finds the caller still first and is set again.
    return min(nanoseconds / _NS_PER_SECOND, threading.TIMEOUT_MAX)
