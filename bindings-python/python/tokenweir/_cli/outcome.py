"""What became of the requests of a log."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

from tokenweir._native import Limits, _Replay

if TYPE_CHECKING:
    from tokenweir._cli.log import Request
    from tokenweir._cli.series import Series

__all__ = ["BOUNDS", "Outcome", "Tally", "replayed"]

SECOND_NS: Final = 1_000_000_000

BOUNDS: Final[tuple[tuple[int, str], ...]] = (
    (SECOND_NS // 1000, "1 ms"),
    (SECOND_NS // 100, "10 ms"),
    (SECOND_NS // 10, "100 ms"),
    (SECOND_NS, "1 s"),
    (2 * SECOND_NS, "2 s"),
    (5 * SECOND_NS, "5 s"),
    (10 * SECOND_NS, "10 s"),
    (30 * SECOND_NS, "30 s"),
    (60 * SECOND_NS, "1 min"),
    (600 * SECOND_NS, "10 min"),
    (3600 * SECOND_NS, "1 h"),
    (86_400 * SECOND_NS, "1 day"),
)
"""What waits are counted by: up to so many nanoseconds. Beyond the last are those that are longer."""
BOUNDS_NS: Final = [bound for bound, _label in BOUNDS]


class Tally(NamedTuple):
    """What became of the requests of one key."""

    key: str
    admitted: int
    refused: int
    longest_wait_ns: int | None
    """The longest wait until one would have been admitted; None if it never would have been."""


class Outcome(NamedTuple):
    """What became of all of them."""

    admitted: int
    refused: int
    keys: int
    tallies: list[Tally]
    """The keys of which some were refused, the most refused first."""
    refused_by: list[int]
    """How many each limit refused."""
    waits: list[int]
    """How many of the refused would have been admitted after a wait, by `BOUNDS` and beyond."""
    never: int
    """How many would never have been."""


def replayed(requests: Iterable[Request], limits: Limits, series: Series | None) -> Outcome:
    """Runs one limiter for each key, which begins full at the first request of that key."""
    replay = _Replay(limits)
    refused_by = [0] * len(limits)
    waits = [0] * (len(BOUNDS) + 1)
    admitted = never = 0
    for at_ns, key in requests:
        if series is not None:
            series.before(at_ns, key, replay)
        refusal = replay.check(key, at_ns)
        if series is not None:
            series.after(at_ns, key, replay, admitted=refusal is None)
        if refusal is None:
            admitted += 1
            continue
        limit, wait_ns = refusal
        refused_by[limit] += 1
        if wait_ns is None:
            never += 1
        else:
            waits[bisect_left(BOUNDS_NS, wait_ns)] += 1
    if series is not None:
        series.end(replay)
    refused = sum(refused_by)
    tallies = [Tally(*tally) for tally in replay.refused()]
    return Outcome(admitted, refused, len(replay), tallies, refused_by, waits, never)
