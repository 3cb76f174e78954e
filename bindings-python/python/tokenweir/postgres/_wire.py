"""Talking to PostgreSQL by psycopg's libpq, without waiting here: generators that yield what they wait for.

psycopg's own connections have no deadline of milliseconds, for connecting or for an answer. These yield
``(file number, True to write or False to read)`` and go on when that is possible; who drives them keeps the
deadline.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, TypeAlias

from psycopg import OperationalError, pq

from tokenweir.stored import SCHEMA_SQL
from tokenweir.stores import Reply

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from psycopg.pq.abc import PGconn, PGresult

    from tokenweir.stores import Change

__all__ = ["Connecting", "Talking", "Wire", "connect"]

Connecting: TypeAlias = "Generator[tuple[int, bool], None, Wire]"
Talking: TypeAlias = "Generator[tuple[int, bool], None, Reply | None]"

_ONE = (
    b"SELECT same, now_us, present FROM tokenweir_compare_and_set"
    b"($1::text, $2::bytea, $3::bytea, $4::bigint, $5::bigint)"
)
_ALL = (
    b"SELECT same, now_us, present FROM tokenweir_compare_and_set_all"
    b"($1::text[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bigint)"
)
_SWEEP = b"SELECT next, deleted FROM tokenweir_sweep($1::text, $2::integer)"
_PAGE = 1000
"""How many names one sweep looks at."""

_BYTEA, _INT8, _TEXT = 17, 20, 25
_AGAIN = (b"40001", b"40P01")
"""A serialization failure and a deadlock: somebody else was first."""


def connect(conninfo: str, prepare: bool) -> Connecting:
    """A new connection."""
    link = pq.PGconn.connect_start(conninfo.encode())
    try:
        while (status := link.connect_poll()) != pq.PollingStatus.OK:
            if status == pq.PollingStatus.FAILED:
                raise OperationalError(link.get_error_message())
            yield link.socket, status == pq.PollingStatus.WRITING
        link.nonblocking = 1
    except BaseException:
        link.finish()
        raise
    return Wire(link, prepare)


class Wire:
    """A connection, on which one thing is asked at a time."""

    def __init__(self, link: PGconn, prepare: bool) -> None:
        self._link = link
        self._prepare = prepare
        self._prepared: set[bytes] = set()

    @property
    def fileno(self) -> int:
        return self._link.socket

    def close(self) -> None:
        self._link.finish()

    def compare_and_set(self, names: Sequence[str], changes: Sequence[Change], as_of_us: int) -> Talking:
        """The one operation."""
        as_of = struct.pack("!q", as_of_us)
        if len(changes) == 1:
            change = changes[0]
            keep = struct.pack("!q", change.keep_ms)
            params = [names[0].encode(), change.expected, change.wanted, keep, as_of]
            result = yield from self._ask(_ONE, params)
            several = False
        else:
            params = [
                _array(_TEXT, [name.encode() for name in names]),
                _array(_BYTEA, [change.expected for change in changes]),
                _array(_BYTEA, [change.wanted for change in changes]),
                _array(_INT8, [struct.pack("!q", change.keep_ms) for change in changes]),
                as_of,
            ]
            result = yield from self._ask(_ALL, params)
            several = True
        if result is None:
            # As if the values had changed: what are they, and the time?
            read = [change._replace(expected=None, wanted=None) for change in changes]
            reply = yield from self.compare_and_set(names, read, 0)
            assert reply is not None
            return Reply(False, reply.now_us, [None] * len(changes) if reply.same else reply.found)
        same = result.get_value(0, 0) == b"\x01"
        (now_us,) = struct.unpack("!q", result.get_value(0, 1) or bytes(8))
        if same:
            return Reply(True, now_us)
        present = result.get_value(0, 2)
        return Reply(False, now_us, _elements(present or b"") if several else [present])

    def create_table(self) -> Talking:
        """Makes the table and the functions, in one transaction."""
        self._link.send_query(SCHEMA_SQL.encode())
        yield from self._results()
        return None

    def sweep(self, after: str) -> Generator[tuple[int, bool], None, str]:
        """Deletes what has expired in one page of names; returns where the next begins."""
        result = yield from self._ask(_SWEEP, [after.encode(), struct.pack("!i", _PAGE)])
        last = result.get_value(0, 0) if result is not None else None
        return (last or b"").decode()

    def _ask(
        self, query: bytes, params: list[bytes | None]
    ) -> Generator[tuple[int, bool], None, PGresult | None]:
        """The one row of a query; None if somebody else was first."""
        formats = [pq.Format.BINARY] * len(params)
        link = self._link
        if self._prepare:
            name = b"tokenweir_%d" % (_ONE, _ALL, _SWEEP).index(query)
            if name not in self._prepared:
                link.send_prepare(name, query)
                yield from self._results()
                self._prepared.add(name)
            link.send_query_prepared(name, params, formats, result_format=pq.Format.BINARY)
        else:
            link.send_query_params(
                query, params, param_formats=formats, result_format=pq.Format.BINARY
            )
        return (yield from self._results())

    def _results(self) -> Generator[tuple[int, bool], None, PGresult | None]:
        """The last result of what was sent."""
        link = self._link
        while link.flush():
            yield link.socket, True
        last: PGresult | None = None
        while True:
            while link.is_busy():
                yield link.socket, False
                link.consume_input()
            result = link.get_result()
            if result is None:
                break
            if last is None or last.status != pq.ExecStatus.FATAL_ERROR:
                last = result
        if last is None:
            raise OperationalError("the server ended the connection")
        if last.status == pq.ExecStatus.FATAL_ERROR:
            if last.error_field(pq.DiagnosticField.SQLSTATE) in _AGAIN:
                return None
            raise OperationalError(last.get_error_message())
        return last


def _array(element: int, values: Sequence[bytes | None]) -> bytes:
    """An array of one dimension in PostgreSQL's binary form."""
    head = struct.pack("!iiIii", 1, 1, element, len(values), 1)
    parts = [
        struct.pack("!i", -1) if value is None else struct.pack("!i", len(value)) + value
        for value in values
    ]
    return head + b"".join(parts)


def _elements(array: bytes) -> list[bytes | None]:
    """The elements of one."""
    (count,) = struct.unpack_from("!i", array, 12)
    values: list[bytes | None] = []
    at = 20
    for _ in range(count):
        (length,) = struct.unpack_from("!i", array, at)
        at += 4
        values.append(None if length < 0 else array[at : at + length])
        at += max(length, 0)
    return values
