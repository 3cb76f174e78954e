"""Spending a hot key's tokens in slices."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, TypeAlias

from tokenweir._native import Command
from tokenweir.errors import StoreError

if TYPE_CHECKING:
    from types import TracebackType

    from tokenweir.stores._tasks import AsyncStoredLimiter
    from tokenweir.stores._threads import StoredLimiter

    _Kind: TypeAlias = type[BaseException] | None

__all__ = ["AsyncLocalBudget", "LocalBudget"]


class _Held:
    """What is held of each key."""

    def __init__(self, slice: int) -> None:
        Command.check(slice)
        self._slice = slice
        self._held: dict[str, int] = {}
        self._is_closed = False

    def held(self, key: str) -> int:
        """What is held for a key."""
        return self._held.get(key, 0)

    def _spend(self, key: str, cost: int) -> bool:
        left = self.held(key) - cost
        if left < 0:
            return False
        self._held[key] = left
        return True

    def _is_for_the_store(self, cost: int) -> bool:
        Command.check(cost)
        return cost > self._slice or self._is_closed

    def _empty(self) -> list[tuple[str, int]]:
        self._is_closed = True
        held = [(key, tokens) for key, tokens in self._held.items() if tokens]
        self._held.clear()
        return held


class LocalBudget(_Held):
    """For keys so hot that one round trip a decision is too many.

    A slice is taken from the store at once and spent in this process without asking again, so nothing is
    granted that the limits do not have. But what is held may be spent later than it was taken: in any period,
    up to ``slice`` × processes more than the limits say for it. Resets and new limits do not touch what is
    held. ``close``, or leaving it as a context manager, gives it back; a process that ends otherwise loses
    what it holds.

    >>> from tokenweir.stores import LocalBudget, MemoryStore, StoredLimiter
    >>> limiter = StoredLimiter("1000/day", store=MemoryStore())
    >>> with LocalBudget(limiter, slice=100) as budget:
    ...     taken = [budget.try_acquire("tenant") for _ in range(250)]
    ...     budget.held("tenant")
    50
    >>> limiter.peek("tenant").remaining
    750
    """

    def __init__(self, limiter: StoredLimiter, *, slice: int) -> None:
        super().__init__(slice)
        self._limiter = limiter
        self._lock = threading.Lock()
        self._filling: dict[str, threading.Lock] = {}

    def try_acquire(self, key: str, cost: int = 1) -> bool:
        """Takes ``cost`` from what is held, and a slice from the store if that is not enough.

        A cost above the slice is for the store to decide. If the store fails, the limiter's policy decides.
        """
        if self._is_for_the_store(cost):
            return self._limiter.try_acquire(key, cost)
        with self._lock:
            if self._spend(key, cost):
                return True
            filling = self._filling.setdefault(key, threading.Lock())
        # One of those who found too little asks for all of them.
        with filling:
            with self._lock:
                if self._spend(key, cost):
                    return True
                missing = self._slice - self.held(key)
            try:
                more = self._limiter._take_up_to(key, missing)
            except StoreError as error:
                return self._limiter._without_store(key, cost, error).allowed
            with self._lock:
                is_late = self._is_closed
                if not is_late:
                    self._held[key] = self.held(key) + more
                    return self._spend(key, cost)
        # Closed meanwhile: nothing may be held any more.
        if more:
            self._limiter.refund(key, more)
        return self._limiter.try_acquire(key, cost)

    def close(self) -> None:
        """Gives back to the store what is held; afterwards every decision is the store's. Raises ``StoreError``
        if the store fails: what was not given back stays taken."""
        with self._lock:
            held = self._empty()
        for key, tokens in held:
            self._limiter.refund(key, tokens)

    def __enter__(self) -> LocalBudget:
        return self

    def __exit__(
        self, kind: _Kind, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class AsyncLocalBudget(_Held):
    """As ``LocalBudget``, for asyncio."""

    def __init__(self, limiter: AsyncStoredLimiter, *, slice: int) -> None:
        super().__init__(slice)
        self._limiter = limiter
        self._filling: dict[str, asyncio.Lock] = {}

    async def try_acquire(self, key: str, cost: int = 1) -> bool:
        """As ``LocalBudget.try_acquire``."""
        if self._is_for_the_store(cost):
            return await self._limiter.try_acquire(key, cost)
        if self._spend(key, cost):
            return True
        # One of those who found too little asks for all of them.
        async with self._filling.setdefault(key, asyncio.Lock()):
            if self._spend(key, cost):
                return True
            try:
                more = await self._limiter._take_up_to(key, self._slice - self.held(key))
            except StoreError as error:
                return self._limiter._without_store(key, cost, error).allowed
            if not self._is_closed:
                self._held[key] = self.held(key) + more
                return self._spend(key, cost)
        # Closed meanwhile: nothing may be held any more.
        if more:
            await self._limiter.refund(key, more)
        return await self._limiter.try_acquire(key, cost)

    async def close(self) -> None:
        """As ``LocalBudget.close``."""
        for key, tokens in self._empty():
            await self._limiter.refund(key, tokens)

    async def __aenter__(self) -> AsyncLocalBudget:
        return self

    async def __aexit__(
        self, kind: _Kind, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
