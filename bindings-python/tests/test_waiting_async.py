"""Tasks that wait, under asyncio and trio: nobody blocks others, one timer, nothing lost."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import anyio
import pytest

from tokenweir import Limiter, ManualClock, QueueFull, RateLimited

pytestmark = pytest.mark.anyio
PATIENCE = 60.0


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


async def until_waiting(limiter: Limiter, number: int) -> None:
    with anyio.fail_after(PATIENCE):
        while limiter.waiting != number:
            await anyio.sleep(0)


async def test_the_first_to_come_is_the_first_served() -> None:
    clock = ManualClock()
    limiter = Limiter("10/s", clock=clock)
    served: list[int] = []

    async def wait(index: int, cost: int) -> None:
        assert await limiter.acquire_async(cost)
        served.append(index)

    async with anyio.create_task_group() as group:
        assert await limiter.acquire_async(10)
        for index, cost in enumerate([10, 1, 1]):
            group.start_soon(wait, index, cost)
            await until_waiting(limiter, index + 1)
        clock.advance(0.999999999)
        await anyio.wait_all_tasks_blocked()
        assert served == []
        for expected in ([0], [0, 1], [0, 1, 2]):
            clock.advance(0.1)
            await anyio.wait_all_tasks_blocked()
            assert served == expected


async def test_5000_tasks_wait_by_one_timer(anyio_backend: str) -> None:
    limiter = Limiter("100000/s burst 1")
    assert limiter.try_acquire()
    # Nobody comes for an hour, so that what is armed meanwhile can be counted.
    reservation = limiter.reserve(100_000 * 3_600)
    served: list[int] = []

    async def wait(index: int) -> None:
        assert await limiter.acquire_async()
        served.append(index)

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as group:
            for index in range(5_000):
                group.start_soon(wait, index)
            await until_waiting(limiter, 5_000)
            assert timers() <= 1
            reservation.cancel()
    if anyio_backend == "trio":
        served.sort()  # Trio runs tasks that are ready at once in any order, on purpose.
    assert served == list(range(5_000))
    assert timers() == 0


def timers() -> int:
    """How many timers the running loop holds for waiters, asyncio's alone being countable."""
    try:
        loop: Any = asyncio.get_running_loop()
    except RuntimeError:
        return 0
    armed = [handle for handle in loop._scheduled if not handle.cancelled()]
    return sum("AsyncioWaiter" in repr(handle) for handle in armed)


async def test_waiting_does_not_block_the_loop_nor_other_limiters() -> None:
    slow, fast = Limiter("1/h"), Limiter("1000/s burst 1")
    assert slow.try_acquire()
    async with anyio.create_task_group() as group:
        group.start_soon(slow.acquire_async)
        with anyio.fail_after(PATIENCE):
            for _ in range(50):
                assert await fast.acquire_async()
        assert slow.waiting == 1
        group.cancel_scope.cancel()
    assert (slow.waiting, slow.available) == (0, 0)


async def test_cancelled_waits_give_their_tokens_back_to_those_behind() -> None:
    clock = ManualClock()
    limiter = Limiter("1/s burst 5", clock=clock)
    assert limiter.try_acquire(5)
    served: list[str] = []

    async def wait(name: str, cost: int) -> None:
        assert await limiter.acquire_async(cost)
        served.append(name)

    async with anyio.create_task_group() as group:
        async with anyio.create_task_group() as cancelled:
            cancelled.start_soon(wait, "large", 5)
            await until_waiting(limiter, 1)
            group.start_soon(wait, "small", 1)
            await until_waiting(limiter, 2)
            assert limiter.available == -6
            cancelled.cancel_scope.cancel()
        assert (limiter.waiting, limiter.available) == (1, -1)
        clock.advance(1)
    assert served == ["small"]
    assert limiter.available == 0
    assert timers() == 0


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_task_cancelled_after_it_was_served_gives_its_tokens_back(
    anyio_backend: str,
) -> None:
    clock = ManualClock()
    limiter = Limiter("1/s", clock=clock)
    assert limiter.try_acquire()
    task = asyncio.create_task(limiter.acquire_async())
    await until_waiting(limiter, 1)
    # Served, and cancelled before it has run.
    clock.advance(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (limiter.waiting, limiter.available) == (0, 1)


async def test_errors_and_timeouts_are_those_of_threads() -> None:
    limiter = Limiter("1/s", clock=ManualClock(), max_waiting=0)
    assert await limiter.acquire_async(timeout=0)
    assert not await limiter.acquire_async(timeout=0)
    assert not await limiter.acquire_async(timeout=0.5)
    with pytest.raises(QueueFull):
        await limiter.acquire_async()
    with pytest.raises(RateLimited):
        await limiter.acquire_async(2)
    with pytest.raises(ValueError, match="cost"):
        await limiter.acquire_async(-1)


async def test_a_context_and_a_decorator_wait_without_blocking() -> None:
    limiter = Limiter("1000/s burst 1")

    @limiter
    async def double(number: int) -> int:
        """Doubles."""
        return 2 * number

    async with limiter as same:
        assert same is limiter
    assert [await double(number) for number in range(5)] == [0, 2, 4, 6, 8]
    assert (double.__name__, double.__doc__) == ("double", "Doubles.")
    assert limiter.counters["allowed"] == 6

    @limiter(cost=2)
    async def never() -> None: ...

    with pytest.raises(RateLimited):
        await never()
    with pytest.raises(TypeError, match="generator"):

        @limiter
        async def stream() -> Any:
            yield 1


async def test_threads_and_tasks_share_one_queue() -> None:
    limiter = Limiter("2000/s burst 1")
    done: list[str] = []

    def in_thread() -> None:
        for _ in range(100):
            assert limiter.acquire()
        done.append("thread")

    async def in_task() -> None:
        for _ in range(100):
            assert await limiter.acquire_async()
        done.append("task")

    threads = [threading.Thread(target=in_thread, daemon=True) for _ in range(3)]
    start = time.monotonic()
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as group:
            for thread in threads:
                thread.start()
            for _ in range(3):
                group.start_soon(in_task)
        for thread in threads:
            await anyio.to_thread.run_sync(thread.join)
    assert time.monotonic() - start >= 0.299
    assert sorted(done) == ["task"] * 3 + ["thread"] * 3
    assert limiter.counters["tokens"] == 600


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_loop_that_is_closed_does_not_hold_up_the_others(anyio_backend: str) -> None:
    clock = ManualClock()
    limiter = Limiter("1/s", clock=clock)
    assert limiter.try_acquire()

    def abandon() -> None:
        loop = asyncio.new_event_loop()
        task = loop.create_task(limiter.acquire_async())
        loop.run_until_complete(asyncio.sleep(0.01))
        assert limiter.waiting == 1
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        loop.close()

    await anyio.to_thread.run_sync(abandon)
    second = asyncio.create_task(limiter.acquire_async())
    await until_waiting(limiter, 2)
    clock.advance(1)
    clock.advance(1)
    assert await asyncio.wait_for(second, PATIENCE)
