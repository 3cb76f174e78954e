"""A store in Redis, for redis-py: ``pip install tokenweir[redis]``.

    from tokenweir.redis import RedisStore
    from tokenweir.stores import StoredLimiter

    store = RedisStore.from_url("redis://localhost")
    limiter = StoredLimiter("100/s; 10000/day", store=store, on_store_error="allow")
    limiter.check("alice").allowed

Any Redis from version 5 on, and what behaves like it, alone or as a cluster. ``docs/stores.md`` of the core says
how keys are kept; programs in other languages can share them.
"""

from __future__ import annotations

import hashlib
import os
import time
from typing import TYPE_CHECKING, Any

import redis as driver
import redis.asyncio as async_driver
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeout
from redis.retry import Retry

from tokenweir.errors import StoreError
from tokenweir.stored import COMPARE_AND_SET_LUA, hash_slot
from tokenweir.stores import CircuitBreaker, Reply
from tokenweir.stores._gate import AsyncGate, Gate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenweir.stores import Change

__all__ = ["AsyncRedisStore", "RedisStore"]

_DEADLINE = 0.05
_SURELY_OPEN = 0.01
"""For how long, in seconds, a connection is not looked at after it was used: no server restarts faster."""
_SHA = hashlib.sha1(COMPARE_AND_SET_LUA.encode(), usedforsecurity=False).hexdigest()


class RedisStore:
    """A store in Redis, for programs with threads.

    ``from_url`` makes a client that fails within ``deadline`` seconds for connecting, and as many for an
    answer, and never tries again by itself. A client that is given must be like that, too: with
    ``socket_timeout``, ``socket_connect_timeout`` and ``retry=Retry(NoBackoff(), 0)``. At most
    ``max_connections`` operations are under way at once.

    Keys are named ``prefix`` and the caller's key. On a cluster, keys of one decision need the same hash tag,
    such as ``{api}:alice`` and ``{api}:all``.
    """

    def __init__(
        self,
        client: driver.Redis | driver.RedisCluster,
        *,
        max_connections: int = 10,
        prefix: str = "tokenweir:",
        breaker: CircuitBreaker | None = None,
    ) -> None:
        deadline = _deadline_of(client)
        self.breaker: CircuitBreaker | None = breaker if breaker is not None else CircuitBreaker()
        self.one_clock = not isinstance(client, driver.RedisCluster)
        self._client: Any = client
        self._prefix = prefix
        self._gate = Gate(max_connections, deadline)
        pool = getattr(client, "connection_pool", None)
        self._connections = _Connections(pool) if self.one_clock else None

    @classmethod
    def from_url(
        cls,
        url: str,
        *,
        deadline: float = _DEADLINE,
        max_connections: int = 10,
        cluster: bool = False,
        prefix: str = "tokenweir:",
        breaker: CircuitBreaker | None = None,
        **options: Any,
    ) -> RedisStore:
        """A store at ``redis://``, ``rediss://`` or ``unix://``, or a ``cluster`` that has a node there.
        ``options`` are those of redis-py."""
        kind: Any = driver.RedisCluster if cluster else driver.Redis
        options = {**_options(deadline, Retry(NoBackoff(), 0)), **options}
        try:
            client = kind.from_url(url, **options)
        except RedisError as error:
            raise _store_error(error) from error
        return cls(client, max_connections=max_connections, prefix=prefix, breaker=breaker)

    def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        arguments = _arguments(self._prefix, changes, as_of_us, self.one_clock)
        with self._gate:
            try:
                try:
                    return _reply(self._run("EVALSHA", _SHA, arguments))
                except NoScriptError:
                    return _reply(self._run("EVAL", COMPARE_AND_SET_LUA, arguments))
            except RedisError as error:
                raise _store_error(error) from error

    def _run(self, command: str, script: str, arguments: tuple[int | str | bytes, ...]) -> Any:
        if self._connections is None:
            return self._client.execute_command(command, script, *arguments)
        connection = self._connections.take()
        try:
            packed = connection.pack_command(command, script, *arguments)
            connection.send_packed_command(packed, check_health=False)
            answer = connection.read_response()
        except ResponseError:
            self._connections.put(connection)
            raise
        except BaseException:
            # Its answer may still come, and would be taken for that of the next command.
            self._connections.drop(connection)
            raise
        self._connections.put(connection)
        return answer

    def close(self) -> None:
        if self._connections is not None:
            self._connections.close()
        self._client.close()


