"""Exact totals: many processes on the same keys grant what the limits have, and no more."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

import pytest
from places import PATIENT, Place

from tokenweir.stores import AsyncStoredLimiter, StoredLimiter, check_together

HERE = Path(__file__).parent
PYTHON = [sys.executable, str(HERE / "worker.py")]
NODE = ["node", str(HERE.parent / "node-worker.mjs")]


def granted(commands: Sequence[list[str]]) -> int:
    """What processes that run at the same time were granted together."""
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]
    ended = [process.communicate(timeout=300) for process in started]
    for process, (_, errors) in zip(started, ended, strict=True):
        assert process.returncode == 0, errors
    return sum(int(output) for output, _ in ended)


def python(place: Place, key: str, limits: str, count: int, *options: str) -> list[list[str]]:
    """Eight processes: four with threads, four with tasks."""
    asked = [*PYTHON, place.url, key, limits, str(count), *options]
    return [[*asked, "--how", how] for how in ("threads", "tasks") * 4]


def test_8_processes_on_one_key(place: Place, key: str) -> None:
    assert granted(python(place, key, "1000/day", 250)) == 1000
    store = place.open()
    limiter = StoredLimiter("1000/day", store=store)
    assert limiter.peek(key).remaining == 0
    store.close()


def test_8_processes_on_1000_keys(place: Place, key: str) -> None:
    # Each process asks each key once.
    assert granted(python(place, key, "1/day", 1000, "--keys", "1000")) == 1000


@pytest.mark.parametrize("server_name", ["redis", "postgres"])
def test_python_and_node_on_the_same_key(
    server_name: str, key: str, request: pytest.FixtureRequest
) -> None:
    place = Place(request.getfixturevalue(server_name).url)
    asked = [place.url.replace("postgresql:", "postgres:"), key, "1000/day", "250"]
    languages = [[*PYTHON, *asked], [*NODE, *asked]]
    assert granted(list(islice(cycle(languages), 8))) == 1000
    store = place.open()
    assert StoredLimiter("1000/day", store=store).peek(key).remaining == 0
    store.close()


@pytest.mark.parametrize("server_name", ["redis", "postgres"])
def test_python_and_node_on_many_keys(
    server_name: str, key: str, request: pytest.FixtureRequest
) -> None:
    place = Place(request.getfixturevalue(server_name).url)
    asked = [place.url.replace("postgresql:", "postgres:"), key, "1/day", "1000", "--keys", "1000"]
    assert granted([[*PYTHON, *asked], [*NODE, *asked], [*PYTHON, *asked, "--how", "tasks"], [*NODE, *asked]]) == 1000


def test_200_make_one_key_at_once(place: Place, key: str) -> None:
    stores = [place.open() for _ in range(4)]
    limiters = [StoredLimiter("150/day", store=store, patience=PATIENT) for store in stores * 50]
    with ThreadPoolExecutor(200) as pool:
        allowed = list(pool.map(lambda limiter: limiter.try_acquire(key), limiters))
    assert allowed.count(True) == 150
    for store in stores:
        store.close()

    async def main() -> None:
        opened = [place.open_async() for _ in range(4)]
        limiters = [AsyncStoredLimiter("150/day", store=store, patience=PATIENT) for store in opened * 50]
        tasks = (limiter.try_acquire(f"{key} tasks") for limiter in limiters)
        assert (await asyncio.gather(*tasks)).count(True) == 150
        for store in opened:
            await store.close()

    asyncio.run(main())


def test_decisions_over_two_keys_from_many_threads(place: Place, key: str) -> None:
    store = place.open()
    everybody = [StoredLimiter("100/day", store=store, patience=PATIENT) for _ in range(2)]
    user = StoredLimiter("9/day", store=store, patience=PATIENT)

    def ask(n: int) -> bool:
        return bool(check_together((user, f"{key} {n % 15}"), (everybody[n % 2], key)))

    with ThreadPoolExecutor(16) as pool:
        allowed = list(pool.map(ask, range(300)))
    assert allowed.count(True) == 100
    left = sum(user.peek(f"{key} {n}").remaining for n in range(15))
    assert left == 15 * 9 - 100, "who was refused by one key paid under the other"
    store.close()


def test_a_key_is_kept_until_it_would_be_full_and_a_second_more(key: str, redis: object) -> None:
    from servers import Redis

    assert isinstance(redis, Redis)
    store = Place(redis.url).open()
    StoredLimiter("10/s", store=store).check(key)
    left_ms = int(redis.cli("pttl", f"tokenweir:{key}"))
    assert 0 < left_ms <= 1100
    StoredLimiter("100000/s", store=store).check(f"{key} fast")
    assert 0 < int(redis.cli("pttl", f"tokenweir:{key} fast")) <= 1001
    store.close()
