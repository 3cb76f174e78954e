"""What users of stores write, clean under strict type checking. Run as a test as well."""

from __future__ import annotations

import asyncio

from tokenweir import Decision, StoreError
from tokenweir.postgres import AsyncPostgresStore, PostgresStore
from tokenweir.redis import AsyncRedisStore, RedisStore
from tokenweir.stores import (
    AsyncMemoryStore,
    AsyncStore,
    AsyncStoredLimiter,
    CircuitBreaker,
    LocalBudget,
    LocalShare,
    MemoryStore,
    Store,
    StoredLimiter,
    check_together,
)


def stores(redis: str, postgres: str) -> list[Store]:
    breaker = CircuitBreaker(failures=3, recovery=0.5)
    return [
        RedisStore.from_url(redis, deadline=0.02, breaker=breaker),
        RedisStore.from_url(redis, cluster=True, prefix="app:"),
        PostgresStore(postgres, max_connections=4, prepare=False),
    ]


def stores_for_tasks(redis: str, postgres: str) -> list[AsyncStore]:
    return [AsyncRedisStore.from_url(redis), AsyncPostgresStore(postgres, deadline=0.1)]


def decide(store: Store) -> bool:
    user = StoredLimiter("10/s; 1000/day", store=store, version=2, inheritance="proportional")
    everybody = StoredLimiter("1000/s", store=store, on_store_error=LocalShare(8), recheck=0.5)
    try:
        decision: Decision = user.check("{api}:alice", cost=2)
    except StoreError as error:
        return error.code == "store_timeout"
    joint = check_together((user, "{api}:alice"), (everybody, "{api}:all", 3))
    with LocalBudget(everybody, slice=50) as budget:
        budget.try_acquire("{api}:all")
    return bool(decision) and joint.allowed and not joint.degraded


async def wait(store: AsyncStore) -> bool:
    limiter = AsyncStoredLimiter("10/s", store=store, on_store_error="allow")
    return await limiter.acquire("alice", timeout=1)


if __name__ == "__main__":
    assert decide(MemoryStore())
    assert asyncio.run(wait(AsyncMemoryStore()))
