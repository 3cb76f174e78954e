"""Every store does what a store must do, and holds every recorded scenario."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import stored_runs
from places import Place
from vectors import load

from tokenweir.stores import Change, Store
from tokenweir.stores.conformance import CHECKS, Blocking


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_for_threads(check: Callable[[Callable[[], Store]], None], place: Place) -> None:
    check(place.open)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_for_asyncio(check: Callable[[Callable[[], Store]], None], place: Place) -> None:
    check(lambda: Blocking(place.open_async))


class InStore:
    """The bytes of a scenario's key as the store has them: read back each time they were written."""

    def __init__(self, store: Store, key: str) -> None:
        self._store = store
        self._key = key
        self._last: bytes | None = None

    def get(self) -> bytes | None:
        return self._last

    def put(self, value: bytes, keep_ms: int) -> None:
        # The scenarios have clocks of their own, so that what they write must not expire by the server's.
        change = Change(self._key, self._last, value, max(keep_ms, 600_000))
        assert self._store.compare_and_set([change], 0).same
        found = self._store.compare_and_set([Change(self._key, None, None, 1)], 0).found
        assert found == [value]
        self._last = found[0]


THREADS = Place.open


def tasks(place: Place) -> Store:
    return Blocking(place.open_async)


@pytest.mark.parametrize(
    ("name", "open_store"),
    [
        ("redis", THREADS),
        ("redis", tasks),
        ("postgres", THREADS),
        ("postgres", tasks),
        ("cluster", THREADS),
    ],
    ids=["redis", "redis-asyncio", "postgres", "postgres-asyncio", "cluster"],
)
def test_every_recorded_scenario(
    name: str, open_store: Callable[[Place], Store], key: str, request: pytest.FixtureRequest
) -> None:
    place = Place(request.getfixturevalue(name).url)
    store = open_store(place)
    ran = steps = 0
    for scenario in load("bucket4j.json"):
        run = stored_runs.run_bucket if "config" in scenario else stored_runs.run_remote
        steps += run(scenario, InStore(store, f"{key}{ran}"))
        ran += 1
    for scenario in load("resilience4j.json"):
        steps += stored_runs.run_cycle(scenario, InStore(store, f"{key}{ran}"))
        ran += 1
    store.close()
    assert (ran, steps) == (866 + 506, 31_591)
