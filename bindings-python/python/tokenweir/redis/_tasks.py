"""A store in Redis for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import redis.asyncio as driver
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError

from tokenweir.redis._client import (
    DEADLINE,
    SHA,
    deadline_of,
    options_of,
    reply_of,
    script_arguments,
    store_error,
)
from tokenweir.stored import COMPARE_AND_SET_LUA
from tokenweir.stores import CircuitBreaker, Reply
from tokenweir.stores._gate import AsyncGate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenweir.stores import Change

__all__ = ["AsyncRedisStore"]


class AsyncRedisStore:
    """As ``RedisStore``, for asyncio."""

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
        self._gate = AsyncGate(max_connections, deadline)
        self._is_ready = self.one_clock
        self._starting = asyncio.Lock()

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
    ) -> AsyncRedisStore:
        """As ``RedisStore.from_url``."""
        kind: Any = driver.RedisCluster if cluster else driver.Redis
        options = {**options_of(deadline, Retry(NoBackoff(), 0)), **options}
        client = kind.from_url(url, **options)
        return cls(
            client,
            deadline=deadline,
            max_connections=max_connections,
            prefix=prefix,
            breaker=breaker,
        )

    async def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        arguments = script_arguments(self._prefix, changes, as_of_us, self.one_clock)
        client = self._client
        async with self._gate:
            try:
                if not self._is_ready:
                    await self._start()
                try:
                    return reply_of(await client.evalsha(SHA, *arguments))
                except NoScriptError:
                    return reply_of(await client.eval(COMPARE_AND_SET_LUA, *arguments))
            except RedisError as error:
                raise store_error(error) from error

    async def _start(self) -> None:
        """Learns the nodes of a cluster. By itself the client does so at the first command, and closes the
        connections of others that come at the same time."""
        async with self._starting:
            if not self._is_ready:
                await self._client.initialize()
                self._is_ready = True

    async def close(self) -> None:
        await self._client.aclose()
