"""Policies whose limits are in a store, shared with other processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import web_apps
from web_apps import Call

from tokenweir import KeyedLimiter
from tokenweir.stores import (
    AsyncMemoryStore,
    AsyncStoredLimiter,
    LocalShare,
    MemoryStore,
    StoredLimiter,
)
from tokenweir.web import RequestPolicy, Scope

App = Callable[..., Call]
Make = Callable[..., Any]


def by_thread(store: MemoryStore) -> Make:
    return lambda *limits, **options: StoredLimiter(*limits, store=store, **options)


def by_task(store: MemoryStore) -> Make:
    tasks = AsyncMemoryStore(store)
    return lambda *limits, **options: AsyncStoredLimiter(*limits, store=tasks, **options)


KINDS: list[tuple[App, Callable[[MemoryStore], Make]]] = [
    (web_apps.asgi, by_task),
    (web_apps.fastapi_dependency, by_task),
    (web_apps.django_async, by_task),
    (web_apps.wsgi, by_thread),
    (web_apps.flask_app, by_thread),
    (web_apps.django_app, by_thread),
]
every_kind = pytest.mark.parametrize(("app", "kind"), KINDS)


@every_kind
def test_a_limit_in_a_store_says_what_one_of_this_process_does(app: App, kind: Any) -> None:
    make = kind(MemoryStore())
    call = app(RequestPolicy(make("minute: 10/min"), style="legacy"))
    answers = [call() for _ in range(11)]
    assert [answer.status for answer in answers] == [200] * 10 + [429]
    assert [answer["RateLimit-Remaining"] for answer in answers] == [*"9876543210", "0"]
    assert answers[-1]["Retry-After"] == "6"
    assert call(peer="192.0.2.2")["RateLimit-Remaining"] == "9"
    # Another process of the same store.
    again = app(RequestPolicy(make("minute: 10/min"), style="draft"))
    assert again()["RateLimit"].startswith('"minute";r=0;t=')


@every_kind
def test_of_scopes_in_a_store_all_grant_or_none_pays(app: App, kind: Any) -> None:
    make = kind(MemoryStore())
    policy = RequestPolicy(
        Scope(make("2/min"), name="client"), Scope(make("3/min"), key=None, name="all")
    )
    call = app(policy)
    answers = [call() for _ in range(3)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    assert answers[0]["RateLimit"] == '"client 2/min";r=1;t=30, "all 3/min";r=2;t=20'
    assert answers[2]["Retry-After"] == "30"
    other = [call(peer="192.0.2.2") for _ in range(2)]
    assert [answer.status for answer in other] == [200, 429]
    assert other[1]["RateLimit"].startswith('"client 2/min";r=1;')


@every_kind
def test_plans_in_a_store_do_not_share_what_is_left(app: App, kind: Any) -> None:
    make = kind(MemoryStore())
    policy = RequestPolicy(
        plans={"free": make("free: 1/min"), "pro": make("pro: 3/min")},
        plan=lambda request: request.header("x-plan") or "free",
    )
    call = app(policy)
    pro = [("X-Plan", "pro")]
    assert [call().status for _ in range(2)] == [200, 429]
    assert [call(headers=pro).status for _ in range(4)] == [200, 200, 200, 429]
    assert call(headers=pro)["RateLimit"].startswith('"pro";r=0;')


@every_kind
def test_an_outage_of_the_store_is_never_a_limit(app: App, kind: Any) -> None:
    store = MemoryStore()
    make = kind(store)
    store.close()
    for policy, statuses in [
        (RequestPolicy(make("1/min")), [200, 200]),
        (RequestPolicy(make("1/min"), on_outage="deny"), [503, 503]),
        (RequestPolicy(make("1/min", on_store_error="allow")), [200, 200]),
        (RequestPolicy(make("1/min", on_store_error="deny")), [503, 503]),
        (RequestPolicy(make("1/min", on_store_error=LocalShare(2))), [200, 503]),
        (
            RequestPolicy(
                Scope(make("1/min", on_store_error="deny"), name="a"),
                Scope(make("1/min", on_store_error="allow"), name="b"),
            ),
            [503, 503],
        ),
    ]:
        call = app(policy)
        answers = [call(), call()]
        assert [answer.status for answer in answers] == statuses
        # Such numbers would promise nothing.
        assert [answer.limits() for answer in answers] == [[], []]
        assert policy.counters == {"allowed": 0, "refused": 0, "unavailable": 2}


def test_scopes_that_cannot_be_decided_together_are_an_error_at_once() -> None:
    make, other = by_thread(MemoryStore()), by_thread(MemoryStore())
    with pytest.raises(ValueError, match="name: the scopes of a store need different ones"):
        RequestPolicy(Scope(make("1/s")), Scope(make("9/s"), key=None))
    with pytest.raises(ValueError, match="different stores"):
        RequestPolicy(Scope(make("1/s"), name="a"), Scope(other("9/s"), name="b"))
    for second in (KeyedLimiter("9/s"), by_task(MemoryStore())("9/s")):
        with pytest.raises(TypeError, match="all be of this process, or all in one store"):
            RequestPolicy(Scope(make("1/s"), name="a"), Scope(second, name="b"))
