"""A store in memory whose clock and faults a test sets."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tokenweir import StoreError
from tokenweir.stores import CircuitBreaker, MemoryStore, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokenweir.stores import Change


class FakeStore:
    """Counts its operations, and fails or interferes when told to."""

    one_clock = True

    def __init__(self, breaker: CircuitBreaker | None = None) -> None:
        self.breaker = breaker
        self.inner = MemoryStore()
        self.asked: list[list[Change]] = []
        self.error: BaseException | None = None
        self.before: Callable[[], object] | None = None
        self.after: Callable[[], object] | None = None

    @property
    def operations(self) -> int:
        return len(self.asked)

    def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        self.asked.append(list(changes))
        if self.before is not None:
            self.before()
        if self.error is not None:
            raise self.error
        reply = self.inner.compare_and_set(changes, as_of_us)
        if self.after is not None:
            self.after()
        return reply

    def close(self) -> None:
        self.inner.close()


class AsyncFakeStore(FakeStore):
    """For asyncio: each operation gives way to other tasks once."""

    async def compare_and_set(  # type: ignore[override]
        self, changes: Sequence[Change], as_of_us: int
    ) -> Reply:
        import asyncio

        await asyncio.sleep(0)
        return super().compare_and_set(changes, as_of_us)

    async def close(self) -> None:  # type: ignore[override]
        super().close()


def down() -> StoreError:
    return StoreError("the store is down", "store_failed")


class Gate:
    """Holds a thread until it is opened, and tells when one has come."""

    def __init__(self) -> None:
        self.come = threading.Event()
        self.open = threading.Event()

    def __call__(self) -> None:
        self.come.set()
        assert self.open.wait(20)
