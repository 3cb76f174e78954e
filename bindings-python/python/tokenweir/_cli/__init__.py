"""The command line.

``replay`` asks who would have been refused, had a web server's log been under some limits; ``explain`` says
in words what limits allow. The exit status is 0, 2 if the arguments are wrong or there is nothing to replay,
130 after Ctrl-C; what went wrong is on standard error.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from typing import NoReturn

from tokenweir._cli import explain, replay
from tokenweir._cli.problem import Problem
from tokenweir._native import __version__

__all__ = ["main"]


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as for everything else that can go wrong."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see --help\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command with the arguments given, by default those of the process; returns the exit status."""
    parser = Parser(prog="tokenweir", description="An exact rate limiter, on the command line.")
    parser.add_argument("--version", action="version", version=f"tokenweir {__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", required=True)
    for command in (replay, explain):
        command.add_to(commands)
    given = parser.parse_args(arguments)
    # What a terminal or a pipe cannot show is replaced, not a reason to stop.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    try:
        given.run(given)
    except Problem as problem:
        print(f"tokenweir {given.command}: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0
