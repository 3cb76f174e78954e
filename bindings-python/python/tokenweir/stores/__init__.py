"""Limits that several processes share, kept in a store.

>>> from tokenweir.stores import MemoryStore, StoreLimiter
>>> limiter = StoreLimiter("2/min", store=MemoryStore())
>>> [limiter.check("alice").allowed for _ in range(3)]
[True, True, False]

``tokenweir.redis`` and ``tokenweir.postgres`` have stores for these servers. Another store is a class with the
one operation of ``Store`` that passes ``tokenweir.stores.conformance``.
"""

from __future__ import annotations

from tokenweir.stores._base import AcrossDecision
from tokenweir.stores._breaker import CircuitBreaker
from tokenweir.stores._memory import AsyncMemoryStore, MemoryStore
from tokenweir.stores._policy import LocalShare, OnStoreError
from tokenweir.stores._store import AsyncStore, Change, Reply, Store
from tokenweir.stores._tasks import AsyncStoreLimiter, check_across_async
from tokenweir.stores._threads import StoreLimiter, check_across

__all__ = [
    "AcrossDecision",
    "AsyncMemoryStore",
    "AsyncStore",
    "AsyncStoreLimiter",
    "Change",
    "CircuitBreaker",
    "LocalShare",
    "MemoryStore",
    "OnStoreError",
    "Reply",
    "Store",
    "StoreLimiter",
    "check_across",
    "check_across_async",
]
