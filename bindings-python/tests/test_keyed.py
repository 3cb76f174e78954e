"""A limiter for each key: none shares, none delays another, memory is bounded."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import anyio
import pytest
from test_waiting_threads import eventually, joined, started

from tokenweir import (
    AmountError,
    ConfigError,
    KeyedLimiter,
    Limiter,
    ManualClock,
    RateLimited,
    TooManyKeys,
)

SECOND = 1_000_000_000


def test_two_keys_never_share() -> None:
    limiter = KeyedLimiter("1/h", clock=ManualClock())
    keys: list[Any] = ["1", b"1", 1, ("1",), (1,), ("1", b"1"), "", b"", (), (("1",),), -1, 2**100]
    assert all(limiter.try_acquire(key) for key in keys)
    assert not any(limiter.try_acquire(key) for key in keys)
    assert len(limiter) == len(keys)
    # As in a dict, equal keys are one.
    assert not limiter.try_acquire(True)


@pytest.mark.parametrize("key", [None, 1.5, ["a"], ("a", None), object()])
def test_what_is_no_key_is_a_type_error(key: Any) -> None:
    with pytest.raises(TypeError, match="key: a str, bytes, int or a tuple of these"):
        KeyedLimiter("1/h").try_acquire(key)


def test_the_verbs_are_those_of_a_limiter() -> None:
    clock = ManualClock()
    limiter = KeyedLimiter("burst: 10/s; cycle 100/min", clock=clock)
    assert limiter.check("a", cost=8).remaining == 2
    refused = limiter.check("a", 3)
    assert (refused.allowed, refused.scope, refused.retry_after) == (False, "burst", 0.1)
    assert (limiter.peek("a").allowed, limiter.available("a")) == (True, 2)
    assert limiter.acquire_up_to("a") == 2
    limiter.refund("a", 5)
    limiter.force_add("a", 10)
    assert limiter.available("a") == 15
    limiter.reset("a")
    assert limiter.acquire_ignoring_limits("a", 11) == 0.1
    reservation = limiter.reserve("a", 1, max_wait=1)
    assert reservation.wait_ns == SECOND // 5
    assert limiter.cancel(reservation)
    assert not reservation.cancel()
    with pytest.raises(RateLimited) as caught:
        limiter.reserve("a", max_wait=0.1)
    assert caught.value.retry_after == 0.2
    with pytest.raises(ValueError, match="another limiter"):
        KeyedLimiter("1/s").cancel(reservation)
    with pytest.raises(AmountError, match="cost"):
        limiter.try_acquire("a", 0)
    limiter.update("burst: 20/s; cycle 100/min", inheritance="proportional")
    assert limiter.limits.quotas == (20, 100)
    assert repr(limiter).startswith("<KeyedLimiter burst: 20/s; cycle 100/min: 1 of 100000 keys>")


def test_1025_rotating_keys_get_one_each_whatever_max_keys_is() -> None:
    for max_keys in (1, 100, 1024, 10_000):
        limiter = KeyedLimiter("1/h", max_keys=max_keys, clock=ManualClock())
        granted = sum(limiter.try_acquire(key) for _ in range(5) for key in range(1025))
        assert granted == min(max_keys, 1025)


def test_a_depleted_key_is_never_given_up_and_a_full_one_is() -> None:
    clock = ManualClock()
    limiter = KeyedLimiter("1/s", max_keys=2, clock=clock)
    assert limiter.try_acquire("a")
    assert limiter.try_acquire("b")
    assert not limiter.try_acquire("c")
    with pytest.raises(TooManyKeys) as caught:
        limiter.check("c")
    assert caught.value.code == "too_many_keys"
    with pytest.raises(TooManyKeys):
        limiter.acquire("c")
    clock.advance(1)
    assert limiter.try_acquire("c")
    limiter.evict_idle(10)
    assert len(limiter) == 1

    sharing = KeyedLimiter("1/s", max_keys=1, when_full="share", clock=clock)
    assert [sharing.try_acquire(key) for key in "abc"] == [True, True, False]
    with pytest.raises(ValueError, match="when_full"):
        KeyedLimiter("1/s", when_full="drop")  # type: ignore[arg-type]


def test_aligned_limits_need_civil_time() -> None:
    KeyedLimiter("1/day aligned").try_acquire("a")
    with pytest.raises(ConfigError):
        KeyedLimiter("1/day aligned", clock=ManualClock())


def test_waiting_for_one_key_does_not_delay_another() -> None:
    limiter = KeyedLimiter("1/h")
    assert limiter.acquire("a")
    thread = started(lambda: limiter.acquire("a"))
    eventually(lambda: limiter.waiting == 1)
    start = time.monotonic()
    assert limiter.acquire("b")
    assert not limiter.acquire("b", timeout=1)
    assert time.monotonic() - start < 60
    assert not limiter.try_acquire("a")
    limiter.reset("a")
    joined([thread])
    assert limiter.waiting == 0


def test_those_who_wait_are_served_in_turn_for_each_key() -> None:
    clock = ManualClock()
    limiter = KeyedLimiter("1/s", clock=clock)
    served: list[tuple[str, int]] = []
    threads: list[threading.Thread] = []
    for index in range(3):
        for key in "ab":

            def wait(key: str = key, index: int = index) -> None:
                assert limiter.acquire(key)
                served.append((key, index))

            if index == 0:
                wait()
                continue
            threads.append(started(wait))
            eventually(lambda: limiter.waiting == len(threads))
    for index in range(1, 3):
        clock.advance(1)
        eventually(lambda: len(served) == 2 * (index + 1))
    joined(threads)
    assert [index for key, index in served if key == "a"] == [0, 1, 2]
    assert [index for key, index in served if key == "b"] == [0, 1, 2]
    assert limiter.waiting == 0


def test_new_limits_and_tokens_given_back_serve_the_waiting() -> None:
    clock = ManualClock()
    limiter = KeyedLimiter("2/h", clock=clock)
    assert limiter.acquire("a", 2)
    threads = [started(lambda: limiter.acquire("a"))]
    eventually(lambda: limiter.waiting == 1)
    threads.append(started(lambda: limiter.acquire("a")))
    eventually(lambda: limiter.waiting == 2)
    limiter.refund("a")
    eventually(lambda: limiter.waiting == 1)
    limiter.update("2/s")
    clock.advance(0.5)
    joined(threads)
    assert limiter.available("a") == 0


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])
async def test_tasks_wait_for_their_key(anyio_backend: str) -> None:
    limiter = KeyedLimiter("500/s burst 1")

    @limiter(key=lambda user, number: user, cost=lambda user, number: 1)
    async def double(user: str, number: int) -> int:
        return 2 * number

    results: list[int] = []

    async def call(user: str, number: int) -> None:
        results.append(await double(user, number))

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number in range(50):
                for user in "ab":
                    group.start_soon(call, user, number)
    assert sorted(results) == sorted(2 * number for number in range(50) for _ in "ab")
    assert limiter.waiting == 0

    slow = KeyedLimiter("1/h")
    assert await slow.acquire_async("a")
    async with anyio.create_task_group() as group:
        group.start_soon(slow.acquire_async, "a")
        while not slow.waiting:
            await anyio.sleep(0)
        group.cancel_scope.cancel()
    assert (slow.waiting, slow.available("a")) == (0, 0)
    with pytest.raises(RateLimited):
        await slow.acquire_async("a", 2)


def test_the_decorator_serves_functions_as_well() -> None:
    limiter = KeyedLimiter("1/h", clock=ManualClock())

    @limiter(key=lambda user: user, timeout=0)
    def greet(user: str) -> str:
        return f"hello {user}"

    assert greet("a") == "hello a"
    assert greet("b") == "hello b"
    with pytest.raises(RateLimited) as caught:
        greet("a")
    assert caught.value.retry_after == 3600.0


def test_threads_under_load_take_exactly_what_each_key_has() -> None:
    limiter = KeyedLimiter("1/h burst 1000")
    taken: list[int] = []

    def work() -> None:
        taken.append(sum(limiter.try_acquire(key) for _ in range(300) for key in range(20)))

    joined([started(work) for _ in range(8)])
    assert sum(taken) == 20 * 1000


def test_waiting_tasks_of_many_keys_are_all_served() -> None:
    limiter = KeyedLimiter("1000/s burst 1")

    async def main() -> list[bool]:
        waits = [limiter.acquire_async(key) for key in range(200) for _ in range(5)]
        return await asyncio.gather(*waits)

    assert asyncio.run(main()) == [True] * 1000
    assert limiter.waiting == 0


def test_how_each_limit_stands_is_told_of_a_limiter_and_of_a_key() -> None:
    clock = ManualClock()
    text = "burst: 10/s; cycle 3/min"
    limiter, keyed = Limiter(text, clock=clock), KeyedLimiter(text, max_keys=1, clock=clock)
    limiter.acquire_ignoring_limits(12)
    keyed.acquire_ignoring_limits("a", 12)
    statuses = limiter.statuses
    assert statuses == keyed.statuses("a")
    assert [(status.limit, status.available) for status in statuses] == [(10, -2), (3, -9)]
    assert [status.reset_after for status in statuses] == [1.2, 240.0]
    assert repr(statuses[0]) == "<LimitStatus -2 of 10>"
    # A key that is only looked at is not kept.
    with pytest.raises(TooManyKeys):
        keyed.statuses("b")
    assert KeyedLimiter(text, clock=clock).statuses("b")[1].reset_after_ns == 0
