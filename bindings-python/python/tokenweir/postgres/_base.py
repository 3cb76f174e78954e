"""What the stores for threads and for asyncio share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from psycopg import Error

from tokenweir.errors import StoreError
from tokenweir.postgres._poll import is_ready
from tokenweir.stores import CircuitBreaker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenweir.postgres._wire import Wire
    from tokenweir.stores import Change

__all__ = ["Base", "failed", "late"]

_SWEEP_EVERY = 500
"""Writes between two sweeps."""


class Base:
    """Where the server is, the connections at hand, and when to sweep."""

    one_clock = True

    def __init__(
        self,
        conninfo: str,
        deadline: float,
        prepare: bool,
        prefix: str,
        breaker: CircuitBreaker | None,
    ) -> None:
        self.breaker: CircuitBreaker | None = breaker if breaker is not None else CircuitBreaker()
        self._conninfo = conninfo
        self._deadline = deadline
        self._prepare = prepare
        self._prefix = prefix
        self._idle: list[Wire] = []
        self._process = os.getpid()
        self._is_closed = False
        self._writes = 0
        self._swept = ""

    def _names(self, changes: Sequence[Change]) -> list[str]:
        names = [self._prefix + change.key for change in changes]
        if any("\0" in name for name in names):
            raise ValueError("key: PostgreSQL has no text with a NUL character")
        return names

    def _next_idle(self) -> Wire | None:
        """A connection, which the server may have closed."""
        if self._is_closed:
            raise StoreError("the store is closed", "store_closed")
        if self._process != os.getpid():
            # After a fork these are the parent's. Not closed: that would tell the server.
            self._process = os.getpid()
            _PARENTS.extend(self._idle)
            self._idle = []
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _at_hand(self) -> Wire | None:
        """A connection at hand that the server has not closed."""
        while (wire := self._next_idle()) is not None:
            # There is something to read only if the server has closed it.
            if not is_ready(wire.fileno, False, 0):
                return wire
            wire.close()
        return None

    def _is_sweep_due(self, changes: Sequence[Change]) -> bool:
        self._writes += any(change.wanted is not None for change in changes)
        if self._writes < _SWEEP_EVERY:
            return False
        self._writes = 0
        return True

    def _close_idle(self) -> None:
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()


_PARENTS: list[Wire] = []
"""Connections of the process this one was forked from, kept so that they are not closed."""


def failed(error: Error) -> StoreError:
    return StoreError(f"PostgreSQL: {str(error).strip()}", "store_failed")


def late(what: str, deadline: float) -> StoreError:
    return StoreError(f"PostgreSQL: {what} took more than {deadline} s", "store_timeout")
