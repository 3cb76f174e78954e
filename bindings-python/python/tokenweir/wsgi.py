"""Limits for WSGI applications: Flask, Bottle, Pyramid and any other.

    from flask import Flask

    from tokenweir.web import RequestPolicy
    from tokenweir.wsgi import RateLimitMiddleware

    app = Flask(__name__)
    app.wsgi_app = RateLimitMiddleware(app.wsgi_app, RequestPolicy("100/min"))

    @app.get("/search")
    def search():
        return []

Key, cost and plan functions are given a `tokenweir.web.Request` whose ``native`` is the WSGI environ. The
bodies of replies pass through untouched. For one view of Flask, or what Flask knows of the request (its
session, its user), see `tokenweir.flask`.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from tokenweir.web import Answers, Request

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from tokenweir.web import Reply, RequestPolicy

__all__ = ["RateLimitMiddleware", "WSGIRequest"]


class WSGIRequest(Request):
    """A request by its WSGI environ."""

    __slots__ = ("_environ",)

    def __init__(self, environ: WSGIEnvironment, native: Any = None) -> None:
        self.method = environ["REQUEST_METHOD"]
        # A server passes the decoded bytes as Latin-1, whatever they are.
        self.path = environ.get("PATH_INFO", "").encode("latin-1").decode("utf-8", "replace") or "/"
        self.peer = environ.get("REMOTE_ADDR", "")
        self.native = environ if native is None else native
        self.asynchronous = False
        self._environ = environ

    def lines(self, name: str) -> list[str]:
        # Several lines are one here, with commas between them.
        value = self._environ.get("HTTP_" + name.upper().replace("-", "_"))
        return [] if value is None else [value]


class RateLimitMiddleware:
    """Asks ``policy`` about each request."""

    def __init__(self, app: WSGIApplication, policy: RequestPolicy) -> None:
        self.app = app
        self.policy = policy

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        answers = Answers.of(environ)
        if answers.claim():
            start_response = _with_fields(start_response, answers)
        verdict = self.policy.judge(WSGIRequest(environ), answers)
        if verdict.served:
            return self.app(environ, start_response)
        return _reply(verdict.reply(), environ, start_response)


def _with_fields(start_response: StartResponse, answers: Answers) -> StartResponse:
    def start_with_fields(
        status: str, headers: list[tuple[str, str]], exc_info: Any = None, /
    ) -> Any:
        ours = answers.fields()
        names = {name.lower() for name, _ in ours}
        kept = [(name, value) for name, value in headers if name.lower() not in names]
        return start_response(status, kept + ours, exc_info)

    return start_with_fields


def _reply(
    reply: Reply, environ: WSGIEnvironment, start_response: StartResponse
) -> Iterable[bytes]:
    status = f"{reply.status} {HTTPStatus(reply.status).phrase}"
    headers = [("Content-Type", reply.media_type), ("Content-Length", str(len(reply.body)))]
    start_response(status, headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [reply.body]
