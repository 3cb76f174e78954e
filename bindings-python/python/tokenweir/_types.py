from __future__ import annotations

from typing import TypeAlias, Union

__all__ = ["Key"]

Key: TypeAlias = Union[str, bytes, int, "tuple[Key, ...]"]
"""A key of a keyed limiter. Keys of different types differ, as ``"1"`` and ``1`` do."""
