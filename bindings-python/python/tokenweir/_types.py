from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, Union

if TYPE_CHECKING:
    from tokenweir._native import ManualClock, MonotonicClock, SystemClock

__all__ = ["Clock", "Key"]

Key: TypeAlias = Union[str, bytes, int, "tuple[Key, ...]"]
"""A key of a keyed limiter. Keys of different types differ, as ``"1"`` and ``1`` do."""

Clock: TypeAlias = Union["ManualClock", "MonotonicClock", "SystemClock"]
"""What limiters read."""
