"""A request as policies see it, whatever framework it came by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["PathTable", "Request"]

T = TypeVar("T")


class Request(ABC):
    """What key, cost and plan functions are given."""

    __slots__ = ("asynchronous", "method", "native", "path", "peer")

    method: str
    """``"GET"`` and so on."""
    path: str
    """The path within the application, decoded: ``"/search"``."""
    peer: str
    """The address of the other end of the connection; empty if it has none, as on a Unix socket."""
    native: Any
    """What the framework calls the request: Django's or Flask's request, FastAPI's in a dependency, an
    ASGI scope or a WSGI environ in a middleware."""
    asynchronous: bool
    """Whether the functions may return awaitables."""

    @abstractmethod
    def lines(self, name: str) -> list[str]:
        """The values of a header field, in order; ``name`` in any case."""

    def header(self, name: str) -> str | None:
        """The value of a header field; several as one, as RFC 9110 section 5.2 joins them."""
        return ", ".join(self.lines(name)) or None


class PathTable(Generic[T]):
    """What belongs to a request by its path: ``"/search"``, ``"POST /search"``, ``"/static/*"``.

    A ``*`` at the end stands for anything, and GET for HEAD as well. The first entry that fits counts.
    """

    def __init__(self, entries: Mapping[str, T], argument: str) -> None:
        self._entries = [(*_parts(pattern, argument), value) for pattern, value in entries.items()]

    @classmethod
    def of(cls, patterns: Iterable[str], argument: str) -> PathTable[bool]:
        if isinstance(patterns, str):
            raise TypeError(f"{argument}: a list of paths is needed, not {patterns!r}")
        return PathTable(dict.fromkeys(patterns, True), argument)

    def find(self, request: Request) -> T | None:
        methods = ("", request.method, "GET" if request.method == "HEAD" else request.method)
        for method, path, is_prefix, value in self._entries:
            fits = request.path.startswith(path) if is_prefix else request.path == path
            if fits and method in methods:
                return value
        return None


def _parts(pattern: str, argument: str) -> tuple[str, str, bool]:
    method, _, path = pattern.rpartition(" ")
    if not path.startswith("/") or method != method.upper() or "*" in path[:-1]:
        raise ValueError(
            f"{argument}: {pattern!r} is not a path such as '/search', 'POST /search' or '/static/*'"
        )
    return method, path.removesuffix("*"), path.endswith("*")
