"""A store in PostgreSQL, for psycopg 3: ``pip install tokenweir[postgres]``.

    from tokenweir.postgres import PostgresStore
    from tokenweir.stores import StoredLimiter

    store = PostgresStore("dbname=app")
    store.create_table()
    limiter = StoredLimiter("100/s; 10000/day", store=store, on_store_error="allow")
    limiter.check("alice").allowed

PostgreSQL 14 or later. ``docs/stores.md`` of the core says how keys are kept; programs in other languages can
share them.
"""

from __future__ import annotations

from tokenweir.postgres._tasks import AsyncPostgresStore
from tokenweir.postgres._threads import PostgresStore

__all__ = ["AsyncPostgresStore", "PostgresStore"]
