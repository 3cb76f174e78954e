"""Whose limits a call counts for, unless a key is given."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

__all__ = ["origin"]

_PORTS: Final = {"http": 80, "https": 443}


def origin(url: str) -> str:
    """The origin of a URL (RFC 6454): scheme, host in lower case, and a port that is not the usual one."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    if parts.port is None or parts.port == _PORTS.get(parts.scheme):
        return f"{parts.scheme}://{host}"
    return f"{parts.scheme}://{host}:{parts.port}"
