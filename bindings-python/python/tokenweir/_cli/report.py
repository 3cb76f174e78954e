"""The report for people: the figures on the first line, then what they are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from tokenweir._cli.outcome import BOUNDS, Outcome

if TYPE_CHECKING:
    from tokenweir._cli.source import Survey
    from tokenweir._native import Limits

__all__ = ["printable", "report", "utc"]

MOST: Final = 10
"""The rows of a list."""
BAR: Final = 40
"""The characters of the longest bar."""
CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f]")


def report(
    source: str, key: str, limits: Limits, survey: Survey, outcome: Outcome
) -> Iterator[str]:
    """The lines of the report."""
    yield (
        f"admitted={outcome.admitted} refused={outcome.refused} keys={outcome.keys} "
        f"keys_refused={len(outcome.tallies)}"
    )
    yield ""
    yield f"limits    {limits}, for each {key}"
    yield f"requests  {survey.requests} in {source}"
    yield f"time      {utc(survey.first_ns)} to {utc(survey.last_ns)} UTC"
    if survey.bad:
        yield ""
        yield f"Bad lines, left out: {survey.bad}"
        for number, problem in survey.bad_first[:MOST]:
            yield f"  line {number}: {problem}"
        yield from rest(survey.bad)
    if not outcome.refused:
        yield ""
        yield "Nothing was refused."
        return
    if len(limits) > 1:
        yield ""
        yield "Refused by"
        yield "  refused  limit"
        for name, refused in zip(limits.names, outcome.refused_by, strict=True):
            yield f"  {refused:>7}  {name}"
    yield ""
    yield "Most refused"
    yield f"  refused  admitted  longest wait  {key}"
    for tally in outcome.tallies[:MOST]:
        longest = wait(tally.longest_wait_ns)
        yield (
            f"  {tally.refused:>7}  {tally.admitted:>8}  {longest:>12}  {printable(tally.key)}"
        )
    yield from rest(len(outcome.tallies))
    yield ""
    yield "Wait until the refused would have been admitted, up to"
    yield from histogram(outcome)


def histogram(outcome: Outcome) -> Iterator[str]:
    """How long the refused would have had to wait."""
    counts = [*outcome.waits, outcome.never]
    labels = [*(label for _bound, label in BOUNDS), "longer", "never"]
    used = [index for index, count in enumerate(counts) if count]
    most = max(counts)
    for index in range(used[0], used[-1] + 1):
        # A bar that is not empty can be seen.
        bar = "#" * -(-counts[index] * BAR // most)
        yield f"  {labels[index]:>7}  {counts[index]:>7}  {bar}"


def rest(count: int) -> Iterator[str]:
    """How many there are beyond those listed."""
    if count > MOST:
        yield f"  … and {count - MOST} more"


def utc(at_ns: int) -> str:
    """An instant, in whole seconds."""
    moment = datetime.fromtimestamp(at_ns // 1_000_000_000, tz=timezone.utc)
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def printable(text: str) -> str:
    """What a client sent is not for the terminal to obey."""
    return CONTROLS.sub("\ufffd", text)


def wait(nanos: int | None) -> str:
    """A wait in words, rounded up to what is shown."""
    if nanos is None:
        return "never"
    millis = -(-nanos // 1_000_000)
    tenths, secs = -(-millis // 100), -(-millis // 1000)
    mins = -(-secs // 60)
    if millis < 1_000:
        return f"{millis} ms"
    if millis < 60_000:
        return f"{tenths // 10}.{tenths % 10} s"
    if millis < 3_600_000:
        return f"{secs // 60} min {secs % 60:02} s"
    return f"{mins // 60} h {mins % 60:02} min"
