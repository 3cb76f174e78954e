"""Calls by httpx and requests within limits, to a real service on this machine."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from service import LIBRARIES, START, Service, caller, served
from test_waiting_threads import eventually, joined, started

from tokenweir import Backoff, KeyedLimiter, Limiter, ManualClock, RateLimited, TokenweirError

STEADY = Backoff(0.5, 2, max_retries=3, longest_retry_after=60)


@pytest.fixture
def service() -> Iterator[Service]:
    with served() as service:
        yield service


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START, wall=True)


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_a_call_beyond_the_limit_is_not_made(
    library: str, service: Service, clock: ManualClock, slept: list[float]
) -> None:
    with (
        served() as other,
        caller(library, "all: 2/min", clock, slept, on_limit="raise") as call,
    ):
        assert call(service.url + "/a").status == call(service.url + "/b").status == 200
        with pytest.raises(call.skipped) as refused:
            call(service.url + "/c")
        error: Any = refused.value
        assert isinstance(error, call.error)
        assert isinstance(error, RateLimited)
        assert isinstance(error, TokenweirError)
        assert (error.code, error.retry_after, error.scope) == ("not_in_time", 30.0, "all")
        assert (error.limit, error.remaining, error.never) == (2, 0, False)
        assert str(error.request.url) == service.url + "/c"
        # Each origin has limits of its own.
        assert call(other.url).status == 200
        clock.advance(30)
        assert call(service.url + "/d").status == 200
    assert [path for _, path, _ in service.requests] == ["/a", "/b", "/d"]
    assert slept == []


def test_a_refusal_can_be_a_reply(
    library: str, service: Service, clock: ManualClock, slept: list[float]
) -> None:
    with caller(library, "1/min", clock, slept, on_limit="respond") as call:
        assert call(service.url).status == 200
        reply = call(service.url)
        assert (reply.status, reply.fields["retry-after"]) == (429, "60")
        assert reply.fields["content-type"] == "application/problem+json"
        problem = json.loads(reply.body)
        assert (problem["status"], problem["violated-policies"]) == (429, ["client"])
        clock.advance(60)
        service.will((200, {"RateLimit": '"a";r=0;t=90'}))
        assert call(service.url).status == 200
        reply = call(service.url)
        assert (reply.status, reply.fields["retry-after"]) == (429, "90")
        assert json.loads(reply.body)["violated-policies"] == ["service"]
    assert len(service.requests) == 2


def test_a_call_waits_for_its_turn(
    library: str, service: Service, clock: ManualClock, slept: list[float]
) -> None:
    limiter = Limiter("1/min", clock=clock)
    with caller(library, limiter, clock, slept, timeout=timedelta(minutes=2)) as call:
        assert call(service.url).status == 200
        replies: list[int] = []
        thread = started(lambda: replies.append(call(service.url).status))
        eventually(lambda: limiter.waiting == 1)
        assert len(service.requests) == 1
        clock.advance(60)
        joined([thread])
        assert replies == [200]
        # Two may not wait longer than the two minutes, and one would.
        limiter.acquire_ignoring_limits(3)
        with pytest.raises(call.skipped) as refused:
            call(service.url)
        assert (refused.value.code, refused.value.retry_after) == ("not_in_time", 240.0)  # type: ignore[attr-defined]
    assert len(service.requests) == 2


@pytest.mark.parametrize(
    "reply",
    [
        (200, {"RateLimit": '"a";r=0;t=5'}),
        (200, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000005"}),
        (429, {"Retry-After": "5"}),
        (503, {"Retry-After": "Tue, 14 Nov 2023 22:13:25 GMT"}),
    ],
    ids=str,
)
def test_what_a_service_says_is_kept_to(
    library: str,
    service: Service,
    clock: ManualClock,
    slept: list[float],
    reply: tuple[int, dict[str, str]],
) -> None:
    with caller(library, None, clock, slept, on_limit="raise", retry=None) as call:
        service.will(reply)
        assert call(service.url).status == reply[0]
        with pytest.raises(call.skipped, match="the service refuses") as refused:
            call(service.url)
        error: Any = refused.value
        assert (error.code, error.retry_after, error.scope) == ("refused_by_service", 5.0, None)
        clock.advance(4.999999999)
        with pytest.raises(call.skipped):
            call(service.url)
        clock.advance_ns(1)
        assert call(service.url).status == 200
    assert len(service.requests) == 2


def test_a_call_waits_for_a_service_within_the_timeout(
    library: str, service: Service, clock: ManualClock, slept: list[float]
) -> None:
    with caller(library, None, clock, slept, timeout=5) as call:
        service.will((200, {"Retry-After": "5"}), (200, {"Retry-After": "6"}))
        assert call(service.url).status == call(service.url).status == 200
        assert slept == [5.0]
        with pytest.raises(call.skipped) as refused:
            call(service.url)
        assert refused.value.retry_after == 6.0  # type: ignore[attr-defined]
    assert len(service.requests) == 2


def test_a_call_that_fails_is_made_again_after_a_back_off(
    library: str, service: Service, clock: ManualClock, slept: list[float]
) -> None:
    limiter = KeyedLimiter("10/h", max_keys=10, clock=clock)
    options = {"retry": STEADY, "key": lambda request: "all", "cost": lambda request: 2}
    with caller(library, limiter, clock, slept, **options) as call:
        service.will(503, 502)
        assert call(service.url + "/a", "PUT", b"again").status == 200
        assert slept == [0.5, 1.0]
        assert service.requests == [("PUT", "/a", b"again")] * 3
        # Each try counts.
        assert limiter.available("all") == 4
        # What the service asks for comes before the back-off's own.
        service.will((429, {"Retry-After": "7"}))
        assert call(service.url).status == 200
        assert slept == [0.5, 1.0, 7.0]


def test_a_call_is_not_made_for_ever(
    library: str, service: Service, clock: ManualClock, slept: list[float]
) -> None:
    with caller(library, None, clock, slept, retry=STEADY) as call:
        service.will(500, 500, 500, 504)
        reply = call(service.url)
        assert (reply.status, reply.body, slept) == (504, b"body", [0.5, 1.0, 2.0])
        # More than the back-off allows is not waited for, and is known from then on.
        service.will((503, {"Retry-After": "61"}))
        assert call(service.url).status == 503
        with pytest.raises(call.skipped):
            call(service.url)
    assert len(service.requests) == 5


def test_what_cannot_be_repeated_is_not(
    library: str, service: Service, clock: ManualClock, slept: list[float]
) -> None:
    with caller(library, None, clock, slept, retry=STEADY) as call:
        service.will(503)
        assert call(service.url, "POST", b"once").status == 503
        service.will(503)
        assert call(service.url, "PUT", (part for part in [b"on", b"ce"])).status == 503
        service.will(404)
        assert call(service.url).status == 404
    assert [body for _, _, body in service.requests] == [b"once", b"once", b""]
    assert slept == []
    options = {"retry_methods": ["post"], "retry_statuses": {404}}
    with caller(library, None, clock, slept, retry=STEADY, **options) as call:
        service.will(404)
        assert call(service.url, "POST", b"twice").status == 200
        service.will(503)
        assert call(service.url, "POST", b"twice").status == 503
    assert [body for _, _, body in service.requests[3:]] == [b"twice"] * 3
    assert slept == [0.5]


def test_a_connection_that_fails_is_tried_again(
    library: str, service: Service, clock: ManualClock, slept: list[float]
) -> None:
    with caller(library, None, clock, slept, retry=STEADY) as call:
        service.will(None)
        assert call(service.url).status == 200
        assert slept == [0.5]
        with socket.create_server(("127.0.0.1", 0)) as closed:
            nobody = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.raises(call.error) as failed:
            call(nobody)
        assert not isinstance(failed.value, TokenweirError)
        assert slept == [0.5, 0.5, 1.0, 2.0]
    with caller(library, None, clock, slept, retry=STEADY, retry_errors=()) as call:
        with pytest.raises(call.error):
            call(nobody)
    assert len(slept) == 4


def test_threads_together_keep_to_the_limit(
    library: str, service: Service, clock: ManualClock, slept: list[float]
) -> None:
    with caller(library, "25/h", clock, slept, on_limit="respond") as call:
        statuses: list[int] = []

        def work() -> None:
            statuses.extend(call(service.url).status for _ in range(10))

        joined([started(work) for _ in range(4)])
        assert (statuses.count(200), statuses.count(429)) == (25, 15)
    assert len(service.requests) == 25


def test_the_default_retries_are_few_and_short(
    library: str, service: Service, clock: ManualClock, slept: list[float]
) -> None:
    with caller(library, None, clock, slept) as call:
        service.will(503, 503, 503, 503)
        assert call(service.url).status == 503
    assert len(slept) == 3
    assert all(0 < delay <= longest for delay, longest in zip(slept, [0.5, 1, 2], strict=True))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"on_limit": "fail"}, ValueError, "on_limit: 'fail' is none of"),
        ({"timeout": -1}, ValueError, "timeout: -1000000000 ns"),
        ({"timeout": None}, TypeError, "timeout"),
        ({"retry": Backoff(1)}, ValueError, "no max_retries"),
        ({"retry": Backoff(1, max_retries=1)}, ValueError, "neither a budget nor"),
        ({"retry": 3}, TypeError, "retry: a Backoff"),
        ({"retry_methods": "GET"}, TypeError, "retry_methods: a collection"),
        ({"methods": ["GET"]}, TypeError, "methods"),
    ],
    ids=str,
)
def test_options_are_checked_when_they_are_given(
    library: str, clock: ManualClock, options: Any, error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        with caller(library, None, clock, [], **options):
            pass
