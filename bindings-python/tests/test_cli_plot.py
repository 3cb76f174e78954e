"""The picture of a replay and the bar of a long one."""

from __future__ import annotations

import io
import sys
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import pytest
from matplotlib.image import imread

from tokenweir import Limits
from tokenweir._cli import main, progress
from tokenweir._cli.log import Request
from tokenweir._cli.outcome import replayed
from tokenweir._cli.series import COLUMNS, MOST_BARS, Series

ROOT = Path(__file__).resolve().parents[2]
LOG = str(ROOT / "tests" / "data" / "access.log")
SECOND = 1_000_000_000


def series_of(requests: list[Request], limits: str, key: str) -> Series:
    series = Series(requests[0].at_ns, requests[-1].at_ns, key)
    replayed(requests, Limits(limits), series)
    return series


def test_requests_are_counted_in_bars_and_the_level_is_that_of_the_key() -> None:
    at = [Request(second * SECOND, key) for second, key in [(0, "a"), (1, "a"), (1, "b"), (1, "a")]]
    series = series_of([*at, Request(9 * SECOND, "b")], "2/8s", "a")
    assert series.bars_ns == [second * SECOND for second in range(10)]
    assert series.admitted == [1, 2, 0, 0, 0, 0, 0, 0, 0, 1]
    assert series.refused == [0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
    assert (series.admitted_of_key, series.refused_of_key) == (2, 1)
    assert series.refusals_ns == [SECOND]
    points = series.level
    assert (points[0], points[-1]) == ((0, 1), (10 * SECOND, 2))
    # Empty from the second request on, until 4 s after the first there is a token again.
    steps = [(one, next) for one, next in pairwise(points) if one.tokens != next.tokens]
    assert [(one.tokens, next.tokens) for one, next in steps] == [(1, 0), (0, 1), (1, 2)]
    column = 10 * SECOND // COLUMNS
    for (one, next), expected in zip(steps, (1, 4, 8), strict=True):
        assert one.at_ns <= expected * SECOND <= next.at_ns <= expected * SECOND + column


def test_a_long_log_has_no_more_to_draw_than_a_picture_can_show() -> None:
    requests = [Request(index * 40 * SECOND, "a") for index in range(30_000)]
    series = series_of(requests, "1/min burst 5", "a")
    assert sum(series.admitted) + sum(series.refused) == 30_000
    assert 60 <= len(series.bars_ns) <= MOST_BARS
    assert len(series.level) <= 4 * (COLUMNS + 2)
    assert len(series.refusals_ns) <= COLUMNS + 2
    # In each column the lowest and the highest are there, in the order of time.
    tokens = [point.tokens for point in series.level]
    assert (tokens[0], min(tokens), max(tokens)) == (4, 0, 5)
    assert series.level == sorted(series.level, key=lambda point: point.at_ns)


@pytest.mark.parametrize("days", [0, 1, 40, 365 * 3, 365 * 500])
def test_bars_are_as_long_as_people_count_time(days: int) -> None:
    first = datetime(2015, 5, 17, 10, 5, 3, tzinfo=timezone.utc)
    epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
    first_ns = int((first - epoch).total_seconds()) * SECOND
    last_ns = first_ns + int(timedelta(days=days).total_seconds()) * SECOND
    series = Series(first_ns, last_ns, "a")
    assert 1 <= len(series.bars_ns) <= MOST_BARS + 1
    assert series.bars_ns[0] <= first_ns < series.bars_ns[0] + series.bar_ns
    assert series.bars_ns[-1] <= last_ns < series.end_ns
    assert series.bar_ns % SECOND == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--key", "client"],
        ["--key", "all", "--limit", "100/h; cycle 5/min"],
        # What matplotlib would take for mathematics, or could not draw.
        ["--key", "path", "--limit", '"$x$": 1/s; "a very long name, which is cut": interval 1/day burst 1000000000'],
    ],
)
def test_the_picture_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    file = tmp_path / "out.png"
    log = tmp_path / "a$b$.log"
    dollar = '10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /$a$\x1b HTTP/1.1" 200 3'
    log.write_text(Path(LOG).read_text() + f"{dollar}\n" * 900)
    limit = [] if "--limit" in arguments else ["--limit", "10/min"]
    assert main(["replay", str(log), *limit, *arguments, "--plot", str(file)]) == 0
    assert capsys.readouterr().out.startswith("admitted=")
    picture = imread(file)
    assert picture.shape == (900, 1500, 4)
    colors = {tuple(round(255 * part) for part in pixel) for pixel in picture[:, ::7, :3].reshape(-1, 3)}
    admitted, refused, level = (0x44, 0x77, 0xAA), (0xEE, 0x66, 0x77), (0x22, 0x88, 0x33)
    assert {admitted, refused, level} <= colors


def test_without_matplotlib_nothing_is_replayed_and_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert main(["replay", LOG, "--limit", "1/s", "--plot", "out.png"]) == 2
    assert capsys.readouterr() == (
        "",
        "tokenweir replay: --plot needs matplotlib, which is not installed; "
        "pip install 'tokenweir[cli]'\n",
    )


def test_a_picture_that_cannot_be_written_is_said_after_the_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["replay", LOG, "--limit", "10/min", "--plot", "/no/such/folder/out.png"]) == 2
    printed = capsys.readouterr()
    assert printed.out.startswith("admitted=8987 refused=1013")
    assert printed.err == (
        "tokenweir replay: cannot write /no/such/folder/out.png: No such file or directory\n"
    )


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def bar_of(monkeypatch: pytest.MonkeyPatch, stderr: io.StringIO) -> str:
    monkeypatch.setattr(progress, "LONG", 1)
    monkeypatch.setattr(sys, "stderr", stderr)
    assert main(["replay", LOG, "--limit", "10/min"]) == 0
    return stderr.getvalue()


def test_a_long_log_has_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    shown = bar_of(monkeypatch, Terminal())
    assert "replaying" in shown
    assert "980.2" in shown
    assert bar_of(monkeypatch, io.StringIO()) == ""


def test_a_short_log_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    assert main(["replay", LOG, "--limit", "10/min"]) == 0
    assert stderr.getvalue() == ""


def test_without_rich_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    assert bar_of(monkeypatch, Terminal()) == ""
