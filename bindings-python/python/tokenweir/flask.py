"""Limits for single views of a Flask application, or for all of it with what Flask knows of a request.

    from flask import Flask, session

    from tokenweir.flask import limit_app, limited
    from tokenweir.web import RequestPolicy, user

    app = Flask(__name__)
    app.secret_key = "change me"
    limit_app(app, RequestPolicy("100/min", key=user(lambda request: session.get("user"))))

    @app.get("/search")
    @limited(RequestPolicy("10/min", name="search"))
    def search():
        return []

Key, cost and plan functions are given a `tokenweir.web.Request` whose ``native`` is Flask's request, within
its context: ``flask.session`` and ``flask.g`` are there. Under `tokenweir.wsgi.RateLimitMiddleware`, which
does without Flask, the replies tell of all policies.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeVar, cast

import flask

from tokenweir.web import Answers
from tokenweir.wsgi import WSGIRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokenweir.web import RequestPolicy

__all__ = ["limit_app", "limited"]

V = TypeVar("V", bound="Callable[..., Any]")


def limited(policy: RequestPolicy) -> Callable[[V], V]:
    """Asks ``policy`` before each call of a view, which may be a coroutine function. It goes below the
    decorator that makes the route."""

    def decorate(view: V) -> V:
        @functools.wraps(view)
        def limited_view(*args: Any, **kwargs: Any) -> Any:
            refusal = _ask(policy)
            if refusal is not None:
                return refusal
            return flask.current_app.ensure_sync(view)(*args, **kwargs)

        return cast("V", limited_view)

    return decorate


def limit_app(app: flask.Flask | flask.Blueprint, policy: RequestPolicy) -> None:
    """Asks ``policy`` about every request of an application, or of a blueprint."""

    def ask() -> Any:
        return _ask(policy)

    app.before_request(ask)


def _ask(policy: RequestPolicy) -> flask.Response | None:
    """A refusal; None if the request is served."""
    native = flask.request._get_current_object()  # type: ignore[attr-defined]
    answers = Answers.of(native.environ)
    if answers.claim():

        @flask.after_this_request
        def with_fields(response: flask.Response) -> flask.Response:
            for name, value in answers.fields():
                response.headers[name] = value
            return response

    verdict = policy.judge(WSGIRequest(native.environ, native), answers)
    if verdict.served:
        return None
    reply = verdict.reply()
    return flask.Response(reply.body, reply.status, content_type=reply.media_type)
