"""The recorded service, on every framework: what a client sees of 10 a minute, of a plan of 20 of which a
report costs 5, and of 10 a second and 100 an hour."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from vectors import FOLDER
from web_apps import EVERY, Call, asgi

from tokenweir import Bandwidth, KeyedLimiter, ManualClock
from tokenweir.http import STYLES
from tokenweir.web import RequestPolicy, Scope

SERVICES = json.loads((FOLDER / "http.json").read_text())["services"]
# The recorded `t` is when all is back; where a limiter is asked, when one more than is left is there.
SOONER = {
    ("draft", '"second";r=0;t=1, "hour";r=90;t=360'): '"second";r=0;t=1, "hour";r=90;t=36',
    ("draft", '"second";r=9;t=1, "hour";r=88;t=431'): '"second";r=9;t=1, "hour";r=88;t=35',
}
PATHS = {"1": "/hello", "5": "/report", "21": "/own"}


def bandwidths(service: dict[str, Any]) -> dict[str, Bandwidth]:
    return {
        limit["name"]: Bandwidth.greedy(
            int(limit["capacity"]), int(limit["tokens"]), period_ns=int(limit["period_ns"])
        )
        for limit in service["limits"]
    }


# Which fields a style has is for no adapter to know: all styles on one of them.
STYLED = [(app, style) for app in EVERY for style in (STYLES if app is asgi else ("draft",))]


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service["name"])
@pytest.mark.parametrize(("app", "style"), STYLED)
def test_a_client_sees_the_recorded_service(
    app: Callable[..., Call], service: dict[str, Any], style: Any
) -> None:
    clock = ManualClock()
    limits = KeyedLimiter(bandwidths(service), clock=clock)
    call = app(RequestPolicy(limits, cost={"/report": 5, "/own": 21}, style=style))
    check(service, clock, style, call)


@pytest.mark.parametrize("app", EVERY)
def test_limits_of_two_scopes_are_seen_as_those_of_one(app: Callable[..., Call]) -> None:
    [service] = [each for each in SERVICES if len(each["limits"]) == 2]
    clock = ManualClock()
    scopes = [
        Scope({name: limit}, key=key, clock=clock)
        for (name, limit), key in zip(
            bandwidths(service).items(), (None, lambda _: "everybody"), strict=True
        )
    ]
    check(service, clock, "draft", app(RequestPolicy(*scopes)))


def check(service: dict[str, Any], clock: ManualClock, style: str, call: Call) -> None:
    for step in service["steps"]:
        clock.set_ns(int(step["at_ns"]))
        for _ in range(step.get("repeat", 1)):
            answer = call(PATHS[step["cost"]])
            assert answer.status == step["status"]
            if answer.status == 429:
                assert answer["Content-Type"] == "application/problem+json"
                assert json.loads(answer.body)["status"] == 429
        expected = step.get("expect", {}).get(style)
        if expected is not None:
            expected = [(name.lower(), SOONER.get((style, text), text)) for name, text in expected]
            assert answer.limits() == sorted(expected)
