"""How services are limited, as a type checker sees it."""

from __future__ import annotations

from http import HTTPStatus

import flask
from django.http import HttpRequest, HttpResponse
from fastapi import Depends, FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware

from tokenweir import Decision, KeyedLimiter, Limiter
from tokenweir import django as django_limits
from tokenweir import fastapi as fastapi_limits
from tokenweir import flask as flask_limits
from tokenweir.asgi import RateLimitMiddleware
from tokenweir.web import (
    Answers,
    Request,
    RequestPolicy,
    Scope,
    Verdict,
    api_key,
    client_address,
    user,
)
from tokenweir.wsgi import RateLimitMiddleware as WSGIMiddleware

refused: list[str] = []


def on_refused(request: Request, verdict: Verdict) -> None:
    refused.append(f"{request.method} {request.path} by {verdict.scope}")


async def plan_of(request: Request) -> str:
    return "pro" if request.header("x-api-key") else "free"


class InAStore:
    """A limiter of someone else."""

    def __init__(self) -> None:
        self._limiter = KeyedLimiter("10/min")

    async def check_async(self, key: str, cost: int = 1, /) -> Decision:
        return self._limiter.check(key, cost)


policies = [
    RequestPolicy("100/min"),
    RequestPolicy("10/s", "1000/day", key=client_address(trusted_proxies=1), style="draft-7"),
    RequestPolicy({"burst": "10/s"}, key=api_key(known={"k-77"}), cost={"GET /search": 5}, dry_run=True),
    RequestPolicy(plans={"free": "10/min", "pro": KeyedLimiter("99/min")}, plan=plan_of),
    RequestPolicy(Limiter("1000/s"), key=None, exempt=["/health"], on_refused=on_refused),
    RequestPolicy(KeyedLimiter("10/s"), key=user(lambda request: request.header("x-user"))),
    RequestPolicy(Scope("10/s", name="client"), Scope("99/s", key=None), on_outage="deny"),
    RequestPolicy(InAStore(), cost=lambda request: len(request.path), detail="Slow down."),
]
policy = policies[0]

by_starlette = Starlette(middleware=[Middleware(RateLimitMiddleware, policy=policy)])
by_asgi = RateLimitMiddleware(by_starlette, policy)

by_fastapi = FastAPI(dependencies=[Depends(fastapi_limits.RateLimit(policy))])
fastapi_limits.install(by_fastapi, policies[1])

by_flask = flask.Flask(__name__)
flask_limits.limit_app(by_flask, policy)


@by_flask.get("/search")
@flask_limits.limited(policies[1])
def search() -> str:
    return "found"


by_wsgi = WSGIMiddleware(by_flask.wsgi_app, policy)


@django_limits.limited(policy)
def view(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.path, status=HTTPStatus.OK)


@django_limits.limited(policy)
async def view_async(request: HttpRequest) -> HttpResponse:
    return view(request)


counted: int = policy.counters["allowed"]
fields: list[tuple[str, str]] = Answers().fields()
