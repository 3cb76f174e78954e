"""How far a long replay is."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import TaskID
    from rich.progress import Progress as Bars

__all__ = ["Progress"]

LONG: Final = 8 << 20
"""From how many bytes on a replay takes long enough for a bar."""
STEP: Final = 1 << 20
"""How many bytes are read between two looks at the bar."""


class Progress:
    """A bar on standard error, where that is a terminal, the log is long and `rich` is installed."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._since = 0
        self._bars: Bars | None = None
        self._task: TaskID | None = None
        self._closing = ExitStack()

    def __enter__(self) -> Progress:
        if self._total >= LONG and sys.stderr.isatty():
            self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.close()

    def step(self, what: str) -> None:
        """The next pass over the same bytes."""
        if self._bars is not None:
            if self._task is not None:
                self._bars.remove_task(self._task)
            self._since = 0
            self._task = self._bars.add_task(what, total=self._total)

    def advance(self, count: int) -> None:
        """So many bytes more were read."""
        if self._bars is None or self._task is None:
            return
        self._since += count
        if self._since >= STEP:
            self._bars.update(self._task, advance=self._since)
            self._since = 0

    def _start(self) -> None:
        try:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                DownloadColumn,
                TextColumn,
                TimeRemainingColumn,
                TransferSpeedColumn,
            )
            from rich.progress import (
                Progress as Bars,
            )
        except ImportError:
            # The replay is the same without it.
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
        )
        bars = Bars(*columns, console=Console(stderr=True), transient=True)
        self._bars = self._closing.enter_context(bars)
