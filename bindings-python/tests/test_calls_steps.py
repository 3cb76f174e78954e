"""The steps of a call, one by one: what no service can be made to do at the right moment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import httpx
import pytest
import requests
from service import START

import tokenweir.httpx
import tokenweir.requests
from tokenweir import Limiter, ManualClock, RateLimited
from tokenweir._calls import Calls, origin
from tokenweir._calls.services import MOST, Services
from tokenweir._calls.steps import Discard, Send, Sleep, Take

REFUSED = {"Retry-After": "30"}


class Port:
    def read(self, reply: Any, /) -> tuple[int, Iterable[tuple[str, str]]]:
        return 200, reply.items()

    def skipped(self, error: RateLimited, /) -> Exception:
        return error

    def answer(self, error: RateLimited, /) -> Any:
        raise NotImplementedError


def calls(limits: Any, clock: ManualClock, **options: Any) -> Calls[str]:
    return Calls(limits, origin=lambda request: request, errors=(), clock=clock, **options)


def test_a_token_is_given_back_where_the_service_refuses_meanwhile() -> None:
    clock = ManualClock(START, wall=True)
    limiter = Limiter("5/min", clock=clock)
    both = calls(limiter, clock, timeout=10)
    waiting = both.steps("service", "GET", True, Port())
    assert isinstance(next(waiting), Take)
    # Another call brings the news.
    other = both.steps("service", "GET", True, Port())
    next(other)
    assert limiter.try_acquire()
    assert isinstance(other.send(True), Send)
    with pytest.raises(StopIteration):
        other.send(REFUSED)
    assert limiter.try_acquire()
    with pytest.raises(RateLimited) as refused:
        waiting.send(True)
    assert (refused.value.code, limiter.available) == ("refused_by_service", 4)


@pytest.mark.parametrize("error", [KeyboardInterrupt, GeneratorExit])
def test_a_token_is_given_back_where_a_wait_is_interrupted(error: type[BaseException]) -> None:
    clock = ManualClock(START, wall=True)
    limiter = Limiter("5/min", clock=clock)
    both = calls(limiter, clock)
    waiting = both.steps("service", "GET", True, Port())
    assert isinstance(next(waiting), Take)
    both._services.learn("service", REFUSED.items())
    assert limiter.try_acquire()
    step = waiting.send(True)
    assert isinstance(step, Sleep)
    assert (step.seconds, limiter.available) == (30.0, 4)
    with pytest.raises(error):
        waiting.throw(error())
    assert limiter.available == 5


def test_who_is_woken_early_sleeps_on() -> None:
    clock = ManualClock(START, wall=True)
    both = calls(None, clock)
    both._services.learn("service", REFUSED.items())
    steps = both.steps("service", "GET", True, Port())
    slept = next(steps)
    clock.advance(29.75)
    rest = next(steps)
    assert isinstance(slept, Sleep)
    assert isinstance(rest, Sleep)
    assert (slept.seconds, rest.seconds) == (30.0, 0.25)
    clock.advance(0.25)
    assert isinstance(next(steps), Send)


def test_an_error_of_the_call_is_not_taken_for_a_refusal() -> None:
    both = calls(None, ManualClock(), on_limit="respond")
    steps = both.steps("service", "GET", True, Port())
    assert isinstance(next(steps), Send)
    # A transport inside may have limits of its own.
    with pytest.raises(RateLimited, match="inside"):
        steps.throw(RateLimited("inside"))


def test_what_a_service_has_said_is_not_taken_back() -> None:
    clock = ManualClock(START, wall=True)
    services = Services(clock)
    assert services.learn("a", [("Retry-After", "30")]) == 30 * 10**9
    assert services.learn("a", [("Retry-After", "10")]) == 10 * 10**9
    assert services.learn("a", [("RateLimit", '"a";r=9;t=1')]) == 0
    assert (services.wait_ns("a"), services.wait_ns("b")) == (30 * 10**9, 0)
    # 300 years are for ever.
    assert services.learn("b", [("Retry-After", "9467280000")]) is None
    clock.advance(30)
    assert (services.wait_ns("a"), services.wait_ns("b")) == (0, None)
    services.learn("b", [("Retry-After", "10")])
    assert services.wait_ns("b") is None
    with pytest.raises(RateLimited) as refused:
        next(calls_with(services, clock).steps("b", "GET", True, Port()))
    assert refused.value.never


def calls_with(services: Services, clock: ManualClock) -> Calls[str]:
    both = calls(None, clock)
    both._services = services
    return both


def test_a_bounded_number_of_services_is_remembered() -> None:
    clock = ManualClock(START, wall=True)
    services = Services(clock)
    for number in range(MOST + 10):
        services.learn(number, [("Retry-After", "30")])
    known = [number for number in range(MOST + 10) if services.wait_ns(number)]
    assert known == list(range(10, MOST + 10))
    # What is over is forgotten when it is looked at.
    clock.advance(30)
    assert not any(services.wait_ns(number) for number in known)
    assert len(services._not_before) == 0


def test_an_origin_is_scheme_host_and_port() -> None:
    assert origin("https://API.example:443/a?b") == "https://api.example"
    assert origin("http://api.example/") == "http://api.example"
    assert origin("http://api.example:443") == "http://api.example:443"
    assert origin("http://[2001:DB8::1]:8080/") == "http://[2001:db8::1]:8080"
    assert origin("") == "://"


def test_what_is_inside_is_opened_and_closed() -> None:
    seen: list[str] = []

    class Inside(httpx.MockTransport):
        def __enter__(self) -> Inside:
            seen.append("opened")
            return self

        def __exit__(self, *_error: object) -> None:
            seen.append("closed")

        def close(self) -> None:
            seen.append("closed")

    inside = Inside(lambda request: httpx.Response(204))
    with httpx.Client(transport=tokenweir.httpx.LimitedTransport(transport=inside)) as client:
        assert client.get("http://a/").status_code == 204
    tokenweir.httpx.LimitedTransport(transport=inside).close()
    assert seen == ["opened", "closed", "closed"]

    class Adapter(requests.adapters.BaseAdapter):
        def send(self, request: Any, *_arguments: Any, **_named: Any) -> requests.Response:
            seen.append(request.url)
            reply = requests.Response()
            reply.status_code = 204
            return reply

        def close(self) -> None:
            seen.append("closed")

    with requests.Session() as session:
        session.mount("http://", tokenweir.requests.LimitedAdapter(adapter=Adapter()))
        assert session.get("http://a/").status_code == 204
    assert seen[3:] == ["http://a/", "closed"]


def test_a_reply_that_nobody_reads_is_closed() -> None:
    clock = ManualClock(START, wall=True)
    steps = calls(None, clock, retry_statuses={200}).steps("service", "GET", True, Port())
    assert isinstance(next(steps), Send)
    reply: dict[str, str] = {}
    discarded = steps.send(reply)
    assert isinstance(discarded, Discard)
    assert discarded.reply is reply
