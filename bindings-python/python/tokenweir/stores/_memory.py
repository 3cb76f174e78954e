"""A store in the memory of this process."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from tokenweir.errors import StoreError
from tokenweir.stores._store import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokenweir.stores._breaker import CircuitBreaker
    from tokenweir.stores._store import Change

__all__ = ["AsyncMemoryStore", "MemoryStore"]

_SWEEP_EVERY = 1000
"""Writes between two looks for what has expired."""


class MemoryStore:
    """A store in the memory of this process: for tests, and for development without a server.

    ``now_us`` is its clock, in microseconds; that of the machine unless another is given.
    """

    breaker: CircuitBreaker | None = None
    one_clock = True

    def __init__(self, now_us: Callable[[], int] | None = None) -> None:
        self._now_us = now_us if now_us is not None else _wall_clock
        self._lock = threading.Lock()
        # The value and when it expires, in microseconds.
        self._values: dict[str, tuple[bytes, int]] = {}
        self._writes = 0
        self._is_closed = False

    def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        with self._lock:
            if self._is_closed:
                raise StoreError("the store is closed", "store_closed")
            now_us = self._now_us()
            found = [self._value(change.key, now_us) for change in changes]
            if as_of_us > now_us or any(
                change.expected != value for change, value in zip(changes, found, strict=True)
            ):
                return Reply(False, now_us, found)
            for change in changes:
                if change.wanted is not None:
                    expires_us = now_us + change.keep_ms * 1000
                    self._values[change.key] = (change.wanted, expires_us)
                    self._writes += 1
            if self._writes >= _SWEEP_EVERY:
                self._sweep(now_us)
            return Reply(True, now_us)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self._values.clear()

    def __len__(self) -> int:
        """How many keys there are, of which some may have expired."""
        return len(self._values)

    def _value(self, key: str, now_us: int) -> bytes | None:
        value, expires_us = self._values.get(key, (None, 0))
        return value if expires_us > now_us else None

    def _sweep(self, now_us: int) -> None:
        self._writes = 0
        self._values = {
            key: (value, expires_us)
            for key, (value, expires_us) in self._values.items()
            if expires_us > now_us
        }


class AsyncMemoryStore:
    """As ``MemoryStore``, for asyncio; over one that is given, or one of its own."""

    breaker: CircuitBreaker | None = None
    one_clock = True

    def __init__(self, store: MemoryStore | None = None) -> None:
        self._store = store if store is not None else MemoryStore()

    async def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        return self._store.compare_and_set(changes, as_of_us)

    async def close(self) -> None:
        self._store.close()


def _wall_clock() -> int:
    return time.time_ns() // 1000
