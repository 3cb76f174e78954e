"""Dependencies of FastAPI."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import web_apps
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from starlette.testclient import TestClient

from tokenweir import KeyedLimiter, ManualClock
from tokenweir.fastapi import RateLimit, Refused, install
from tokenweir.web import RequestPolicy


def policy(limits: str, **options: Any) -> RequestPolicy:
    return RequestPolicy(KeyedLimiter(limits, clock=ManualClock()), **options)


def test_each_route_has_its_limit() -> None:
    app = FastAPI()
    install(app, policy("all: 5/min"))
    reports = APIRouter(dependencies=[Depends(RateLimit(policy("reports: 2/min")))])

    @app.get("/hello")
    def hello() -> str:
        return "hello"

    @reports.get("/report", dependencies=[Depends(RateLimit(policy("report: 1/min")))])
    async def report() -> str:
        return "report"

    @reports.get("/list")
    def list_all() -> list[str]:
        return []

    app.include_router(reports)
    client = TestClient(app)
    assert client.get("/hello").headers["ratelimit"] == '"all";r=4;t=12'
    policies = client.get("/report").headers["ratelimit-policy"].split(", ")
    assert policies == ['"all";q=5;w=60', '"reports";q=2;w=60', '"report";q=1;w=60']
    refused = client.get("/report")
    assert (refused.status_code, refused.json()["violated-policies"]) == (429, ["report"])
    assert client.get("/list").json()["violated-policies"] == ["reports"]
    assert client.get("/hello").headers["ratelimit"] == '"all";r=0;t=12'


def test_without_the_middleware_a_refusal_says_the_same_in_another_body() -> None:
    limits = [policy("a: 2/min"), policy("b: 1/min")]
    client = TestClient(web_apps.fastapi_service(None, limits, installed=False))
    served = client.get("/hello")
    assert served.headers.get_list("ratelimit") == ['"a";r=1;t=30, "b";r=0;t=60']
    refused = client.get("/hello")
    assert (refused.status_code, refused.json()) == (429, {"detail": "Too Many Requests"})
    assert refused.headers["retry-after"] == "60"
    assert refused.headers.get_list("ratelimit") == ['"a";r=0;t=30, "b";r=0;t=60']


def test_a_refusal_may_be_said_in_another_way() -> None:
    app = web_apps.fastapi_service(None, [policy("a: 1/min")], installed=True)

    async def other(_request: Request, refused: Exception) -> Response:
        assert isinstance(refused, Refused)
        problem = json.loads(refused.reply.body)
        return Response(problem["title"], refused.status_code)

    app.add_exception_handler(Refused, other)
    client = TestClient(app)
    client.get("/hello")
    refused = client.get("/hello")
    assert (refused.text, refused.headers["retry-after"]) == ("Quota Exceeded", "60")


def test_functions_are_given_the_request_of_the_framework() -> None:
    async def plan_of(request: Any) -> str:
        await asyncio.sleep(0)
        assert isinstance(request.native, Request)
        plan: str = request.native.query_params["plan"]
        return plan

    limits = RequestPolicy(
        plans={"free": "free: 1/min", "pro": "pro: 9/min"}, plan=plan_of, clock=ManualClock()
    )
    client = TestClient(web_apps.fastapi_service(None, [limits], installed=True))
    assert client.get("/hello?plan=free").headers["ratelimit"] == '"free";r=0;t=60'
    assert client.get("/hello?plan=pro").headers["ratelimit"] == '"pro";r=8;t=7'
    assert client.get("/hello?plan=free").status_code == 429


def test_a_limit_asks_the_client_for_nothing() -> None:
    app = FastAPI()

    @app.get("/hello", dependencies=[Depends(RateLimit(policy("a: 1/min")))])
    def hello() -> str:
        return "hello"

    operation = app.openapi()["paths"]["/hello"]["get"]
    assert operation.keys().isdisjoint({"parameters", "requestBody"})
