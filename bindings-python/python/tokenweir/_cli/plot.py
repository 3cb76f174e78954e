"""The replay as a picture: what was admitted and refused over time, and the level of the busiest key."""

from __future__ import annotations

import os
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tokenweir._cli.problem import Problem
from tokenweir._cli.report import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tokenweir._cli.series import Series
    from tokenweir._native import Limits

__all__ = ["draw", "figure_class"]

# Told apart also by those who do not see all colors.
ADMITTED: Final = "#4477aa"
REFUSED: Final = "#ee6677"
LEVEL: Final = "#228833"
QUOTA: Final = "#555555"

SECOND_NS: Final = 1_000_000_000
LONGEST: Final = 60
"""The characters of a key or of limits that have room in a title."""
UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


def figure_class(file: str) -> Any:
    """What draws, if it is installed and can write such a file; otherwise a `Problem`."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
        from matplotlib.figure import Figure
    except ImportError:
        raise Problem(
            "--plot needs matplotlib, which is not installed; pip install 'tokenweir[cli]'"
        ) from None
    kinds = FigureCanvasBase.get_supported_filetypes()
    kind = Path(file).suffix.removeprefix(".").lower()
    if kind not in kinds:
        raise Problem(f"--plot writes {', '.join(sorted(kinds))}, not {kind or 'a file without'}")
    return Figure


def draw(file: str, source: str, key: str, limits: Limits, series: Series) -> None:
    """Writes the picture; a `Problem` if it cannot be written."""
    whom = "all requests" if key == "all" else f"each {key}"
    title = f"{shortened(str(limits))} for {whom}: {shortened(os.path.basename(source))}"
    figure = figure_class(file)(figsize=(10, 6), dpi=150, layout="constrained")
    requests, level = figure.subplots(2, sharex=True, height_ratios=(3, 2))
    figure.suptitle(title, parse_math=False)
    draw_requests(requests, series)
    draw_level(level, key, limits, series)
    draw_times(level, series)
    try:
        figure.savefig(file)
    except OSError as error:
        raise Problem(f"cannot write {file}: {error.strerror or error}") from None


def draw_requests(axes: Axes, series: Series) -> None:
    """What was admitted and refused, in bars on top of one another."""
    starts: list[Any] = [moment(at_ns) for at_ns in series.bars_ns]
    width: Any = timedelta(seconds=series.bar_ns // SECOND_NS)
    parts = (
        ("admitted", ADMITTED, series.admitted, [0] * len(starts)),
        ("refused", REFUSED, series.refused, series.admitted),
    )
    for name, color, counts, below in parts:
        label = f"{name}: {sum(counts):,}"
        axes.bar(starts, counts, width, bottom=below, align="edge", color=color, label=label)
    axes.set_ylabel(f"requests per {length(series.bar_ns // SECOND_NS)}")
    finish(axes)


def draw_level(axes: Axes, key: str, limits: Limits, series: Series) -> None:
    """How many tokens the busiest key has left."""
    points = series.level
    times: list[Any] = [moment(point.at_ns) for point in points]
    axes.plot(times, [point.tokens for point in points], color=LEVEL, linewidth=1, label="tokens left")
    quota = min(limits.quotas)
    axes.axhline(quota, color=QUOTA, linewidth=1, linestyle="--", label=f"burst: {quota:,}")
    top = max(quota, *(point.tokens for point in points))
    if series.refusals_ns:
        refused: list[Any] = [moment(at_ns) for at_ns in series.refusals_ns]
        # Below the line of an empty bucket.
        below = [-0.07 * top] * len(refused)
        label = f"refused: {series.refused_of_key:,}"
        axes.plot(refused, below, "|", color=REFUSED, markersize=8, label=label)
    axes.set_ylim(-0.14 * top, top * 1.08)
    axes.set_ylabel("tokens")
    requests = series.admitted_of_key + series.refused_of_key
    plural = "" if requests == 1 else "s"
    who = "all" if key == "all" else f"the busiest {key}: {shortened(series.key)},"
    title = f"{who} {requests:,} request{plural}"
    axes.set_title(title, fontsize="medium", parse_math=False)
    finish(axes)


def draw_times(axes: Axes, series: Series) -> None:
    """The time axis, which both share."""
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    locator = AutoDateLocator(tz=timezone.utc)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    formatter = ConciseDateFormatter(locator, tz=timezone.utc)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(formatter)
    axes.set_xlabel("time (UTC)")
    ends: list[Any] = [moment(series.bars_ns[0]), moment(series.end_ns)]
    axes.set_xlim(*ends)


def finish(axes: Axes) -> None:
    """The legend beside the picture, where it hides nothing, and whole numbers from bottom to top."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_locator(MaxNLocator(nbins="auto", integer=True))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def moment(at_ns: int) -> datetime:
    """An instant; a part of a microsecond is nothing to see."""
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(microseconds=at_ns // 1000)


def length(seconds: int) -> str:
    """A whole number of the largest unit that measures it."""
    size, unit = next((size, unit) for size, unit in UNITS if seconds % size == 0)
    count = seconds // size
    return unit if count == 1 else f"{count} {unit}s"


def shortened(text: str) -> str:
    """Text that fits a title."""
    text = printable(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
