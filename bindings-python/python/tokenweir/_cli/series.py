"""What a replay is like over time, as much as a picture can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from tokenweir._native import _Replay

__all__ = ["Point", "Series"]

SECOND_NS: Final = 1_000_000_000
MOST_BARS: Final = 120
COLUMNS: Final = 1_500
"""About as many as a picture has pixels from left to right."""

# Lengths of time whose multiples people read easily, in seconds.
WIDTHS: Final = (
    (1, 2, 5, 10, 15, 30)
    + tuple(60 * minutes for minutes in (1, 2, 5, 10, 15, 30))
    + tuple(3_600 * hours for hours in (1, 2, 3, 6, 12))
    + tuple(86_400 * days for days in (1, 2, 7, 14, 28, 91, 365))
)


class Point(NamedTuple):
    """How many tokens there are at an instant."""

    at_ns: int
    tokens: int


class Series:
    """Requests counted in bars of time, and the level of one key.

    Of the level each column of the picture keeps its first, lowest, highest and last point, which is
    all that a line through any number of points shows.
    """

    def __init__(self, first_ns: int, last_ns: int, key: str) -> None:
        self.key = key
        """Whose level is kept."""
        self.bar_ns = bar_width_ns(last_ns - first_ns)
        """How long a bar lasts."""
        self._start_ns = first_ns - first_ns % self.bar_ns
        bars = (last_ns - self._start_ns) // self.bar_ns + 1
        self.admitted = [0] * bars
        self.refused = [0] * bars
        self.refused_of_key = 0
        self.admitted_of_key = 0
        self.end_ns = self._start_ns + bars * self.bar_ns
        """When the last bar ends."""
        self._column_ns = (self.end_ns - self._start_ns) // COLUMNS
        self._columns: dict[int, list[Point]] = {}
        self._refusals: dict[int, int] = {}
        self._sampled_ns = first_ns

    @property
    def bars_ns(self) -> list[int]:
        """When each bar begins."""
        return [self._start_ns + index * self.bar_ns for index in range(len(self.admitted))]

    @property
    def level(self) -> list[Point]:
        """The level of the key, in the order of time."""
        return [point for column in self._columns.values() for point in sorted_points(column)]

    @property
    def refusals_ns(self) -> list[int]:
        """When requests of the key were refused, of those near together the first."""
        return list(self._refusals.values())

    def before(self, at_ns: int, key: str, replay: _Replay) -> None:
        """A request is about to be decided."""
        if at_ns - self._sampled_ns >= self._column_ns or key == self.key:
            self._sample(at_ns, replay)

    def after(self, at_ns: int, key: str, replay: _Replay, *, admitted: bool) -> None:
        """It was decided."""
        bar = (at_ns - self._start_ns) // self.bar_ns
        (self.admitted if admitted else self.refused)[bar] += 1
        if key != self.key:
            return
        if admitted:
            self.admitted_of_key += 1
        else:
            self.refused_of_key += 1
            self._refusals.setdefault(at_ns // self._column_ns, at_ns)
        self._look(at_ns, replay)

    def end(self, replay: _Replay) -> None:
        """There are no more requests."""
        self._sample(self.end_ns, replay)

    def _sample(self, until_ns: int, replay: _Replay) -> None:
        """Looks at the level once in each column since the last request, since it also changes by
        itself."""
        for at_ns in range(self._sampled_ns, until_ns, self._column_ns):
            self._look(at_ns, replay)
        self._look(until_ns, replay)
        self._sampled_ns = until_ns

    def _look(self, at_ns: int, replay: _Replay) -> None:
        tokens = replay.available(self.key, at_ns)
        if tokens is None:
            return
        point = Point(at_ns, tokens)
        column = self._columns.get(at_ns // self._column_ns)
        if column is None:
            self._columns[at_ns // self._column_ns] = [point] * 4
            return
        if tokens < column[1].tokens:
            column[1] = point
        if tokens > column[2].tokens:
            column[2] = point
        column[3] = point


def sorted_points(column: list[Point]) -> list[Point]:
    """The first, lowest, highest and last point of a column, in the order in which they came."""
    first, lowest, highest, last = column
    # At one instant tokens only become fewer.
    between = sorted((lowest, highest), key=lambda point: (point.at_ns, -point.tokens))
    return list(dict.fromkeys((first, *between, last)))


def bar_width_ns(length_ns: int) -> int:
    """The shortest of the usual widths of which not too many cover the length."""
    for width in WIDTHS:
        if length_ns // (width * SECOND_NS) < MOST_BARS:
            return width * SECOND_NS
    years = length_ns // (WIDTHS[-1] * SECOND_NS * MOST_BARS) + 1
    return years * WIDTHS[-1] * SECOND_NS
