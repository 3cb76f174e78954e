"""A log that is read twice, so that it need not be kept.

Servers write a request when it ends, with the time at which it began: lines are not quite in the order of
their times, and a replay has to be. The first pass finds how late a line can be, the second keeps only the
requests of so long a time. A log that is in order, or nearly, takes no memory however long it is.
"""

from __future__ import annotations

import heapq
import io
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import IO, Final

from tokenweir._cli.log import SPACES, BadLine, Request, request
from tokenweir._cli.problem import Problem
from tokenweir._cli.progress import Progress

__all__ = ["Source", "Survey"]

MOST_BAD: Final = 10
"""How many bad lines are kept; the others are counted."""


@dataclass
class Survey:
    """What the first pass finds."""

    requests: int = 0
    first_ns: int = 0
    last_ns: int = 0
    latest_by_ns: int = 0
    """How long before a line above it a line can be."""
    bad: int = 0
    bad_first: list[tuple[int, str]] = field(default_factory=list)
    """The numbers of the first bad lines, counted from 1, and what is wrong with them."""
    lines: int = 0
    keys: Counter[str] | None = None
    """How many requests each key has, where that is wanted."""

    @property
    def busiest(self) -> str:
        """The key with the most requests, of several the one that comes first."""
        assert self.keys is not None
        return self.keys.most_common(1)[0][0]


class Source:
    """A log, in a file or on standard input, opened once."""

    def __init__(self, name: str, stream: IO[bytes], key: Callable[[str, str, str], str]) -> None:
        self.name = name
        self._stream = stream
        self._key = key
        self._start = stream.tell()
        self.size = stream.seek(0, os.SEEK_END) - self._start
        """In bytes."""

    def survey(self, progress: Progress, *, count_keys: bool) -> Survey:
        """The first pass. A log without a request is a `Problem`."""
        found = Survey(keys=Counter() if count_keys else None)
        self._stream.seek(self._start)
        for number, line in self._lines(progress, None):
            found.lines = number
            try:
                at_ns, key = request(line, self._key)
            except BadLine as problem:
                found.bad += 1
                if len(found.bad_first) < MOST_BAD:
                    found.bad_first.append((number, str(problem)))
                continue
            if not found.requests:
                found.first_ns = found.last_ns = at_ns
            found.requests += 1
            found.first_ns = min(found.first_ns, at_ns)
            found.last_ns = max(found.last_ns, at_ns)
            found.latest_by_ns = max(found.latest_by_ns, found.last_ns - at_ns)
            if found.keys is not None:
                found.keys[key] += 1
        if not found.requests:
            raise Problem(self._nothing(found))
        return found

    def requests(self, survey: Survey, progress: Progress) -> Iterator[Request]:
        """The second pass: the requests in the order of their times, then of their lines."""
        parsed = in_order(self._parsed(survey.lines, progress), survey.latest_by_ns)
        count = 0
        for count, found in enumerate(parsed, start=1):
            yield found
        if count != survey.requests:
            raise Problem(f"{self.name} changed while it was read")

    def _parsed(self, lines: int, progress: Progress) -> Iterator[Request]:
        self._stream.seek(self._start)
        for _number, line in self._lines(progress, lines):
            try:
                yield request(line, self._key)
            except BadLine:
                continue

    def _lines(self, progress: Progress, most: int | None) -> Iterator[tuple[int, str]]:
        """The lines that are not empty, with their numbers; not those written since the first pass."""
        try:
            for number, line in enumerate(self._stream, start=1):
                if most is not None and number > most:
                    return
                progress.advance(len(line))
                # Clients send what they like: bytes that are not text do not make a line bad.
                text = line.removesuffix(b"\n").decode(errors="replace")
                if text.strip(SPACES):
                    yield number, text
        except OSError as error:
            raise unreadable(self.name, error) from None

    def _nothing(self, found: Survey) -> str:
        if not found.bad_first:
            return f"{self.name} is empty"
        number, problem = found.bad_first[0]
        return (
            f"{self.name} has no request in Common or Combined Log Format; "
            f"line {number}: {problem}"
        )

    @staticmethod
    @contextmanager
    def opened(path: str, key: Callable[[str, str, str], str]) -> Iterator[Source]:
        """The log at a path, or on standard input for ``-``."""
        with ExitStack() as closing:
            if path == "-":
                name = "standard input"
                # Closed, it is as good as empty.
                stream = sys.stdin.buffer if sys.stdin else io.BytesIO()
            else:
                name = path
                try:
                    stream = closing.enter_context(open(path, "rb"))
                except (OSError, ValueError) as error:
                    raise unreadable(path, error) from None
            if not stream.seekable():
                stream = closing.enter_context(spooled(name, stream))
            yield Source(name, stream, key)


def in_order(requests: Iterable[Request], late_by_ns: int) -> Iterator[Request]:
    """The requests by time, of which none is earlier than one above it by more than that; those of the
    same time stay in order."""
    if not late_by_ns:
        yield from requests
        return
    held: list[tuple[int, int, Request]] = []
    latest = 0
    for index, found in enumerate(requests):
        latest = max(latest, found.at_ns)
        heapq.heappush(held, (found.at_ns, index, found))
        while held and held[0][0] <= latest - late_by_ns:
            yield heapq.heappop(held)[2]
    while held:
        yield heapq.heappop(held)[2]


@contextmanager
def spooled(name: str, stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """What cannot be read twice, on disk until the replay is over."""
    with tempfile.TemporaryFile() as copy:
        try:
            while chunk := stream.read(1 << 20):
                copy.write(chunk)
            copy.seek(0)
        except OSError as error:
            raise unreadable(name, error) from None
        yield copy


def unreadable(name: str, error: Exception) -> Problem:
    """What the system says about a file."""
    reason = error.strerror if isinstance(error, OSError) else None
    return Problem(f"cannot read {name}: {reason or error}")
