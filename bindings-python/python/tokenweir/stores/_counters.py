"""Numbers of a limiter over a store, for metrics."""

from __future__ import annotations

import threading

__all__ = ["Counts"]


class Counts:
    """Numbers that only grow."""

    __slots__ = (
        "_lock",
        "allowed",
        "answered_locally",
        "conflicts",
        "degraded",
        "operations",
        "refused",
        "store_errors",
    )

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.allowed = 0
        self.refused = 0
        self.answered_locally = 0
        self.operations = 0
        self.conflicts = 0
        self.store_errors = 0
        self.degraded = 0

    def add(self, name: str, number: int = 1) -> None:
        with self._lock:
            setattr(self, name, getattr(self, name) + number)

    def asked(self) -> None:
        with self._lock:
            self.operations += 1

    def decided(self, allowed: bool) -> None:
        with self._lock:
            if allowed:
                self.allowed += 1
            else:
                self.refused += 1

    def named(self) -> dict[str, int]:
        with self._lock:
            return {
                "allowed": self.allowed,
                "refused": self.refused,
                "answered_locally": self.answered_locally,
                "operations": self.operations,
                "conflicts": self.conflicts,
                "store_errors": self.store_errors,
                "degraded": self.degraded,
            }
