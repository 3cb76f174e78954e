"""Waiting for a socket for a time."""

from __future__ import annotations

import math
import select

__all__ = ["is_ready"]

if hasattr(select, "poll"):

    def is_ready(fileno: int, writing: bool, seconds: float) -> bool:
        """Whether it can be written or read in time."""
        poll = select.poll()
        poll.register(fileno, select.POLLOUT if writing else select.POLLIN)
        return bool(poll.poll(max(math.ceil(seconds * 1000), 0)))

else:

    def is_ready(fileno: int, writing: bool, seconds: float) -> bool:
        """Whether it can be written or read in time."""
        reads, writes = ([], [fileno]) if writing else ([fileno], [])
        return any(select.select(reads, writes, [], max(seconds, 0)))