class _Connections:
    """Connections of redis-py's pool that are kept at hand.

    What the client and its pool do around each command takes as long as the command itself on a fast network.
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        # Each with when it was put back.
        self._idle: list[tuple[Any, float]] = []
        self._process = os.getpid()

    def take(self) -> Any:
        if self._process != os.getpid():
            # After a fork these are the parent's.
            self._process = os.getpid()
            self._idle = []
        while True:
            try:
                connection, since = self._idle.pop()
            except IndexError:
                return self._pool.get_connection()
            if time.monotonic() - since < _SURELY_OPEN:
                return connection
            try:
                # There is something to read only if the server has closed it.
                if not connection.can_read():
                    return connection
            except (RedisError, OSError):
                pass  # As well.
            self.drop(connection)

    def put(self, connection: Any) -> None:
        self._idle.append((connection, time.monotonic()))

    def drop(self, connection: Any) -> None:
        connection.disconnect()
        self._pool.release(connection)

    def close(self) -> None:
        while self._idle:
            self.drop(self._idle.pop()[0])


class AsyncRedisStore:
    """As ``RedisStore``, for asyncio."""

    def __init__(
        self,
        client: async_driver.Redis | async_driver.RedisCluster,
        *,
        max_connections: int = 10,
        prefix: str = "tokenweir:",
        breaker: CircuitBreaker | None = None,
    ) -> None:
        deadline = _deadline_of(client)
        self.breaker: CircuitBreaker | None = breaker if breaker is not None else CircuitBreaker()
        self.one_clock = not isinstance(client, async_driver.RedisCluster)
        self._client: Any = client
        self._prefix = prefix
        self._gate = AsyncGate(max_connections, deadline)

    @classmethod
    def from_url(
        cls,
        url: str,
        *,
        deadline: float = _DEADLINE,
        max_connections: int = 10,
        cluster: bool = False,
        prefix: str = "tokenweir:",
        breaker: CircuitBreaker | None = None,
        **options: Any,
    ) -> AsyncRedisStore:
        """As ``RedisStore.from_url``."""
        kind: Any = async_driver.RedisCluster if cluster else async_driver.Redis
        options = {**_options(deadline, AsyncRetry(NoBackoff(), 0)), **options}
        client = kind.from_url(url, **options)
        return cls(client, max_connections=max_connections, prefix=prefix, breaker=breaker)

    async def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        arguments = _arguments(self._prefix, changes, as_of_us, self.one_clock)
        client = self._client
        async with self._gate:
            try:
                try:
                    return _reply(await client.evalsha(_SHA, *arguments))
                except NoScriptError:
                    return _reply(await client.eval(COMPARE_AND_SET_LUA, *arguments))
            except RedisError as error:
                raise _store_error(error) from error

    async def close(self) -> None:
        await self._client.aclose()


def _options(deadline: float, retry: Any) -> dict[str, Any]:
    if not 0 < deadline < float("inf"):
        raise ValueError(f"deadline: {deadline} seconds are not above 0")
    return {
        "socket_timeout": deadline,
        "socket_connect_timeout": deadline,
        "retry": retry,
        # It answers bytes, whatever a URL says.
        "decode_responses": False,
    }


def _deadline_of(client: Any) -> float:
    """The longest wait of a client for an answer.

    Refuses one that might wait without an end, or try again behind our back.
    """
    pool = getattr(client, "connection_pool", None)
    if pool is None:
        return _DEADLINE  # A cluster makes its pools by itself, with its own arguments.
    options = pool.connection_kwargs
    for name in ("socket_timeout", "socket_connect_timeout"):
        if options.get(name) is None:
            raise ValueError(
                f"client: without a {name} a server that does not answer is waited for without end; "
                "give one, or use from_url"
            )
    retry = options.get("retry")
    if retry is not None and retry.get_retries():
        raise ValueError(
            f"client: it tries {retry.get_retries()} times again, which a decision cannot wait for; "
            "give retry=Retry(NoBackoff(), 0), or use from_url"
        )
    if options.get("decode_responses"):
        raise ValueError("client: states are bytes; leave decode_responses out")
    deadline: float = options["socket_timeout"]
    return deadline


def _arguments(
    prefix: str, changes: Sequence[Change], as_of_us: int, one_clock: bool
) -> tuple[int | str | bytes, ...]:
    """The number of keys, the keys, and the arguments of the script."""
    if len(changes) == 1:
        (key, expected, wanted, keep_ms), = changes
        return 1, prefix + key, as_of_us, expected or b"", wanted or b"", keep_ms
    keys = [prefix + change.key for change in changes]
    if not one_clock and len({hash_slot(key) for key in keys}) > 1:
        raise ValueError(
            f"the keys {', '.join(keys)} are in different slots of the cluster: "
            "keys of one decision need the same hash tag, such as {api}:alice and {api}:all"
        )
    arguments: list[int | str | bytes] = [len(keys), *keys, as_of_us]
    for _, expected, wanted, keep_ms in changes:
        arguments += (expected or b"", wanted or b"", keep_ms)
    return tuple(arguments)


def _reply(answer: list[Any]) -> Reply:
    return Reply(answer[0] == 1, answer[1], answer[2:])


def _store_error(error: RedisError) -> StoreError:
    code = "store_timeout" if isinstance(error, RedisTimeout) else "store_failed"
    return StoreError(f"Redis: {type(error).__name__}: {error}", code)
