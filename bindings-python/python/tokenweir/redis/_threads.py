"""A store in Redis for programs with threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import redis as driver
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError, ResponseError
from redis.retry import Retry

from tokenweir.redis._client import (
    DEADLINE,
    SHA,
    deadline_of,
    options_of,
    reply_of,
    script_arguments,
    store_error,
)
from tokenweir.redis._connections import Connections
from tokenweir.stored import COMPARE_AND_SET_LUA
from tokenweir.stores import CircuitBreaker, Reply
from tokenweir.stores._gate import Gate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenweir.stores import Change

__all__ = ["RedisStore"]


class RedisStore:
    """A store in Redis, for programs with threads.

    ``from_url`` makes a client that fails within ``deadline`` seconds for connecting, and as many for an
    answer, and never tries again by itself. A client that is given must be like that, too: with
    ``socket_timeout``, ``socket_connect_timeout`` and ``retry=Retry(NoBackoff(), 0)``. At most
    ``max_connections`` operations are under way at once; who waits for one of them waits at most ten times
    the ``deadline``, which for a cluster that is given has to be said here.

    Keys are named ``prefix`` and the caller's key. On a cluster, keys of one decision need the same hash tag,
    such as ``{api}:alice`` and ``{api}:all``.
    """

    def __init__(
        self,
        client: driver.Redis | driver.RedisCluster,
        *,
        deadline: float | None = None,
        max_connections: int = 10,
        prefix: str = "tokenweir:",
        breaker: CircuitBreaker | None = None,
    ) -> None:
        deadline = deadline_of(client, deadline)
        self.breaker: CircuitBreaker | None = breaker if breaker is not None else CircuitBreaker()
        self.one_clock = not isinstance(client, driver.RedisCluster)
        self._client: Any = client
        self._prefix = prefix
        self._gate = Gate(max_connections, deadline)
        pool = getattr(client, "connection_pool", None)
        self._connections = Connections(pool) if self.one_clock else None

    @classmethod
    def from_url(
        cls,
        url: str,
        *,
        deadline: float = DEADLINE,
        max_connections: int = 10,
        cluster: bool = False,
        prefix: str = "tokenweir:",
        breaker: CircuitBreaker | None = None,
        **options: Any,
    ) -> RedisStore:
        """A store at ``redis://``, ``rediss://`` or ``unix://``, or a ``cluster`` that has a node there.
        ``options`` are those of redis-py."""
        kind: Any = driver.RedisCluster if cluster else driver.Redis
        options = {**options_of(deadline, Retry(NoBackoff(), 0)), **options}
        try:
            client = kind.from_url(url, **options)
        except RedisError as error:
            raise store_error(error) from error
        return cls(
            client,
            deadline=deadline,
            max_connections=max_connections,
            prefix=prefix,
            breaker=breaker,
        )

    def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        arguments = script_arguments(self._prefix, changes, as_of_us, self.one_clock)
        with self._gate:
            try:
                try:
                    return reply_of(self._run("EVALSHA", SHA, arguments))
                except NoScriptError:
                    return reply_of(self._run("EVAL", COMPARE_AND_SET_LUA, arguments))
            except RedisError as error:
                raise store_error(error) from error

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
