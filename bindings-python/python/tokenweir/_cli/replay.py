"""``replay``: a web server's log against limits: who would have been refused, and for how long?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenweir._cli import plot
from tokenweir._cli.as_json import as_json
from tokenweir._cli.log import KEYS
from tokenweir._cli.outcome import replayed
from tokenweir._cli.output import show
from tokenweir._cli.problem import limits_of
from tokenweir._cli.progress import Progress
from tokenweir._cli.report import report
from tokenweir._cli.series import Series
from tokenweir._cli.source import Source

if TYPE_CHECKING:
    import argparse

__all__ = ["add_to"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to those there are."""
    parser = commands.add_parser(
        "replay",
        help="replay a web server's log against limits",
        description="Replays a web server's log against limits. Each key has limits of its own, which "
        "are full at its first request.",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a log in Common or Combined Log Format, or - for standard input",
    )
    parser.add_argument(
        "--limit",
        required=True,
        metavar="LIMITS",
        help='such as "10/min", "100/hour; 5/10s" or "cycle 10/60s"; where there are several, all must '
        "have a token, and none pays when one refuses",
    )
    parser.add_argument(
        "--key",
        choices=tuple(KEYS),
        default="client",
        help="what has limits of its own: client (the default), path, status, or all for one set of "
        "limits over all requests",
    )
    parser.add_argument(
        "--json", action="store_true", help="print an object in JSON instead of the report"
    )
    parser.add_argument(
        "--plot",
        metavar="PICTURE",
        help="also draw what was admitted and refused over time, and the level of the busiest key, as "
        "a .png, .svg or .pdf; needs matplotlib, which the extra tokenweir[cli] installs",
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> None:
    """Replays the log and prints the report."""
    limits = limits_of(given.limit, "--limit")
    if given.plot is not None:
        # Not only when all is done.
        plot.figure_class(given.plot)
    with Source.opened(given.file, KEYS[given.key]) as source, Progress(source.size) as progress:
        progress.step("reading")
        survey = source.survey(progress, count_keys=given.plot is not None)
        series = None
        if given.plot is not None:
            series = Series(survey.first_ns, survey.last_ns, survey.busiest)
        progress.step("replaying")
        outcome = replayed(source.requests(survey, progress), limits, series)
    if given.json:
        show([as_json(source.name, given.key, limits, survey, outcome)])
    else:
        show(report(source.name, given.key, limits, survey, outcome))
    if series is not None:
        plot.draw(given.plot, source.name, given.key, limits, series)
