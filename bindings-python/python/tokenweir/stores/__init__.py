"""Limits that several processes share, kept in a store.

>>> from tokenweir.stores import MemoryStore, StoredLimiter
>>> limiter = StoredLimiter("2/min", store=MemoryStore())
>>> [limiter.check("alice").allowed for _ in range(3)]
[True, True, False]

``tokenweir.redis`` and ``tokenweir.postgres`` have stores for these servers. Another store is a class with the
one operation of ``Store`` that passes ``tokenweir.stores.conformance``.
"""

from __future__ import annotations

from tokenweir.stores._together import JointStoredDecision, check_together, check_together_async
from tokenweir.stores._budget import AsyncLocalBudget, LocalBudget
from tokenweir.stores._breaker import CircuitBreaker
from tokenweir.stores._memory import AsyncMemoryStore, MemoryStore
from tokenweir.stores._policy import LocalShare, OnStoreError
from tokenweir.stores._store import AsyncStore, Change, Reply, Store
from tokenweir.stores._tasks import AsyncStoredLimiter
from tokenweir.stores._threads import StoredLimiter

__all__ = [
    "JointStoredDecision",
    "AsyncLocalBudget",
    "AsyncMemoryStore",
    "AsyncStore",
    "AsyncStoredLimiter",
    "Change",
    "CircuitBreaker",
    "LocalBudget",
    "LocalShare",
    "MemoryStore",
    "OnStoreError",
    "Reply",
    "Store",
    "StoredLimiter",
    "check_together",
    "check_together_async",
]
