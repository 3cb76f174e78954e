"""Waiting for one of a few connections."""

from __future__ import annotations

import asyncio
import queue
from typing import TYPE_CHECKING

from tokenweir.errors import StoreError

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["AsyncGate", "Gate"]

_PATIENCE = 10
"""How many deadlines an operation waits for a connection while others are answered."""


class _Failures:
    """What went wrong for those who had a connection: whoever waits for one fails with them."""

    def __init__(self, connections: int, deadline: float) -> None:
        if connections < 1:
            raise ValueError(f"max_connections: {connections} is below 1")
        if not 0 < deadline < float("inf"):
            raise ValueError(f"deadline: {deadline} seconds are not above 0")
        self.patience = _PATIENCE * deadline
        self.count = 0
        self._last = ""

    def note(self, error: BaseException | None) -> None:
        if isinstance(error, StoreError):
            self.count += 1
            self._last = str(error)

    def check(self, count: int) -> None:
        if self.count != count:
            raise StoreError(f"while waiting for a connection: {self._last}", "store_failed")

    def late(self) -> StoreError:
        message = f"no connection was free for {self.patience} s"
        return StoreError(message, "store_timeout")


class Gate:
    """Lets as many threads pass as there may be connections.

    Who waits, waits while others are answered. Once one of these fails, all who wait do, so that a server
    that hangs is waited for once and not by each in turn.
    """

    def __init__(self, connections: int, deadline: float) -> None:
        self.failures = _Failures(connections, deadline)
        # One entry for each thread that may pass: the fastest semaphore there is.
        self._free: queue.SimpleQueue[None] = queue.SimpleQueue()
        for _ in range(connections):
            self._free.put(None)

    def __enter__(self) -> None:
        try:
            self._free.get_nowait()
        except queue.Empty:
            self._wait()

    def _wait(self) -> None:
        count = self.failures.count
        try:
            self._free.get(timeout=self.failures.patience)
        except queue.Empty:
            raise self.failures.late() from None
        try:
            self.failures.check(count)
        except StoreError:
            self._free.put(None)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self.failures.note(error)
        self._free.put(None)


class AsyncGate:
    """As ``Gate``, for tasks."""

    def __init__(self, connections: int, deadline: float) -> None:
        self.failures = _Failures(connections, deadline)
        self._free = asyncio.Semaphore(connections)

    async def __aenter__(self) -> None:
        if not self._free.locked():
            await self._free.acquire()
            return
        count = self.failures.count
        try:
            await asyncio.wait_for(self._free.acquire(), self.failures.patience)
        except asyncio.TimeoutError:
            raise self.failures.late() from None
        try:
            self.failures.check(count)
        except StoreError:
            self._free.release()
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.failures.note(error)
        self._free.release()
