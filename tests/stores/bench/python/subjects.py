"""The limiters that are measured: each makes a function that decides about a key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import limits
import limits.aio.storage
import limits.aio.strategies
import limits.storage
import limits.strategies
import pyrate_limiter
import redis
import redis.asyncio
import throttled
import throttled.asyncio
from psycopg_pool import ConnectionPool

from tokenweir.postgres import AsyncPostgresStore, PostgresStore
from tokenweir.redis import AsyncRedisStore, RedisStore
from tokenweir.stores import AsyncStoredLimiter, StoredLimiter

Decide: TypeAlias = Callable[[str], bool]
DecideLater: TypeAlias = Callable[[str], Awaitable[bool]]

FREE = 10**9
"""So many a second never bind."""
BOUND = {"redis": 1000, "postgres": 100}
"""So many a second do, also where the server is slow."""
PATIENT = 20.0
"""A deadline that a busy machine does not miss: what is measured is how fast, not how late."""


def rate(binds: bool, server: str = "redis") -> int:
    return BOUND[server] if binds else FREE


def tokenweir_redis(url: str, binds: bool) -> Decide:
    store = RedisStore.from_url(url, deadline=PATIENT)
    return StoredLimiter(f"{rate(binds)}/s", store=store).try_acquire


def tokenweir_postgres(url: str, binds: bool) -> Decide:
    store = PostgresStore(url, deadline=PATIENT)
    store.create_table()
    return StoredLimiter(f"{rate(binds, 'postgres')}/s", store=store).try_acquire


def limits_redis(url: str, binds: bool) -> Decide:
    strategy = limits.strategies.FixedWindowRateLimiter(limits.storage.RedisStorage(url))
    item = limits.RateLimitItemPerSecond(rate(binds))
    return lambda key: strategy.hit(item, key)


def throttled_redis(url: str, binds: bool, using: str = "gcra") -> Decide:
    limiter = throttled.Throttled(
        using=using,
        quota=throttled.rate_limiter.per_sec(rate(binds)),
        store=throttled.RedisStore(server=url),
    )
    return lambda key: not limiter.limit(key).limited


def throttled_redis_window(url: str, binds: bool) -> Decide:
    return throttled_redis(url, binds, "fixed_window")


def pyrate_redis(url: str, binds: bool) -> Decide:
    rates = [pyrate_limiter.Rate(rate(binds), pyrate_limiter.Duration.SECOND)]
    bucket = pyrate_limiter.RedisBucket.init(rates, redis.Redis.from_url(url), "pyrate")
    limiter = pyrate_limiter.Limiter(bucket)
    return lambda key: bool(limiter.try_acquire(key, blocking=False))


def pyrate_postgres(url: str, binds: bool) -> Decide:
    rates = [pyrate_limiter.Rate(rate(binds, "postgres"), pyrate_limiter.Duration.SECOND)]
    bucket = pyrate_limiter.PostgresBucket(ConnectionPool(url, open=True), "pyrate", rates)
    limiter = pyrate_limiter.Limiter(bucket)
    return lambda key: bool(limiter.try_acquire(key, blocking=False))


def tokenweir_redis_tasks(url: str, binds: bool) -> DecideLater:
    store = AsyncRedisStore.from_url(url, deadline=PATIENT)
    return AsyncStoredLimiter(f"{rate(binds)}/s", store=store).try_acquire


def tokenweir_postgres_tasks(url: str, binds: bool) -> DecideLater:
    store = AsyncPostgresStore(url, deadline=PATIENT)
    return AsyncStoredLimiter(f"{rate(binds, 'postgres')}/s", store=store).try_acquire


def limits_redis_tasks(url: str, binds: bool) -> DecideLater:
    storage = limits.aio.storage.RedisStorage(f"async+{url}", implementation="redispy")
    strategy = limits.aio.strategies.FixedWindowRateLimiter(storage)
    item = limits.RateLimitItemPerSecond(rate(binds))
    return lambda key: strategy.hit(item, key)


def throttled_redis_tasks(url: str, binds: bool) -> DecideLater:
    limiter = throttled.asyncio.Throttled(
        using="gcra",
        quota=throttled.rate_limiter.per_sec(rate(binds)),
        store=throttled.asyncio.RedisStore(server=url),
    )

    async def decide(key: str) -> bool:
        return not (await limiter.limit(key)).limited

    return decide


def pyrate_redis_tasks(url: str, binds: bool) -> DecideLater:
    limiter: Any = None

    async def decide(key: str) -> bool:
        nonlocal limiter
        if limiter is None:
            rates = [pyrate_limiter.Rate(rate(binds), pyrate_limiter.Duration.SECOND)]
            client = redis.asyncio.Redis.from_url(url)
            bucket = pyrate_limiter.RedisBucket.init(rates, client, "pyrate tasks")
            limiter = pyrate_limiter.Limiter(await bucket)
        return bool(await limiter.try_acquire_async(key, blocking=False))

    return decide


REDIS: dict[str, Callable[[str, bool], Decide]] = {
    "tokenweir": tokenweir_redis,
    "limits": limits_redis,
    "throttled-py": throttled_redis,
    "pyrate-limiter": pyrate_redis,
    # INCRBY, and EXPIRE apart from it: a process that ends in between leaves a key that refuses for ever.
    "throttled-py, fixed window": throttled_redis_window,
}
POSTGRES: dict[str, Callable[[str, bool], Decide]] = {
    "tokenweir": tokenweir_postgres,
    "pyrate-limiter": pyrate_postgres,
}
REDIS_TASKS: dict[str, Callable[[str, bool], DecideLater]] = {
    "tokenweir": tokenweir_redis_tasks,
    "limits": limits_redis_tasks,
    "throttled-py": throttled_redis_tasks,
    "pyrate-limiter": pyrate_redis_tasks,
}
POSTGRES_TASKS: dict[str, Callable[[str, bool], DecideLater]] = {
    "tokenweir": tokenweir_postgres_tasks,
}
