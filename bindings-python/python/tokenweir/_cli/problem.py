"""What ends a command."""

from __future__ import annotations

import unicodedata

from tokenweir._native import Limits
from tokenweir.errors import LimitSyntaxError

__all__ = ["Problem", "limits_of"]


class Problem(Exception):
    """Why a command cannot do what it was asked for, for standard error."""


def limits_of(text: str, argument: str) -> Limits:
    """The limits that an argument says, or the mistake with a mark below its place."""
    try:
        return Limits(text)
    except LimitSyntaxError as error:
        # The mark keeps its place also where the text has a line break or a tab.
        shown = "".join(" " if unicodedata.category(char) == "Cc" else char for char in text)
        mark = " " * (error.column - 1) + "^"
        raise Problem(f"{argument}, {error}\n  {shown}\n  {mark}") from None
