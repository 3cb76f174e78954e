"""Limits for Django: a middleware for all views and a decorator for one, synchronous and asynchronous.

    # project/settings.py
    MIDDLEWARE = [
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "tokenweir.django.RateLimitMiddleware",
    ]
    TOKENWEIR_POLICY = "project.limits.policy"

    # project/limits.py
    from tokenweir.django import user
    from tokenweir.web import RequestPolicy

    policy = RequestPolicy("100/min", key=user())
    searches = RequestPolicy("10/min", key=user(), name="search")

    # project/views.py
    from django.http import JsonResponse

    from project.limits import searches
    from tokenweir.django import limited

    @limited(searches)
    def search(request):
        return JsonResponse({})

Key, cost and plan functions are given a `tokenweir.web.Request` whose ``native`` is Django's request; where
the middleware or the view is asynchronous they may be coroutine functions. The middleware puts the fields
also on the replies of unhandled exceptions; the decorator alone does not. ``TOKENWEIR_POLICY`` is the policy
or its dotted path; a subclass of the middleware may have it as ``policy`` instead.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.utils.module_loading import import_string

from tokenweir.web import Answers, Request, RequestPolicy
from tokenweir.web import user as by_user

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    from tokenweir.web import KeyFunction, Verdict

__all__ = ["DjangoRequest", "RateLimitMiddleware", "limited", "user"]

V = TypeVar("V", bound="Callable[..., Any]")


class DjangoRequest(Request):
    """A request of Django."""

    __slots__ = ()

    def __init__(self, request: HttpRequest, *, asynchronous: bool) -> None:
        self.method = request.method or ""
        self.path = request.path_info
        self.peer = request.META.get("REMOTE_ADDR", "")
        self.native = request
        self.asynchronous = asynchronous

    def lines(self, name: str) -> list[str]:
        # Several lines are one here, with commas between them.
        value = self.native.headers.get(name)
        return [] if value is None else [value]


def user(*, otherwise: KeyFunction | None = None) -> KeyFunction:
    """The user who is logged in, or ``otherwise`` (the address of the connection, unless given). It needs
    Django's ``AuthenticationMiddleware`` before."""

    def identify(request: Request) -> Any:
        if request.asynchronous:
            return later(request)
        found = request.native.user
        return found.pk if found.is_authenticated else None

    async def later(request: Request) -> Any:
        found = await request.native.auser()
        return found.pk if found.is_authenticated else None

    return by_user(identify, otherwise=otherwise)


class RateLimitMiddleware:
    """Asks the policy about each request."""

    sync_capable = True
    async_capable = True
    policy: ClassVar[RequestPolicy | None] = None

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        self._policy = self.policy or _policy()
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponseBase | Awaitable[HttpResponseBase]:
        if self._is_async:
            return _answer_async(self._policy, request, self.get_response, (), {})
        return _answer(self._policy, request, self.get_response, (), {})


def limited(policy: RequestPolicy) -> Callable[[V], V]:
    """Asks ``policy`` before each call of a view, which may be a coroutine function; of a view class by
    Django's ``method_decorator``."""

    def decorate(view: V) -> V:
        if iscoroutinefunction(view):

            @functools.wraps(view)
            async def limited_async(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
                return await _answer_async(policy, request, view, args, kwargs)

            return cast("V", limited_async)

        @functools.wraps(view)
        def limited_view(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            return _answer(policy, request, view, args, kwargs)

        return cast("V", limited_view)

    return decorate


def _answer(
    policy: RequestPolicy, request: HttpRequest, view: Any, args: Any, kwargs: Any
) -> HttpResponseBase:
    answers = Answers.of(request.META)
    claimed = answers.claim()
    verdict = policy.judge(DjangoRequest(request, asynchronous=False), answers)
    response = view(request, *args, **kwargs) if verdict.served else _refusal(verdict)
    return _with_fields(response, answers) if claimed else response


async def _answer_async(
    policy: RequestPolicy, request: HttpRequest, view: Any, args: Any, kwargs: Any
) -> HttpResponseBase:
    answers = Answers.of(request.META)
    claimed = answers.claim()
    verdict = await policy.judge_async(DjangoRequest(request, asynchronous=True), answers)
    response = await view(request, *args, **kwargs) if verdict.served else _refusal(verdict)
    return _with_fields(response, answers) if claimed else response


def _refusal(verdict: Verdict) -> HttpResponseBase:
    reply = verdict.reply()
    # Django leaves the length to its CommonMiddleware, which may not be there.
    length = {"Content-Length": str(len(reply.body))}
    return HttpResponse(reply.body, reply.media_type, reply.status, headers=length)


def _with_fields(response: HttpResponseBase, answers: Answers) -> HttpResponseBase:
    for name, value in answers.fields():
        response[name] = value
    return response


def _policy() -> RequestPolicy:
    policy = getattr(settings, "TOKENWEIR_POLICY", None)
    if isinstance(policy, str):
        policy = import_string(policy)
    if not isinstance(policy, RequestPolicy):
        raise ImproperlyConfigured(
            f"TOKENWEIR_POLICY: a RequestPolicy or its dotted path is needed, not {policy!r}"
        )
    return policy
