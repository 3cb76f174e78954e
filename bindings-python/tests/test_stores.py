"""Limits over a store: round trips, folding, what is answered locally, versions, several keys."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fake_store import AsyncFakeStore, FakeStore, Gate

from tokenweir import AmountError, RateLimited, StateError, StoreError
from tokenweir.stores import (
    AsyncMemoryStore,
    AsyncStoredLimiter,
    Change,
    MemoryStore,
    Store,
    StoredLimiter,
    check_together,
    check_together_async,
)
from tokenweir.stores.conformance import CHECKS, Blocking


class Shared(MemoryStore):
    """Stays open, as a server does when a client leaves."""

    def close(self) -> None: ...


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_store_in_memory_conforms(check: Callable[[Callable[[], Store]], None]) -> None:
    memory = Shared()
    check(lambda: memory)
    check(lambda: Blocking(lambda: AsyncMemoryStore(memory)))


def test_a_decision_takes_one_round_trip_and_a_refusal_none() -> None:
    store = FakeStore()
    limiter = StoredLimiter("3/day", store=store)
    limiter.check("first")
    assert store.operations == 2, "the first of a process asks for the time"
    for _ in range(3):
        assert limiter.try_acquire("alice")
    assert store.operations == 5
    for _ in range(10):
        assert not limiter.try_acquire("alice")
    assert store.operations == 5
    assert limiter.counters == {
        "allowed": 4,
        "refused": 10,
        "answered_locally": 10,
        "operations": 5,
        "conflicts": 0,
        "store_errors": 0,
        "degraded": 0,
    }


def test_a_refusal_of_a_key_that_was_never_seen_asks() -> None:
    store = FakeStore()
    limiter = StoredLimiter("3/day", store=store)
    assert limiter.check("alice", 4).never
    assert store.operations == 1, "the reading for the time told that there is nothing"
    assert limiter.check("bob", 4).never
    assert store.operations == 2


def test_what_this_process_gives_back_is_seen_at_once() -> None:
    limiter = StoredLimiter("2/day", store=FakeStore())
    assert limiter.try_acquire("alice", 2) and not limiter.try_acquire("alice")
    limiter.refund("alice")
    assert limiter.try_acquire("alice") and not limiter.try_acquire("alice")
    limiter.reset("alice")
    assert limiter.peek("alice").remaining == 2
    assert limiter.try_acquire("alice", 2) and not limiter.try_acquire("alice")
    limiter.update("5/day", version=1, inheritance="additive")
    assert limiter.check("alice").remaining == 2
    limiter.force_add("alice", 10)
    assert [status.available for status in limiter.statuses("alice")] == [12]


def test_what_another_process_gives_back_is_seen_after_the_recheck() -> None:
    store = MemoryStore()
    late = StoredLimiter("2/day", store=store, recheck=3600)
    prompt = StoredLimiter("2/day", store=store, recheck=0)
    other = StoredLimiter("2/day", store=store)
    for limiter in (late, prompt):
        assert not limiter.try_acquire("alice", 3)
    assert other.try_acquire("alice", 2)
    for limiter in (late, prompt):
        assert not limiter.try_acquire("alice")
    other.reset("alice")
    assert not late.try_acquire("alice"), "within the bound"
    assert prompt.try_acquire("alice")
    # A question is the store's to answer.
    assert late.peek("alice").remaining == 1
    assert late.try_acquire("alice")


def test_a_conflict_is_decided_again_on_what_was_found() -> None:
    store = FakeStore()
    limiter, other = (StoredLimiter("3/day", store=store.inner) for _ in range(2))
    limiter._store = store
    assert limiter.try_acquire("alice") and other.try_acquire("alice")
    before = store.operations
    assert limiter.check("alice").remaining == 0
    assert store.operations == before + 2, "the mismatch told what there is"
    assert limiter.counters["conflicts"] == 1


def test_endless_conflicts_are_an_error_and_not_a_refusal() -> None:
    store = FakeStore()
    limiter = StoredLimiter("100000/day", store=store, patience=0.05)
    other = StoredLimiter("100000/day", store=store.inner)
    limiter.check("alice")
    store.before = lambda: other.check("alice")
    with pytest.raises(StoreError) as caught:
        limiter.check("alice")
    assert caught.value.code == "store_contended"
    assert limiter.counters["conflicts"] >= 2
    assert limiter.counters["refused"] == 0


def test_threads_that_come_meanwhile_are_decided_together() -> None:
    store = FakeStore()
    limiter = StoredLimiter("10/day", store=store)
    limiter.check("alice")
    gate = Gate()
    store.before = gate
    with ThreadPoolExecutor(20) as pool:
        first = pool.submit(limiter.try_acquire, "alice")
        assert gate.come.wait(20)
        store.before = None
        others = [pool.submit(limiter.try_acquire, "alice") for _ in range(15)]
        line = limiter._lines["alice"]
        wait_until(lambda: len(line.waiting) == 15)
        gate.open.set()
        granted = [first.result(), *(other.result() for other in others)]
    assert granted.count(True) == 9
    assert store.operations == 4, "the time, the first, the one under way, and all others at once"
    assert not line.busy


def test_tasks_that_come_meanwhile_are_decided_together() -> None:
    async def main() -> None:
        store = AsyncFakeStore()
        limiter = AsyncStoredLimiter("10/day", store=store)
        granted = await asyncio.gather(*(limiter.try_acquire("alice") for _ in range(64)))
        assert granted.count(True) == 10
        assert granted[:10] == [True] * 10, "in their order"
        assert store.operations == 3
        assert not limiter._lines["alice"].busy

    asyncio.run(main())


def test_keys_do_not_wait_for_each_other() -> None:
    store = FakeStore()
    limiter = StoredLimiter("10/day", store=store)
    limiter.check("first")
    gate = Gate()
    store.before = gate
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(limiter.check, "alice")
        assert gate.come.wait(20)
        store.before = None
        assert limiter.check("bob").allowed
        assert not held.done()
        gate.open.set()
        assert held.result().allowed


def test_a_task_that_is_cancelled_takes_nothing() -> None:
    async def main() -> None:
        store = AsyncFakeStore()
        limiter = AsyncStoredLimiter("10/day", store=store)
        await limiter.check("alice")
        tasks = [asyncio.create_task(limiter.check("alice")) for _ in range(5)]
        await asyncio.sleep(0)  # The first asks, the others wait.
        tasks[2].cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # Those who waited are being decided.
        tasks[3].cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        cancelled = [isinstance(result, asyncio.CancelledError) for result in results]
        assert cancelled == [False, False, True, True, False]
        await asyncio.gather(*limiter._tasks)
        assert (await limiter.peek("alice")).remaining == 10 - 1 - 3

    asyncio.run(main())


def test_a_wait_is_planned_and_first_come_first_served() -> None:
    limiter = StoredLimiter("1/50ms", store=MemoryStore())
    order: list[int] = []

    def wait(place: int) -> None:
        assert limiter.acquire("alice")
        order.append(place)

    threads = [threading.Thread(target=wait, args=(place,)) for place in range(4)]
    started = time.monotonic()
    for place, thread in enumerate(threads):
        thread.start()
        # Planned when it has come.
        wait_until(lambda place=place: limiter.statuses("alice")[0].available <= -place + 1)
    for thread in threads:
        thread.join()
    assert sorted(order) == [0, 1, 2, 3]
    assert time.monotonic() - started >= 0.149
    assert not limiter.acquire("alice", timeout=0.001)
    with pytest.raises(RateLimited) as caught:
        limiter.acquire("alice", 2)
    assert caught.value.never and caught.value.limit == 1


def test_a_wait_that_is_cancelled_gives_back_what_it_had_planned() -> None:
    async def main() -> None:
        limiter = AsyncStoredLimiter("1/hour", store=AsyncMemoryStore())
        assert await limiter.acquire("alice")
        waiting = asyncio.create_task(limiter.acquire("alice"))
        while (await limiter.statuses("alice"))[0].available == 0:
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await asyncio.gather(*limiter._tasks)
        assert (await limiter.statuses("alice"))[0].available == 0

    asyncio.run(main())


def test_a_reservation_can_be_given_back() -> None:
    limiter = StoredLimiter("1/hour", store=MemoryStore())
    assert limiter.acquire_ignoring_limits_ns("alice", 1) == 0
    with pytest.raises(RateLimited) as caught:
        limiter.reserve("alice", max_wait=1)
    assert caught.value.retry_after is not None
    reservation = limiter.reserve("alice")
    assert limiter.cancel("alice", reservation)
    assert limiter.statuses("alice")[0].available == 0
    assert limiter.acquire_up_to("alice", 5) == 0


def test_a_higher_version_takes_over_and_an_old_process_does_not_roll_back() -> None:
    store = MemoryStore()
    old = StoredLimiter("api: 10/day", store=store, version=1)
    new = StoredLimiter("api: 20/day", store=store, version=2, inheritance="proportional")
    assert old.check("alice", 5).limit == 10
    # Refused, and still the new limits are stored.
    assert not new.check("alice", 20).allowed
    decision = old.check("alice")
    assert (decision.limit, decision.remaining) == (20, 9), "what is told is what is enforced"
    with pytest.raises(ValueError, match="version"):
        new.update("1/day", version=2)
    assert new.version == 2


def test_over_several_keys_all_pay_or_none() -> None:
    store = FakeStore()
    user, everybody = StoredLimiter("5/day", store=store), StoredLimiter("7/day", store=store)
    first = check_together((user, "alice", 4), (everybody, "all", 4))
    assert first.allowed and first.subject == 0
    before = store.operations
    second = check_together((user, "bob", 4), (everybody, "all", 4))
    assert not second and second.subject == 1 and second.decision.remaining == 3
    assert not second.degraded and second.decisions[0].allowed
    assert store.operations == before + 1
    assert user.peek("bob").remaining == 5
    assert not check_together((user, "bob", 4), (everybody, "all", 4))
    assert store.operations == before + 2, "known, so answered locally"


def test_tasks_that_decide_over_several_keys_do_not_get_into_each_others_way() -> None:
    async def main() -> None:
        store = AsyncFakeStore()
        user = AsyncStoredLimiter("5/day", store=store)
        everybody = AsyncStoredLimiter("20/day", store=store)
        decisions = await asyncio.gather(
            *(check_together_async((user, f"user {n % 8}"), (everybody, "all")) for n in range(64))
        )
        assert [bool(decision) for decision in decisions].count(True) == 20
        assert (await everybody.peek("all")).remaining == 0
        left = [(await user.peek(f"user {n}")).remaining for n in range(8)]
        assert sum(left) == 8 * 5 - 20

    asyncio.run(main())


def test_a_decision_over_several_keys_needs_one_store_and_different_keys() -> None:
    store = MemoryStore()
    limiter = StoredLimiter("1/s", store=store)
    with pytest.raises(ValueError, match="no key"):
        check_together()
    with pytest.raises(ValueError, match="given twice"):
        check_together((limiter, "alice"), (StoredLimiter("2/s", store=store), "alice"))
    with pytest.raises(ValueError, match="different stores"):
        check_together((limiter, "alice"), (StoredLimiter("2/s", store=MemoryStore()), "bob"))
    with pytest.raises(AmountError):
        check_together((limiter, "alice", 0))
    with pytest.raises(TypeError, match="StoredLimiter"):
        check_together((object(), "alice"))  # type: ignore[arg-type]


def test_bytes_that_are_no_state_are_an_error_and_not_a_fresh_limit() -> None:
    store = MemoryStore()
    store.compare_and_set([Change("alice", None, b"something else", 60_000)], 0)
    limiter = StoredLimiter("1/s", store=store, on_store_error="allow")
    for _ in range(2):
        with pytest.raises(StateError) as caught:
            limiter.check("alice")
        assert caught.value.code == "state_foreign"


def test_forgetting_a_key_loses_nothing() -> None:
    limiter = StoredLimiter("1/day", store=MemoryStore(), max_keys=2)
    keys = [f"key {n}" for n in range(10)]
    assert all(limiter.try_acquire(key) for key in keys)
    assert len(limiter._lines) == 2
    assert not any(limiter.try_acquire(key) for key in keys)


def test_the_store_in_memory_drops_what_has_expired() -> None:
    now_us = 1_000_000
    store = MemoryStore(lambda: now_us)
    for n in range(999):
        store.compare_and_set([Change(f"{n}", None, b"1", 1)], 0)
    now_us += 1000
    assert len(store) == 999
    store.compare_and_set([Change("last", None, b"1", 1)], 0)
    assert len(store) == 1
    store.close()
    with pytest.raises(StoreError):
        store.compare_and_set([Change("last", None, b"1", 1)], 0)


@pytest.mark.parametrize(
    ("make", "error", "named"),
    [
        (lambda store: StoredLimiter("", store=store), ValueError, "limit"),
        (lambda store: StoredLimiter("1/s", store=store, recheck=-1), ValueError, "recheck"),
        (lambda store: StoredLimiter("1/s", store=store, patience=-1), ValueError, "patience"),
        (lambda store: StoredLimiter("1/s", store=store, max_keys=0), ValueError, "max_keys"),
        (
            lambda store: StoredLimiter("1/s", store=store, on_store_error="ignore"),
            ValueError,
            "on_store_error",
        ),
        (lambda store: StoredLimiter("1/s", store=store).check(7), TypeError, "key"),
        (lambda store: StoredLimiter("1/s", store=store).check("a", 0), AmountError, "cost"),
        (lambda store: StoredLimiter("1/s", store=store).check("a", 1.5), TypeError, "cost"),
        (lambda store: StoredLimiter("1/s", store=store).refund("a", 0), AmountError, "tokens"),
        (lambda store: StoredLimiter("1/s", store=store).acquire("a", timeout=-1), ValueError, "timeout"),
    ],
)
def test_bad_arguments_are_named_and_change_nothing(
    make: Callable[[Any], Any], error: type[Exception], named: str
) -> None:
    store = FakeStore()
    with pytest.raises(error, match=named):
        make(store)
    assert store.operations == 0


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)
