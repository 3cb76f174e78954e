"""What users of other limiters reported, each with the outcome that is right."""

from __future__ import annotations

import pytest

from tokenweir import Bandwidth, Limiter, ManualClock, TokenBucket

MINUTE = 60
HOUR = 3_600


def limiter(text: str) -> tuple[Limiter, ManualClock]:
    clock = ManualClock()
    return Limiter(text, clock=clock), clock


def test_obeying_the_wait_is_granted_at_the_first_try_every_time() -> None:
    three_a_second, clock = limiter("3/s")
    for _ in range(1_000):
        while (decision := three_a_second.check()).allowed:
            pass
        assert decision.retry_after is not None
        clock.advance(decision.retry_after)
        assert three_a_second.try_acquire()


@pytest.mark.parametrize(
    ("text", "step_ns", "grants"), [("1/s burst 2", 1_999_000, 20), ("7/s", 1_500_000, 140)]
)
def test_polling_loses_no_fraction(text: str, step_ns: int, grants: int) -> None:
    polled, clock = limiter(text)
    burst = polled.acquire_up_to()
    taken = 0
    while clock.now_ns + step_ns <= 20 * 10**9:
        clock.advance_ns(step_ns)
        taken += polled.try_acquire()
    clock.set_ns(20 * 10**9)
    taken += polled.acquire_up_to()
    assert (burst, taken) == (polled.limits.quotas[0], grants)


def test_30_a_minute_with_a_burst_of_10_grants_29_or_30_of_40_calls() -> None:
    calls, clock = limiter("30/min burst 10")
    granted = 0
    for _ in range(40):
        granted += calls.try_acquire()
        clock.advance(1)
    assert granted in (29, 30)


def test_a_large_cost_does_not_wrap() -> None:
    hourly, _ = limiter("1/h burst 2")
    assert hourly.check(5_124_097).never
    yearly = TokenBucket(Bandwidth.greedy(1_000, 1, 365 * 24 * HOUR), clock=ManualClock())
    assert yearly.acquire_up_to() == 1_000
    assert not yearly.try_acquire()


@pytest.mark.parametrize(
    ("costs", "answers"), [([8, 2, 1], [True, True, False]), ([8, 5, 1], [True, False, True])]
)
def test_a_refusal_is_not_charged(costs: list[int], answers: list[bool]) -> None:
    minutely, _ = limiter("10/min")
    assert [minutely.try_acquire(cost) for cost in costs] == answers


def test_no_window_has_more_than_the_capacity_and_its_refill() -> None:
    clock = ManualClock()
    bucket = TokenBucket(Bandwidth.per(2, 0.3), clock=clock)
    grants: list[int] = []
    for _ in range(3_000):
        grants += [clock.now_ns] * bucket.try_acquire()
        clock.advance(0.001)
    for first in grants:
        for window in (1_000_000, 150_000_000, 300_000_000, 1_000_000_000):
            inside = sum(first <= at < first + window for at in grants)
            assert inside <= 2 + -(-window * 2 // 300_000_000)


@pytest.mark.parametrize(("text", "wait"), [("interval 5/5m", 241.0), ("5/5m", 1.0)])
def test_the_wait_is_that_of_the_refill(text: str, wait: float) -> None:
    emptied, clock = limiter(text)
    assert emptied.try_acquire(5)
    clock.advance(59)
    assert emptied.peek().retry_after == wait


def test_tokens_are_refused_without_a_charge_to_requests() -> None:
    both, clock = limiter("requests: 10/min; cycle 5/min")
    assert both.try_acquire(5)
    refused = both.check()
    assert (refused.allowed, refused.scope) == (False, "cycle 5/min")
    assert both.available_of_each == (5, 0)


def test_a_clock_that_goes_back_an_hour_grants_nothing_and_loses_nothing() -> None:
    clock = ManualClock(2 * HOUR * 10**9)
    minutely = Limiter("1/min", clock=clock)
    assert minutely.try_acquire()
    clock.set_ns(HOUR * 10**9)
    assert minutely.peek().retry_after == HOUR + MINUTE
    assert not minutely.try_acquire()
    clock.set_ns((2 * HOUR + MINUTE) * 10**9)
    assert minutely.try_acquire()
    assert not minutely.try_acquire()
