"""Settings, users and view classes of Django."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import django.http
import django.test
import django.urls
import django.views
import pytest
import web_apps
from asgiref.sync import markcoroutinefunction
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.asgi import ASGIHandler
from django.utils.decorators import method_decorator
from starlette.testclient import TestClient

from tokenweir import KeyedLimiter, ManualClock
from tokenweir.django import RateLimitMiddleware, limited, user
from tokenweir.web import RequestPolicy

web_apps.configure_django()
override = django.test.override_settings


def limits(text: str, **options: Any) -> RequestPolicy:
    return RequestPolicy(KeyedLimiter(text, clock=ManualClock()), **options)


by_dotted_path = limits("dotted: 1/min")
URLS = web_apps.Urls(asynchronous=False)


class Subclass(RateLimitMiddleware):
    policy: ClassVar[RequestPolicy | None] = limits("subclass: 1/min")


def test_the_policy_may_be_named_by_its_path_or_be_of_a_subclass() -> None:
    chain = [web_apps.MIDDLEWARE, "test_web_django.Subclass"]
    path = "test_web_django.by_dotted_path"
    with override(ROOT_URLCONF=URLS, MIDDLEWARE=chain, TOKENWEIR_POLICY=path):
        answer = django.test.Client().get("/hello")
        assert answer["RateLimit"] == '"dotted";r=0;t=60, "subclass";r=0;t=60'


@pytest.mark.parametrize("policy", [None, "test_web_django.limits", 7])
def test_a_policy_that_is_not_there_is_said_at_the_start(policy: Any) -> None:
    with (
        override(ROOT_URLCONF=URLS, MIDDLEWARE=[web_apps.MIDDLEWARE], TOKENWEIR_POLICY=policy),
        pytest.raises(ImproperlyConfigured, match="TOKENWEIR_POLICY"),
    ):
        django.test.Client().get("/hello")


def log_in(get_response: Any) -> Any:
    """Says who is there as Django's AuthenticationMiddleware does, by a field."""

    def with_user(request: Any) -> Any:
        name = request.headers.get("X-User")
        found = SimpleNamespace(pk=name, is_authenticated=name is not None)

        async def auser() -> Any:
            return found

        request.auser = auser
        request.user = found
        return get_response(request)

    return with_user


class Asynchronous:
    """The same for coroutines, where asking for ``user`` would be an error."""

    sync_capable, async_capable = False, True

    def __init__(self, get_response: Any) -> None:
        self._with_user = log_in(get_response)
        markcoroutinefunction(self)

    async def __call__(self, request: Any) -> Any:
        return await self._with_user(request)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_users_are_counted_wherever_from(asynchronous: bool) -> None:
    first = "test_web_django." + ("Asynchronous" if asynchronous else "log_in")
    policy = limits("1/min", key=user())
    urls = web_apps.Urls(asynchronous=asynchronous)
    with override(
        ROOT_URLCONF=urls, MIDDLEWARE=[first, web_apps.MIDDLEWARE], TOKENWEIR_POLICY=policy
    ):
        handler: Any = ASGIHandler()
        client: Any = TestClient(handler) if asynchronous else django.test.Client()
        users = ["ann", "ann", "bob", None, None]
        headers = [{} if name is None else {"X-User": name} for name in users]
        answers = [client.get("/hello", headers=each).status_code for each in headers]
    assert answers == [200, 429, 200, 200, 429]


def test_a_view_class_is_limited_by_its_method() -> None:
    @method_decorator(limited(limits("a: 1/min")), name="dispatch")
    class View(django.views.View):
        def get(self, _request: django.http.HttpRequest, name: str) -> django.http.HttpResponse:
            return django.http.HttpResponse(name)

    urls = web_apps.Urls(asynchronous=False)
    urls.urlpatterns = [django.urls.path("<name>", View.as_view())]
    with override(ROOT_URLCONF=urls, MIDDLEWARE=[]):
        client = django.test.Client()
        assert client.get("/ann").content == b"ann"
        assert client.get("/bob").status_code == 429


def test_under_a_prefix_the_path_is_that_of_the_application() -> None:
    policy = limits("1/min", exempt=["/hello"])
    with override(
        ROOT_URLCONF=URLS,
        MIDDLEWARE=[web_apps.MIDDLEWARE],
        TOKENWEIR_POLICY=policy,
        FORCE_SCRIPT_NAME="/shop",
    ):
        client = django.test.Client()
        assert [client.get("/hello").status_code for _ in range(2)] == [200, 200]
    assert policy.counters["allowed"] == 0
