"""What services have said of when they may be called."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from tokenweir._native import Received, SystemClock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokenweir._types import Clock, Key

__all__ = ["Services"]

MOST: Final = 10_000
"""How many services are remembered."""


class Services:
    """Until when each service refuses.

    An instant that is known is not taken back: whatever comes in before it answers an earlier call.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._wall: Clock = clock if clock.is_wall else SystemClock()
        self._lock = threading.Lock()
        self._not_before: dict[Key, int | None] = {}

    def wait_ns(self, service: Key) -> int | None:
        """How long a service refuses from now on, in nanoseconds: 0 if nothing is known, None for ever."""
        with self._lock:
            instant = self._not_before.get(service, 0)
            if instant is None:
                return None
            wait = instant - self._clock.now_ns
            if wait > 0:
                return wait
            self._not_before.pop(service, None)
            return 0

    def learn(self, service: Key, reply: Iterable[tuple[str, str]]) -> int | None:
        """Takes in the fields of a reply; returns how long it asks to wait, as `wait_ns` does."""
        now = self._wall.now_ns
        advice = Received.parse(reply, now_ns=now).advice
        wait = advice.wait_ns(now_ns=now)
        if wait != 0:
            self._remember(service, wait)
        return wait

    def _remember(self, service: Key, wait: int | None) -> None:
        instant = None if wait is None else self._clock.now_ns + wait
        with self._lock:
            if service in self._not_before:
                known = self._not_before.pop(service)
                instant = None if known is None or instant is None else max(known, instant)
            elif len(self._not_before) >= MOST:
                # The one that has told of nothing for longest.
                del self._not_before[next(iter(self._not_before))]
            self._not_before[service] = instant
