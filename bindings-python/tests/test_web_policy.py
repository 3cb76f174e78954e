"""Policies, whatever the framework."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from test_waiting_threads import joined, started
from web_apps import EVERY, Call

from tokenweir import (
    AmountError,
    ConfigError,
    KeyedLimiter,
    Limiter,
    LimitSyntaxError,
    ManualClock,
    SystemClock,
)
from tokenweir.web import Answers, Request, RequestPolicy, Scope, Verdict, api_key

App = Callable[..., Call]
every_app = pytest.mark.parametrize("app", EVERY)


class Asked(Request):
    """A request that was made up."""

    def __init__(self, path: str = "/", peer: str = "192.0.2.1", **headers: str) -> None:
        self.method, self.path, self.peer = "GET", path, peer
        self.native = None
        self.asynchronous = False
        self._headers = headers

    def lines(self, name: str) -> list[str]:
        return [value for known, value in self._headers.items() if known == name]


def judge(policy: RequestPolicy, *asked: Any, **headers: str) -> Verdict:
    return policy.judge(Asked(*asked, **headers), Answers())


@every_app
def test_each_plan_has_limits_of_its_own(app: App) -> None:
    clock = ManualClock()
    paid = {"k-77": "pro"}
    policy = RequestPolicy(
        plans={"free": "free: 1/min", "pro": "pro: 3/min"},
        plan=lambda request: paid.get(request.header("x-api-key") or "", "free"),
        key=api_key(),
        clock=clock,
    )
    call = app(policy)
    assert [call().status for _ in range(2)] == [200, 429]
    pro = [call(headers=[("X-API-Key", "k-77")]) for _ in range(4)]
    assert [answer.status for answer in pro] == [200, 200, 200, 429]
    assert pro[0]["RateLimit"] == '"pro";r=2;t=20'
    assert call(headers=[("X-API-Key", "other")])["RateLimit"] == '"free";r=0;t=60'


def test_an_unknown_plan_is_an_error_that_names_it() -> None:
    limiter = KeyedLimiter("1/min", clock=ManualClock())
    policy = RequestPolicy(plans={"free": limiter, "pro": "9/min"}, plan=lambda _: "gold")
    with pytest.raises(ValueError, match=r"plan: 'gold' is none of 'free', 'pro'"):
        judge(policy)
    assert len(limiter) == 0
    assert policy.counters == {"allowed": 0, "refused": 0, "unavailable": 0}


@every_app
def test_of_several_scopes_all_grant_or_none_pays(app: App) -> None:
    clock = ManualClock()
    everybody = Limiter("all: 3/min", clock=clock)
    clients = KeyedLimiter("2/min", clock=clock)
    policy = RequestPolicy(
        Scope(clients, name="client"), Scope(everybody, key=None), Scope("9/min", clock=clock)
    )
    call = app(policy)
    assert [call().status for _ in range(3)] == [200, 200, 429]
    refused = call()
    assert refused["Retry-After"] == "30"
    # The refusals took nothing of what all share.
    assert everybody.available == 1
    assert call(peer="192.0.2.2")["RateLimit"].split(", ") == [
        '"client 2/min";r=1;t=30',
        '"all";r=0;t=20',
        '"9/min";r=8;t=7',
    ]
    refused = call(peer="192.0.2.2")
    assert (refused.status, refused["Retry-After"]) == (429, "20")
    assert clients.available("address:192.0.2.2") == 1


def test_costs_are_numbers_or_by_path_or_by_the_request() -> None:
    def costs(cost: Any, *paths: str) -> list[int]:
        limiter = KeyedLimiter("100/h", clock=ManualClock())
        policy, left = RequestPolicy(limiter, cost=cost), 100
        taken = []
        for path in paths:
            judge(policy, path)
            taken.append(left - limiter.available("address:192.0.2.1"))
            left -= taken[-1]
        return taken

    assert costs(3, "/") == [3]
    by_path = {"/a": 2, "/static/*": 0, "POST /b": 9, "GET /b": 4}
    assert costs(by_path, "/a", "/ab", "/static/x/y", "/b", "/") == [2, 1, 0, 4, 1]
    assert costs(lambda request: len(request.path), "/", "/abc") == [1, 4]


@pytest.mark.parametrize("cost", [-1, 1.5, float("nan"), "1", 2**63])
def test_a_cost_that_is_none_is_an_error_and_takes_nothing(cost: Any) -> None:
    limiter = KeyedLimiter("5/min", clock=ManualClock())
    with pytest.raises((TypeError, ValueError)):
        judge(RequestPolicy(limiter, cost=lambda _: cost))
    assert limiter.available("address:192.0.2.1") == 5


def test_the_functions_of_an_asynchronous_application_may_wait() -> None:
    async def later(value: Any) -> Any:
        await asyncio.sleep(0)
        return value

    told: list[Verdict] = []

    async def tell(_request: Request, verdict: Verdict) -> None:
        await asyncio.sleep(0)
        told.append(verdict)

    policy = RequestPolicy(
        key=lambda _: later("ann"),
        cost=lambda _: later(3),
        plans={"free": "5/min"},
        plan=lambda _: later("free"),
        on_refused=tell,
    )

    async def judged() -> Verdict:
        return await policy.judge_async(Asked(), Answers())

    allowed, refused = asyncio.run(judged()), asyncio.run(judged())
    assert (allowed.served, refused.served, told) == (True, False, [refused])
    with pytest.raises(TypeError, match="only asynchronous applications"):
        judge(policy)


def test_a_limiter_is_asked_the_way_the_application_works() -> None:
    class Both:
        def __init__(self) -> None:
            self.asked: list[str] = []
            self._limiter = KeyedLimiter("5/min", clock=ManualClock())

        def check(self, key: Any, cost: int = 1, /) -> Any:
            self.asked.append("check")
            return self._limiter.check(key, cost)

        async def check_async(self, key: Any, cost: int = 1, /) -> Any:
            await asyncio.sleep(0)
            self.asked.append("check_async")
            return self._limiter.check(key, cost)

    both = Both()
    policy = RequestPolicy(both, name="user")
    assert judge(policy).quotas[0].policy.name == "user 5/min"
    request = Asked()
    request.asynchronous = True
    verdict = asyncio.run(policy.judge_async(request, Answers()))
    assert (verdict.served, verdict.scope, both.asked) == (True, "user", ["check", "check_async"])


def test_exempt_may_be_a_function() -> None:
    policy = RequestPolicy("1/min", exempt=lambda request: request.peer == "10.0.0.1")
    assert [judge(policy, "/", "10.0.0.1").decision for _ in range(2)] == [None, None]
    assert [judge(policy).served for _ in range(2)] == [True, False]


def test_refusals_are_logged_and_told(caplog: pytest.LogCaptureFixture) -> None:
    told: list[tuple[Request, Verdict]] = []
    policy = RequestPolicy("1/min", name="client", on_refused=lambda *refused: told.append(refused))
    with caplog.at_level(logging.INFO, "tokenweir.web"):
        judge(policy)
        verdict = judge(policy, "/a\nb")
    [(request, seen)] = told
    assert (request.path, seen) == ("/a\nb", verdict)
    assert (verdict.scope, verdict.over, verdict.served) == ("client", True, False)
    [message] = caplog.messages
    # A line that a client made up does not become one of the log.
    assert message.startswith(r"GET '/a\nb' refused: <Decision refused")


def test_threads_are_counted_exactly() -> None:
    policy = RequestPolicy("500/h", key=None)
    served: list[int] = []

    def work() -> None:
        served.append(sum(judge(policy).served for _ in range(300)))

    joined([started(work) for _ in range(4)])
    assert sum(served) == 500
    assert policy.counters == {"allowed": 500, "refused": 700, "unavailable": 0}


def test_addresses_without_end_share_a_limiter_in_the_end() -> None:
    policy = RequestPolicy("1/min", max_keys=2)
    served = [judge(policy, "/", f"192.0.2.{n}").served for n in range(5)]
    assert served == [True, True, True, False, False]
    assert not judge(policy, "/", "192.0.2.1").served


# As someone calls it who checks no types.
ANY: Any = RequestPolicy


@pytest.mark.parametrize(
    ("error", "match", "make"),
    [
        (ConfigError, "style", lambda: ANY("1/s", style="draft-99")),
        (ValueError, "on_outage: 'open'", lambda: ANY("1/s", on_outage="open")),
        (LimitSyntaxError, "apple", lambda: ANY("1 apple")),
        (ConfigError, "größe|ASCII", lambda: ANY('"größe": 1/s')),
        (ConfigError, "ASCII|ü", lambda: ANY("1/s", name="für")),
        (TypeError, "limits, or plans", lambda: ANY()),
        (TypeError, "not both", lambda: ANY("1/s", plans={"a": "1/s"}, plan=str)),
        (TypeError, "plans and plan", lambda: ANY(plans={"a": "1/s"})),
        (TypeError, "plans and plan", lambda: ANY("1/s", plan=str)),
        (AmountError, "cost", lambda: ANY("1/s", cost=-1)),
        (AmountError, "cost", lambda: ANY("1/s", cost={"/": 2**63})),
        (TypeError, "cost", lambda: ANY("1/s", cost=1.5)),
        (ValueError, "cost: 'a'", lambda: ANY("1/s", cost={"a": 1})),
        (ValueError, r"exempt: '/\*/a'", lambda: ANY("1/s", exempt=["/*/a"])),
        (ValueError, "exempt: 'get /'", lambda: ANY("1/s", exempt=["get /"])),
        (TypeError, "exempt: a list", lambda: ANY("1/s", exempt="/")),
        (TypeError, "exempt_methods", lambda: ANY("1/s", exempt_methods="GET")),
        (TypeError, "key: .* has no keys", lambda: ANY(Limiter("1/s"))),
        (
            TypeError,
            "clock: .* has its own",
            lambda: ANY(KeyedLimiter("1/s"), clock=ManualClock()),
        ),
        (TypeError, "name: an option", lambda: ANY(Scope("1/s"), name="a")),
        (TypeError, "not both", lambda: ANY(Scope("1/s"), "1/s")),
        (
            ValueError,
            "different clocks",
            lambda: ANY(Scope("1/s"), Scope("1/day aligned")),
        ),
    ],
)
def test_what_cannot_work_is_an_error_at_once(
    error: type[Exception], match: str, make: Callable[[], Any]
) -> None:
    with pytest.raises(error, match=match):
        make()


def test_scopes_are_checked_together() -> None:
    limiter = KeyedLimiter("1/s")
    with pytest.raises(ValueError, match="given twice"):
        RequestPolicy(Scope(limiter), Scope(limiter))

    class Other:
        def check(self, key: Any, cost: int = 1, /) -> Any:
            raise AssertionError("never asked")

    with pytest.raises(TypeError, match="all be of this process"):
        RequestPolicy(Scope(limiter), Scope(Other()))
    clock = SystemClock()
    both = RequestPolicy(Scope("1/s", clock=clock), Scope("9/day aligned", clock=clock))
    assert judge(both).served


def test_a_keyed_limiter_may_hold_what_all_share() -> None:
    limiter = KeyedLimiter("2/min", clock=ManualClock())
    policy = RequestPolicy(limiter, key=None)
    assert [judge(policy, "/", f"192.0.2.{n}").served for n in range(3)] == [True, True, False]
    assert limiter.available("everybody") == 0


def test_what_is_shown() -> None:
    policy = RequestPolicy(Scope("1/s", name="client"), Scope("9/s", key=None), dry_run=True)
    shown = "<RequestPolicy <Scope 'client': <KeyedLimiter 1/s: 0 of 100000 keys>>, <Scope "
    assert repr(policy).startswith(shown)
    assert repr(policy).endswith(", dry run>")
