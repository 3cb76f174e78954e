"""``explain``: what limits allow, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenweir._cli.output import show
from tokenweir._cli.problem import limits_of

if TYPE_CHECKING:
    import argparse

__all__ = ["add_to"]


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to those there are."""
    parser = commands.add_parser(
        "explain",
        help="say in words what limits allow",
        description="Says in words what limits allow: burst, sustained rate, worst case, recovery.",
    )
    parser.add_argument(
        "limits", metavar="LIMITS", help='such as "100/s burst 200; 10000/day aligned"'
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> None:
    """Prints what the limits allow."""
    show(limits_of(given.limits, "LIMITS").explain().splitlines())
