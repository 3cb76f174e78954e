"""Views, blueprints and the application of Flask."""

from __future__ import annotations

import asyncio
from typing import Any

import flask

from tokenweir import KeyedLimiter, ManualClock
from tokenweir.flask import limit_app, limited
from tokenweir.web import RequestPolicy, user
from tokenweir.wsgi import RateLimitMiddleware


def policy(limits: str, **options: Any) -> RequestPolicy:
    return RequestPolicy(KeyedLimiter(limits, clock=ManualClock()), **options)


def test_the_application_a_blueprint_and_a_view_each_have_limits() -> None:
    app = flask.Flask(__name__)
    limit_app(app, policy("app: 4/min"))
    api = flask.Blueprint("api", __name__, url_prefix="/api")
    limit_app(api, policy("api: 3/min"))

    @api.get("/hello")
    @limited(policy("view: 1/min"))
    def hello() -> str:
        return "hello"

    @api.get("/<name>")
    def other(name: str) -> str:
        return name

    app.register_blueprint(api)
    app.wsgi_app = RateLimitMiddleware(app.wsgi_app, policy("wsgi: 5/min"))  # type: ignore[method-assign]
    client = app.test_client()
    served = client.get("/api/hello")
    assert served.headers.getlist("RateLimit") == [
        '"wsgi";r=4;t=12, "app";r=3;t=15, "api";r=2;t=20, "view";r=0;t=60'
    ]
    assert [client.get(f"/api/{name}").status_code for name in ("hello", "a")] == [429, 200]
    refused = client.get("/api/a")
    assert refused.get_json(force=True)["violated-policies"] == ["api"]
    # What is not found is counted by those who see all requests.
    assert client.get("/none").get_json(force=True)["violated-policies"] == ["app"]


def test_functions_may_use_the_session() -> None:
    app = flask.Flask(__name__)
    app.secret_key = "for a test"
    limit_app(app, policy("a: 1/min", key=user(lambda _: flask.session.get("user"))))

    @app.get("/log-in/<name>")
    def log_in(name: str) -> str:
        flask.session["user"] = name
        return name

    client = app.test_client()
    assert client.get("/log-in/ann").status_code == 200
    assert [client.get("/log-in/bob").status_code for _ in range(2)] == [200, 200]
    assert client.get("/log-in/bob").status_code == 429


def test_a_view_may_be_a_coroutine_function() -> None:
    app = flask.Flask(__name__)

    @app.get("/<name>")
    @limited(policy("a: 1/min"))
    async def view(name: str) -> str:
        await asyncio.sleep(0)
        return name

    client = app.test_client()
    assert (client.get("/ann").text, client.get("/ann").status_code) == ("ann", 429)


def test_an_error_handler_of_the_application_keeps_the_fields() -> None:
    app = flask.Flask(__name__)
    limit_app(app, policy("a: 2/min"))

    @app.errorhandler(404)
    def not_found(_error: Exception) -> tuple[str, int, dict[str, str]]:
        return "nothing here", 404, {"RateLimit": "the-application"}

    answer = app.test_client().get("/none")
    assert (answer.status_code, answer.headers.getlist("RateLimit")) == (404, ['"a";r=1;t=30'])
