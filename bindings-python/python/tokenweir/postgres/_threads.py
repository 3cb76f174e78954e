"""A store in PostgreSQL for programs with threads."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg import Error

from tokenweir.errors import StoreError
from tokenweir.postgres._base import Base, failed, late
from tokenweir.postgres._poll import is_ready
from tokenweir.postgres._wire import connect
from tokenweir.stores._gate import Gate

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from tokenweir.postgres._wire import Wire
    from tokenweir.stores import Change, CircuitBreaker, Reply

__all__ = ["PostgresStore"]

T = TypeVar("T")


class PostgresStore(Base):
    """A store in PostgreSQL, for programs with threads.

    ``conninfo`` is as for ``psycopg.connect``. Connecting takes at most ``deadline`` seconds and an answer as
    many; nothing is tried again. At most ``max_connections`` are made, as they are needed. Behind a pooler
    that does not know prepared statements, give ``prepare=False``.

    Call ``create_table`` once, when the application is installed or starts.
    """

    def __init__(
        self,
        conninfo: str = "",
        *,
        deadline: float = 0.05,
        max_connections: int = 10,
        prepare: bool = True,
        prefix: str = "tokenweir:",
        breaker: CircuitBreaker | None = None,
    ) -> None:
        super().__init__(conninfo, deadline, prepare, prefix, breaker)
        self._gate = Gate(max_connections, deadline)
        self._connecting = threading.Lock()
        self._sweeping = threading.Lock()

    def create_table(self, *, deadline: float = 10.0) -> None:
        """Makes the table and its functions, where they are not there yet; needs the right to create."""
        self._with_connection(lambda wire: wire.create_table(), deadline)

    def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        names = self._names(changes)
        reply: Reply = self._with_connection(
            lambda wire: wire.compare_and_set(names, changes, as_of_us), self._deadline
        )
        if self._is_sweep_due(changes) and self._sweeping.acquire(blocking=False):
            threading.Thread(target=self._sweep, name="tokenweir-sweep", daemon=True).start()
        return reply

    def close(self) -> None:
        # A sweep under way ends within its deadlines.
        with self._sweeping:
            self._close_idle()

    def _with_connection(
        self, talk: Callable[[Wire], Generator[tuple[int, bool], None, Any]], deadline: float
    ) -> Any:
        with self._gate:
            try:
                wire = self._take()
                try:
                    answer = _drive(talk(wire), deadline, "an answer")
                except BaseException:
                    # Its answer may still come, and would be taken for that of the next question.
                    wire.close()
                    raise
            except Error as error:
                raise failed(error) from error
            self._put(wire)
            return answer

    def _take(self) -> Wire:
        if (wire := self._at_hand()) is not None:
            return wire
        failures = self._gate.failures
        count = failures.count
        # One at a time: a server that has to start many at once is late with all of them.
        with self._connecting:
            failures.check(count)
            if (wire := self._at_hand()) is not None:
                return wire
            try:
                return _drive(connect(self._conninfo, self._prepare), self._deadline, "connecting")
            except Error as error:
                failures.note(failed(error))
                raise
            except StoreError as error:
                failures.note(error)
                raise

    def _put(self, wire: Wire) -> None:
        self._idle.append(wire)
        if self._is_closed:
            self._close_idle()

    def _sweep(self) -> None:
        try:
            self._swept = self._with_connection(lambda wire: wire.sweep(self._swept), 1.0)
        except StoreError:
            pass  # What has expired counts as gone, so that it can be deleted another time.
        finally:
            self._sweeping.release()


def _drive(talk: Generator[tuple[int, bool], None, T], deadline: float, what: str) -> T:
    until = time.monotonic() + deadline
    try:
        while True:
            fileno, writing = next(talk)
            if not is_ready(fileno, writing, until - time.monotonic()):
                talk.close()
                raise late(what, deadline)
    except StopIteration as end:
        value: T = end.value
        return value
