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

from tokenweir.redis._tasks import AsyncRedisStore
from tokenweir.redis._threads import RedisStore

__all__ = ["AsyncRedisStore", "RedisStore"]
