"""The store's time, without asking for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

__all__ = ["StoreClock", "monotonic_ns"]

monotonic_ns: Callable[[], int]
"""Nanoseconds since some instant."""

if hasattr(time, "CLOCK_BOOTTIME"):
    # Goes on while the machine sleeps, as the store does.
    monotonic_ns = partial(time.clock_gettime_ns, time.CLOCK_BOOTTIME)
else:
    monotonic_ns = time.monotonic_ns


_NEVER = (0, 0)


class StoreClock:
    """The time of the latest reply and what has passed since it arrived.

    The store read its clock before the reply arrived, so this is never later than the store's own. The wall
    clock of this machine is not read.
    """

    __slots__ = ("_base",)

    def __init__(self) -> None:
        # One value, so that threads see both parts of the same reply.
        self._base = _NEVER

    def heard(self, now_us: int, at_ns: int) -> None:
        """A reply arrived, at a reading of ``monotonic_ns``."""
        self._base = (now_us, at_ns)

    @property
    def is_set(self) -> bool:
        """Whether the store was ever heard."""
        return self._base != _NEVER

    def now_us(self, at_ns: int) -> int:
        """The store's time at a reading of ``monotonic_ns``, in microseconds since the Unix epoch."""
        now_us, heard_ns = self._base
        return now_us + (at_ns - heard_ns) // 1000
