"""A store that fails: never reported as a limit, and never waited for by each in turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from wsgiref.util import setup_testing_defaults

import circuitbreaker
import pytest
from fake_store import AsyncFakeStore, FakeStore, Gate, down
from test_stores import wait_until

from tokenweir import StoreError, http, wsgi
from tokenweir.stores import (
    AsyncStoredLimiter,
    CircuitBreaker,
    LocalShare,
    OnStoreError,
    StoredLimiter,
    check_together,
)
from tokenweir.stores._gate import AsyncGate
from tokenweir.stores._gate import Gate as ConnectionGate
from tokenweir.web import RequestPolicy


def limiter(store: FakeStore, how: OnStoreError, limits: str = "10/day") -> StoredLimiter:
    return StoredLimiter(limits, store=store, on_store_error=how)


def test_an_outage_is_raised_unless_the_user_says_otherwise() -> None:
    store = FakeStore()
    raising = StoredLimiter("1/day", store=store)
    store.error = down()
    for call in (
        lambda: raising.check("alice"),
        lambda: raising.try_acquire("alice"),
        lambda: raising.peek("alice"),
        lambda: raising.acquire("alice"),
        lambda: raising.acquire_up_to("alice", 3),
    ):
        with pytest.raises(StoreError) as caught:
            call()
        assert caught.value.code == "store_failed"
    assert raising.counters["store_errors"] == 5
    assert raising.counters["refused"] == raising.counters["degraded"] == 0


def test_what_is_decided_without_the_store_says_so() -> None:
    store = FakeStore()
    allowing, denying = limiter(store, "allow"), limiter(store, "deny")
    store.error = down()
    decision = allowing.check("alice")
    assert decision.allowed and decision.degraded and decision.remaining == 0
    assert allowing.peek("alice").degraded
    assert allowing.acquire("alice") and allowing.acquire_up_to("alice", 99) == 10
    decision = denying.check("alice")
    assert not decision.allowed and decision.degraded
    assert not decision.never, "it may be asked again"
    assert (decision.retry_after, decision.limit, decision.remaining) == (1.0, 10, 0)
    assert not denying.try_acquire("alice") and denying.acquire_up_to("alice", 99) == 0
    with pytest.raises(StoreError):
        denying.acquire("alice")  # Whoever waits is told of the outage.
    assert allowing.counters["degraded"] == 4
    assert denying.counters["refused"] == 0, "no limit refused it"
    assert http.quotas(decision) == [], "the fields promise nothing"
    store.error = None
    decision = allowing.check("alice")
    assert not decision.degraded and len(http.quotas(decision)) == 1


def test_an_outage_is_503_and_never_429_over_http() -> None:
    store = FakeStore()
    store.error = down()

    def served(environ: object, start_response: Callable[..., object]) -> list[bytes]:
        start_response("200 OK", [])
        return [b""]

    answers = []
    for how in ("raise", "deny", "allow"):
        policy = RequestPolicy(limiter(store, how), on_outage="deny")
        guarded = wsgi.RateLimitMiddleware(served, policy)
        environ: dict[str, Any] = {}
        setup_testing_defaults(environ)
        environ["REMOTE_ADDR"] = "192.0.2.1"
        guarded(environ, lambda status, fields, *_: answers.append((status[:3], dict(fields))))
    assert [status for status, _ in answers] == ["503", "503", "200"]
    assert not any(name.lower().startswith("ratelimit") for _, fields in answers for name in fields)


def test_a_local_share_decides_by_its_part_of_the_limits() -> None:
    store = FakeStore()
    shared = limiter(store, LocalShare(4), "100/day; burst: 8/min")
    store.error = down()
    decisions = [shared.check("alice") for _ in range(4)]
    assert [decision.allowed for decision in decisions] == [True, True, False, False]
    assert all(decision.degraded for decision in decisions)
    assert decisions[2].scope == "burst" and decisions[2].retry_after is not None
    assert not shared.acquire("alice", timeout=0.01)
    assert shared.acquire_up_to("bob", 5) == 2
    shared.update("100/day; burst: 16/min", version=1, inheritance="additive")
    assert [shared.try_acquire("alice") for _ in range(3)] == [True, True, False]
    for instances in (0, -1):
        with pytest.raises(ValueError, match="instances"):
            LocalShare(instances)


def test_what_gives_back_is_never_pretended() -> None:
    store = FakeStore()
    allowing = limiter(store, "allow")
    store.error = down()
    for call in (
        lambda: allowing.refund("alice"),
        lambda: allowing.reset("alice"),
        lambda: allowing.force_add("alice", 1),
        lambda: allowing.statuses("alice"),
        lambda: allowing.reserve("alice"),
        lambda: allowing.acquire_ignoring_limits_ns("alice", 1),
    ):
        with pytest.raises(StoreError):
            call()


def test_an_operation_that_may_have_been_done_is_not_done_twice() -> None:
    store = FakeStore()
    allowing = limiter(store, "allow")
    allowing.check("alice")

    def lose_the_answer() -> None:
        store.after = None
        raise down()

    store.after = lose_the_answer
    assert allowing.check("alice").degraded
    # Taken, although nobody knew: at most what was under way is lost.
    assert allowing.check("alice").remaining == 7


def test_several_keys_are_decided_by_the_policies_of_all() -> None:
    store = FakeStore()
    allowing, denying = limiter(store, "allow"), limiter(store, "deny")
    sharing = limiter(store, LocalShare(5))
    raising = limiter(store, "raise")
    store.error = down()
    decision = check_together((allowing, "alice"), (sharing, "all"))
    assert decision.allowed and decision.degraded
    decision = check_together((sharing, "all"), (denying, "alice"))
    assert not decision.allowed and decision.subject == 1
    assert [sharing.try_acquire("all") for _ in range(2)] == [True, False], "one was taken"
    with pytest.raises(StoreError):
        check_together((allowing, "alice"), (raising, "all"))


def test_whoever_waits_behind_an_operation_that_fails_fails_with_it() -> None:
    store = FakeStore()
    allowing = limiter(store, "allow")
    allowing.check("alice")
    gate = Gate()
    store.before = gate
    with ThreadPoolExecutor(20) as pool:
        first = pool.submit(allowing.check, "alice")
        assert gate.come.wait(20)
        others = [pool.submit(allowing.check, "alice") for _ in range(15)]
        wait_until(lambda: len(allowing._lines["alice"].waiting) == 15)
        store.error = down()
        gate.open.set()
        assert all(call.result().degraded for call in [first, *others])
    assert store.operations == 3, "the time, the first of alice, and the one that failed"


def test_tasks_that_wait_behind_an_operation_that_fails_fail_with_it() -> None:
    async def main() -> None:
        store = AsyncFakeStore()
        allowing = AsyncStoredLimiter("10/day", store=store, on_store_error="allow")
        await allowing.check("alice")
        store.error = down()
        decisions = await asyncio.gather(*(allowing.check("alice") for _ in range(20)))
        assert all(decision.degraded for decision in decisions)
        assert store.operations == 3
        store.error = None
        assert not (await allowing.check("alice")).degraded

    asyncio.run(main())


def test_the_circuit_opens_and_one_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(circuitbreaker, "monotonic", lambda: now[0])
    store = FakeStore(CircuitBreaker(failures=3, recovery=2))
    allowing = limiter(store, "allow")
    allowing.check("alice")
    before = store.operations
    store.error = down()
    assert all(allowing.check(f"key {n}").degraded for n in range(10))
    assert store.operations == before + 3, "then it was not asked any more"
    assert store.breaker is not None and not store.breaker.is_closed
    now[0] += 2.5
    gate = Gate()
    store.before = gate
    with ThreadPoolExecutor(1) as pool:
        trial = pool.submit(allowing.check, "trial")
        assert gate.come.wait(20)
        assert allowing.check("meanwhile").degraded
        assert store.operations == before + 4, "one tries, the others go without"
        gate.open.set()
        assert trial.result().degraded
    store.before = None
    assert allowing.check("again").degraded and store.operations == before + 4
    now[0] += 2.5
    store.error = None
    assert not allowing.check("bob").degraded
    assert store.breaker.is_closed
    raising = StoredLimiter("1/day", store=store)
    store.error = down()
    for code in ("store_failed", "store_failed", "store_failed", "store_open"):
        with pytest.raises(StoreError) as caught:
            raising.check("alice")
        assert caught.value.code == code


def test_a_refusal_that_is_known_is_told_while_the_store_is_down() -> None:
    store = FakeStore()
    allowing = limiter(store, "allow", "2/day")
    assert allowing.try_acquire("alice", 2) and not allowing.try_acquire("alice")
    store.error = down()
    decision = allowing.check("alice")
    assert not decision.allowed and not decision.degraded


def test_an_interrupted_operation_lets_others_go_on() -> None:
    store = FakeStore()
    raising = StoredLimiter("10/day", store=store)
    raising.check("alice")
    store.error = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        raising.check("alice")
    store.error = None
    assert raising.check("alice").allowed
    assert not raising._lines["alice"].busy


def test_breakers_and_gates_check_their_arguments() -> None:
    with pytest.raises(ValueError, match="failures"):
        CircuitBreaker(failures=0)
    with pytest.raises(ValueError, match="recovery"):
        CircuitBreaker(recovery=0)
    with pytest.raises(ValueError, match="max_connections"):
        ConnectionGate(0, 1)
    with pytest.raises(ValueError, match="deadline"):
        ConnectionGate(1, 0)


def test_who_waits_for_a_connection_fails_with_who_has_it() -> None:
    reached = Gate()

    def hold() -> None:
        with gate:
            reached()
            raise down()

    def pass_through() -> None:
        with gate:
            pass

    class Watched(ConnectionGate):
        """Tells that a thread has to wait, just before it does."""

        def _wait(self) -> None:
            come.append(None)
            super()._wait()

    come: list[None] = []
    gate = Watched(1, 60)
    with ThreadPoolExecutor(5) as pool:
        holder = pool.submit(hold)
        assert reached.come.wait(20)
        waiting = [pool.submit(pass_through) for _ in range(4)]
        wait_until(lambda: len(come) == 4)
        # They have noted by now that nothing had failed, or do so in a moment.
        time.sleep(0.05)
        reached.open.set()
        for call in [holder, *waiting]:
            with pytest.raises(StoreError):
                call.result()
    pass_through()


def test_tasks_that_wait_for_a_connection_fail_with_who_has_it() -> None:
    async def main() -> None:
        gate = AsyncGate(1, 60)
        release = asyncio.Event()

        async def hold() -> None:
            async with gate:
                await release.wait()
                raise down()

        async def pass_through() -> None:
            async with gate:
                pass

        calls = [asyncio.create_task(hold())]
        await asyncio.sleep(0)
        calls += [asyncio.create_task(pass_through()) for _ in range(4)]
        await asyncio.sleep(0)
        release.set()
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert all(isinstance(result, StoreError) for result in results)
        await pass_through()

    asyncio.run(main())
