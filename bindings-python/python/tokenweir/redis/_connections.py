"""Connections of redis-py that are kept at hand."""

from __future__ import annotations

import os
import time
from typing import Any

from redis.exceptions import RedisError

__all__ = ["Connections"]

_SURELY_OPEN = 0.01
"""For how long, in seconds, a connection is not looked at after it was used: no server restarts faster."""


class Connections:
    """Connections of redis-py's pool that are kept at hand.

    What the client and its pool do around each command takes as long as the command itself on a fast network.
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        # Each with when it was put back.
        self._idle: list[tuple[Any, float]] = []
        self._process = os.getpid()

    def take(self) -> Any:
        if self._process != os.getpid():
            # After a fork these are the parent's.
            self._process = os.getpid()
            self._idle = []
        while True:
            try:
                connection, since = self._idle.pop()
            except IndexError:
                return self._pool.get_connection()
            if time.monotonic() - since < _SURELY_OPEN:
                return connection
            try:
                # There is something to read only if the server has closed it.
                if not connection.can_read():
                    return connection
            except (RedisError, OSError):
                pass  # As well.
            self.drop(connection)

    def put(self, connection: Any) -> None:
        self._idle.append((connection, time.monotonic()))

    def drop(self, connection: Any) -> None:
        connection.disconnect()
        self._pool.release(connection)

    def close(self) -> None:
        while self._idle:
            self.drop(self._idle.pop()[0])
