"""Standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from tokenweir._cli.problem import Problem

__all__ = ["show"]


def show(lines: Iterable[str]) -> None:
    """Prints lines. That nobody reads on, as in ``… | head -1``, is no error."""
    try:
        print(*lines, sep="\n", flush=True)
    except BrokenPipeError:
        # Python writes what is left when it ends, and would fail again.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except OSError as error:
        raise Problem(f"cannot write the report: {error.strerror or error}") from None
