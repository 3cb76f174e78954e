"""A Redis Cluster of three nodes: keys of one decision need one hash tag."""

from __future__ import annotations

import asyncio

import pytest
from places import Place
from servers import Cluster

from tokenweir.stored import hash_slot
from tokenweir.stores import (
    AsyncStoredLimiter,
    StoredLimiter,
    check_together,
    check_together_async,
)


def test_keys_are_on_all_nodes_and_each_has_its_limit(cluster: Cluster, key: str) -> None:
    store = Place(cluster.url).open()
    limiter = StoredLimiter("2/day", store=store)
    keys = [f"spread {n}" for n in range(60)]
    assert len({hash_slot(f"tokenweir:{name}") * 3 // 16384 for name in keys}) == 3
    for name in keys:
        assert [limiter.try_acquire(name) for _ in range(3)] == [True, True, False]
    sizes = [int(node.cli("dbsize")) for node in cluster.nodes]
    assert all(sizes), sizes
    # Each key has the clock of its node, so that each was asked for the time.
    assert limiter.counters["operations"] == 3 * len(keys)
    store.close()


def test_the_slots_are_those_of_redis(cluster: Cluster) -> None:
    for name in ("foo", "{user1000}.following", "foo{}{bar}", "foo{{bar}}zap", "foo{bar}{zap}", "é{ü}"):
        assert hash_slot(name) == int(cluster.nodes[0].cli("cluster", "keyslot", name))


def test_keys_with_one_hash_tag_decide_together(cluster: Cluster) -> None:
    store = Place(cluster.url).open()
    user, everybody = StoredLimiter("5/day", store=store), StoredLimiter("7/day", store=store)
    assert check_together((user, "{api}:alice", 4), (everybody, "{api}:all", 4))
    assert not check_together((user, "{api}:bob", 4), (everybody, "{api}:all", 4))
    assert user.peek("{api}:bob").remaining == 5
    store.close()

    async def main() -> None:
        store = Place(cluster.url).open_async()
        user, everybody = (AsyncStoredLimiter(text, store=store) for text in ("5/day", "7/day"))
        decision = await check_together_async((user, "{api}:bob", 4), (everybody, "{api}:all", 4))
        assert not decision and decision.subject == 1
        await store.close()

    asyncio.run(main())


def test_keys_of_different_slots_are_an_error_before_anything_is_asked(cluster: Cluster) -> None:
    store = Place(cluster.url).open()
    limiter = StoredLimiter("5/day", store=store, on_store_error="allow")
    with pytest.raises(ValueError, match="hash tag"):
        check_together((limiter, "alice"), (limiter, "all"))
    assert limiter.peek("alice").remaining == 5
    store.close()
