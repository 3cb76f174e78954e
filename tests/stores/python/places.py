"""Where a store is, and how processes of these tests open it."""

from __future__ import annotations

from typing import Any, NamedTuple

from tokenweir.postgres import AsyncPostgresStore, PostgresStore
from tokenweir.redis import AsyncRedisStore, RedisStore

PATIENT = 20.0
"""A deadline for tests of totals, which a busy machine must not fail."""
CLUSTER = "cluster+"


class Place(NamedTuple):
    """A server, by its URL; one that begins with ``cluster+`` is a node of a Redis Cluster."""

    url: str

    @property
    def is_postgres(self) -> bool:
        return self.url.startswith("postgres")

    def open(self, deadline: float = PATIENT, **options: Any) -> RedisStore | PostgresStore:
        if self.is_postgres:
            return PostgresStore(self.url, deadline=deadline, **options)
        return RedisStore.from_url(deadline=deadline, **self._redis(), **options)

    def open_async(
        self, deadline: float = PATIENT, **options: Any
    ) -> AsyncRedisStore | AsyncPostgresStore:
        if self.is_postgres:
            return AsyncPostgresStore(self.url, deadline=deadline, **options)
        return AsyncRedisStore.from_url(deadline=deadline, **self._redis(), **options)

    def _redis(self) -> dict[str, Any]:
        return {"url": self.url.removeprefix(CLUSTER), "cluster": self.url.startswith(CLUSTER)}

    def create_table(self) -> None:
        if self.is_postgres:
            store = PostgresStore(self.url, deadline=PATIENT)
            store.create_table()
            store.close()


def place_of(url: str) -> Place:
    return Place(url)
