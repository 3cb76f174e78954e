"""What replies say, on every framework."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import pytest
import web_apps
from web_apps import EVERY, MIDDLEWARES, OWN, PIECES, Call

from tokenweir import Decision, KeyedLimiter, Limiter, ManualClock, StoreError
from tokenweir.web import Request, RequestPolicy, Verdict

App = Callable[..., Call]
every_app = pytest.mark.parametrize("app", EVERY)


def keyed(limits: str, **options: Any) -> KeyedLimiter:
    return KeyedLimiter(limits, clock=options.pop("clock", ManualClock()), **options)


@every_app
def test_fields_of_the_application_give_way_to_ours(app: App) -> None:
    answer = app(RequestPolicy(keyed("a: 3/min")))("/own")
    assert answer["RateLimit"] == '"a";r=2;t=20'
    assert (answer["X-RateLimit-Limit"], answer["X-Own"]) == ("7", "kept")
    assert answer.body == b"own"
    answer = app(RequestPolicy(keyed("a: 3/min"), style="x-ratelimit"))("/own")
    assert answer["X-RateLimit-Limit"] == "3"
    assert answer["RateLimit"] == OWN["RateLimit"]


@every_app
def test_two_policies_say_each_field_once_and_tell_of_both(app: App) -> None:
    inner, outer = keyed("inner: 1/min"), keyed("outer: 3/min")
    call = app(RequestPolicy(outer), RequestPolicy(inner))
    answer = call()
    policies = answer["RateLimit-Policy"].split(", ")
    assert sorted(policies) == ['"inner";q=1;w=60', '"outer";q=3;w=60']
    refused = call()
    assert refused.status == 429
    assert (refused["Retry-After"], refused["Content-Type"]) == ("60", "application/problem+json")
    assert json.loads(refused.body)["violated-policies"] == ["inner"]
    assert sorted(refused["RateLimit"].split(", ")) == ['"inner";r=0;t=60', '"outer";r=1;t=20']


@every_app
def test_two_styles_say_each_field_once(app: App) -> None:
    draft, legacy = RequestPolicy(keyed("a: 1/min")), RequestPolicy(keyed("3/min"), style="legacy")
    answer = app(draft, legacy)()
    assert (answer["RateLimit"], answer["RateLimit-Remaining"]) == ('"a";r=0;t=60', "2")
    assert app(draft, legacy)()["Retry-After"] == "60"


@every_app
def test_a_policy_that_is_met_twice_counts_once(app: App) -> None:
    policy = RequestPolicy(keyed("a: 2/min"))
    call = app(policy, policy)
    assert call()["RateLimit"] == '"a";r=1;t=30'
    assert [call().status for _ in range(3)] == [200, 429, 429]
    assert call()["Retry-After"] == "30"
    assert policy.counters == {"allowed": 2, "refused": 3, "unavailable": 0}


# Starlette makes the reply of an unhandled exception outside of its middleware, Django outside of views.
ON_ERRORS = {
    web_apps.asgi,
    web_apps.wsgi,
    web_apps.flask_app,
    web_apps.flask_view,
    web_apps.django_app,
    web_apps.django_async,
}


@every_app
def test_errors_are_counted_and_say_so_where_the_framework_allows(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    policy = RequestPolicy(keyed("a: 2/min"))
    call = app(policy)
    answer = call("/error")
    assert answer.status == 500
    assert answer.each("RateLimit") == (['"a";r=1;t=30'] if app in ON_ERRORS else [])
    assert policy.counters["allowed"] == 1


@every_app
def test_a_streaming_reply_is_left_alone(app: App) -> None:
    answer = app(RequestPolicy(keyed("a: 2/min")))("/stream")
    assert answer.body.decode() == "".join(PIECES)
    assert answer["RateLimit"] == '"a";r=1;t=30'
    assert answer.each("Content-Length") == []


@every_app
def test_a_refusal_is_a_problem_and_a_retry_exactly_then_is_served(app: App) -> None:
    clock = ManualClock()
    call = app(RequestPolicy(keyed("burst: 1/2s; 2/day", clock=clock), detail="Slow down."))
    assert call().status == 200
    clock.advance(0.4)
    refused = call()
    assert refused.status == 429
    assert (refused["Content-Type"], refused["Retry-After"]) == ("application/problem+json", "2")
    assert int(refused["Content-Length"]) == len(refused.body)
    problem = json.loads(refused.body)
    assert problem["type"].endswith("#quota-exceeded")
    assert (problem["status"], problem["detail"]) == (429, "Slow down.")
    assert problem["violated-policies"] == ["burst"]
    clock.advance(int(refused["Retry-After"]))
    assert call().status == 200


@every_app
def test_a_dry_run_counts_logs_and_says_but_never_refuses(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[tuple[str, Verdict]] = []

    def on_refused(request: Request, verdict: Verdict) -> None:
        seen.append((request.path, verdict))

    policy = RequestPolicy(keyed("a: 1/min"), dry_run=True, on_refused=on_refused)
    call = app(policy)
    with caplog.at_level(logging.WARNING, "tokenweir.web"):
        answers = [call() for _ in range(3)]
    assert [answer.status for answer in answers] == [200] * 3
    assert [answer["RateLimit"] for answer in answers] == ['"a";r=0;t=60'] * 3
    # Nobody was refused, so that there is nothing to wait for.
    assert [answer.each("Retry-After") for answer in answers] == [[]] * 3
    assert policy.counters == {"allowed": 1, "refused": 2, "unavailable": 0}
    [first, _] = [text for text in caplog.messages if "would be refused" in text]
    assert first.startswith("GET '/hello' would be refused: <Decision refused")
    assert [(path, verdict.served, verdict.over) for path, verdict in seen] == [
        ("/hello", True, True)
    ] * 2


@every_app
def test_head_counts_as_get_and_has_no_body(app: App) -> None:
    call = app(RequestPolicy(keyed("a: 3/min"), cost={"GET /hello": 2}))
    assert call(method="HEAD")["RateLimit"].startswith('"a";r=1;')
    refused = call(method="HEAD")
    assert (refused.status, refused.body, refused["Retry-After"]) == (429, b"", "20")
    assert int(refused["Content-Length"]) > 0


@pytest.mark.parametrize("app", MIDDLEWARES)
def test_options_is_free_unless_it_is_not_exempt(app: App) -> None:
    policy = RequestPolicy(keyed("a: 1/min"))
    call = app(policy)
    for _ in range(3):
        answer = call(method="OPTIONS")
        assert (answer.status, answer.limits()) == (200, [])
    assert policy.counters["allowed"] == 0
    call = app(RequestPolicy(keyed("a: 1/min"), exempt_methods=()))
    assert [call(method="OPTIONS").status for _ in range(2)] == [200, 429]


@every_app
def test_exempt_paths_are_not_counted(app: App) -> None:
    policy = RequestPolicy(keyed("a: 1/min"), exempt=["/rep*", "POST /hello"])
    call = app(policy)
    for _ in range(2):
        assert (call("/report").status, call("/report").limits()) == (200, [])
    assert call().status == 200
    assert call().status == 429
    assert policy.counters == {"allowed": 1, "refused": 1, "unavailable": 0}


class Out:
    """A limiter whose store does not answer until it does."""

    def __init__(self) -> None:
        self.limiter = keyed("a: 1/min")
        self.error: StoreError | None = StoreError("no answer", "store_timeout")

    def check(self, key: Any, cost: int = 1, /) -> Decision:
        if self.error is not None:
            raise self.error
        return self.limiter.check(key, cost)


@every_app
def test_an_outage_is_never_a_limit(app: App, caplog: pytest.LogCaptureFixture) -> None:
    limiter = Out()
    policy = RequestPolicy(limiter)
    call = app(policy)
    with caplog.at_level(logging.INFO, "tokenweir.web"):
        for _ in range(3):
            assert (call().status, call().limits()) == (200, [])
        limiter.error = None
        assert call()["RateLimit"] == '"a";r=0;t=60'
    assert policy.counters == {"allowed": 1, "refused": 0, "unavailable": 6}
    about = [text for text in caplog.messages if "asked" in text]
    assert about == [
        "limits cannot be asked, requests are served without limits: no answer",
        "limits can be asked again",
    ]
    refused = call()
    assert (refused.status, refused["Retry-After"]) == (429, "60")


@every_app
def test_an_outage_may_be_said(app: App) -> None:
    answer = app(RequestPolicy(Out(), on_outage="deny"))()
    assert (answer.status, answer.limits()) == (503, [])
    assert answer["Content-Type"] == "application/problem+json"
    assert json.loads(answer.body)["status"] == 503
    # Also then a dry run refuses nothing.
    assert app(RequestPolicy(Out(), on_outage="deny", dry_run=True))().status == 200


class Degraded:
    """A decision made without the store, as limiters in a store say it."""

    def __init__(self, decision: Decision) -> None:
        self.allowed = decision.allowed
        self.degraded = True


@every_app
def test_what_is_decided_without_the_store_promises_nothing(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenweir.http.quotas", lambda decision, scope: ["nothing known"])

    class Local:
        def __init__(self) -> None:
            self.limiter = keyed("1/min")

        def check(self, key: Any, cost: int = 1, /) -> Any:
            return Degraded(self.limiter.check(key, cost))

    policy = RequestPolicy(Local())
    call = app(policy)
    answers = [call(), call()]
    assert [(answer.status, answer.limits()) for answer in answers] == [(200, []), (503, [])]
    assert policy.counters == {"allowed": 0, "refused": 0, "unavailable": 2}


@every_app
def test_no_room_for_a_key_is_not_a_limit(app: App) -> None:
    policy = RequestPolicy(keyed("5/min", max_keys=1))
    call = app(policy)
    assert call().status == 200
    answer = call(peer="192.0.2.2")
    assert (answer.status, answer.limits()) == (503, [])
    assert policy.counters == {"allowed": 1, "refused": 0, "unavailable": 1}


@every_app
def test_everybody_may_share_one_limiter(app: App) -> None:
    limiter = Limiter("a: 2/min", clock=ManualClock())
    call = app(RequestPolicy(limiter, key=None))
    assert [call(peer=f"192.0.2.{n}").status for n in range(3)] == [200, 200, 429]
