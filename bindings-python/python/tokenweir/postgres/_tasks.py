"""A store in PostgreSQL for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from psycopg import Error

from tokenweir.errors import StoreError
from tokenweir.postgres._base import Base, failed, late
from tokenweir.postgres._wire import connect
from tokenweir.stores._gate import AsyncGate

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from tokenweir.postgres._wire import Wire
    from tokenweir.stores import Change, CircuitBreaker, Reply

__all__ = ["AsyncPostgresStore"]

T = TypeVar("T")


class AsyncPostgresStore(Base):
    """As ``PostgresStore``, for the tasks of one asyncio event loop.

    The loop must be able to watch sockets, as for psycopg: on Windows that is the selector loop.
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
        self._gate = AsyncGate(max_connections, deadline)
        self._connecting = asyncio.Lock()
        self._sweeper: asyncio.Task[None] | None = None

    async def create_table(self, *, deadline: float = 10.0) -> None:
        """As ``PostgresStore.create_table``."""
        await self._with_connection(lambda wire: wire.create_table(), deadline)

    async def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        names = self._names(changes)
        reply: Reply = await self._with_connection(
            lambda wire: wire.compare_and_set(names, changes, as_of_us), self._deadline
        )
        if self._is_sweep_due(changes) and (self._sweeper is None or self._sweeper.done()):
            self._sweeper = asyncio.get_running_loop().create_task(self._sweep())
        return reply

    async def close(self) -> None:
        # A sweep under way ends within its deadlines.
        if self._sweeper is not None:
            await self._sweeper
        self._close_idle()

    async def _with_connection(
        self, talk: Callable[[Wire], Generator[tuple[int, bool], None, Any]], deadline: float
    ) -> Any:
        async with self._gate:
            try:
                wire = await self._take()
                try:
                    answer = await _drive(talk(wire), deadline, "an answer")
                except BaseException:
                    # Its answer may still come, and would be taken for that of the next question.
                    wire.close()
                    raise
            except Error as error:
                raise failed(error) from error
            self._idle.append(wire)
            if self._is_closed:
                self._close_idle()
            return answer

    async def _take(self) -> Wire:
        if (wire := self._at_hand()) is not None:
            return wire
        failures = self._gate.failures
        count = failures.count
        # One at a time: a server that has to start many at once is late with all of them.
        async with self._connecting:
            failures.check(count)
            if (wire := self._at_hand()) is not None:
                return wire
            try:
                connecting = connect(self._conninfo, self._prepare)
                return await _drive(connecting, self._deadline, "connecting")
            except Error as error:
                failures.note(failed(error))
                raise
            except StoreError as error:
                failures.note(error)
                raise

    async def _sweep(self) -> None:
        try:
            self._swept = await self._with_connection(lambda wire: wire.sweep(self._swept), 1.0)
        except StoreError:
            pass  # What has expired counts as gone, so that it can be deleted another time.


async def _drive(talk: Generator[tuple[int, bool], None, T], deadline: float, what: str) -> T:
    loop = asyncio.get_running_loop()
    until = loop.time() + deadline
    try:
        while True:
            fileno, writing = next(talk)
            if not await _ready(loop, fileno, writing, until):
                raise late(what, deadline)
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        talk.close()


async def _ready(
    loop: asyncio.AbstractEventLoop, fileno: int, writing: bool, until: float
) -> bool:
    """Whether it can be written or read in time."""
    future: asyncio.Future[bool] = loop.create_future()
    if writing:
        loop.add_writer(fileno, _settle, future, True)
    else:
        loop.add_reader(fileno, _settle, future, True)
    timer = loop.call_at(until, _settle, future, False)
    try:
        return await future
    finally:
        timer.cancel()
        if writing:
            loop.remove_writer(fileno)
        else:
            loop.remove_reader(fileno)


def _settle(future: asyncio.Future[bool], value: bool) -> None:
    if not future.done():
        future.set_result(value)
