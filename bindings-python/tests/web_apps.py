"""One small service on each framework, called the same way everywhere.

Its paths: /hello; /report; /stream in two pieces; /own, which sets fields of its own; /error, which fails.
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import django
import django.core.handlers.asgi
import django.http
import django.test
import django.urls
import fastapi
import flask
import starlette.applications
import starlette.middleware
import starlette.responses
import starlette.routing
import starlette.testclient
from django.conf import settings

import tokenweir.asgi
import tokenweir.django
import tokenweir.fastapi
import tokenweir.flask
import tokenweir.wsgi
from tokenweir.web import RequestPolicy

OWN = {"RateLimit": "the-application", "X-RateLimit-Limit": "7", "X-Own": "kept"}
PIECES = ["one ", "two"]


@dataclasses.dataclass
class Answer:
    status: int
    fields: list[tuple[str, str]]
    body: bytes

    def __getitem__(self, name: str) -> str:
        [value] = self.each(name)
        return value

    def each(self, name: str) -> list[str]:
        return [value for known, value in self.fields if known.lower() == name.lower()]

    def limits(self) -> list[tuple[str, str]]:
        """The fields about limits."""
        about = ("ratelimit", "x-ratelimit", "retry-after")
        return sorted(
            (name.lower(), value) for name, value in self.fields if name.lower().startswith(about)
        )


Call = Callable[..., Answer]


def _by_test_client(app: Any) -> Call:
    def call(
        path: str = "/hello",
        *,
        method: str = "GET",
        headers: Iterable[tuple[str, str]] = (),
        peer: str = "192.0.2.1",
    ) -> Answer:
        client = starlette.testclient.TestClient(
            app, client=(peer, 4711), raise_server_exceptions=False
        )
        reply = client.request(method, path, headers=list(headers))
        return Answer(reply.status_code, reply.headers.multi_items(), reply.content)

    return call


def asgi(policy: RequestPolicy | None, *more: RequestPolicy) -> Call:
    """The middleware around the whole of an application."""
    app: Any = _starlette([])
    for each in (*more, policy):
        app = tokenweir.asgi.RateLimitMiddleware(app, each)
    return _by_test_client(app)


def starlette_app(*policies: RequestPolicy | None) -> Call:
    middleware = [
        starlette.middleware.Middleware(tokenweir.asgi.RateLimitMiddleware, policy=policy)
        for policy in policies
    ]
    return _by_test_client(_starlette(middleware))


def _starlette(middleware: list[starlette.middleware.Middleware]) -> Any:
    async def hello(_request: Any) -> Any:
        return starlette.responses.PlainTextResponse("hello")

    async def stream(_request: Any) -> Any:
        return starlette.responses.StreamingResponse(_pieces(), media_type="text/plain")

    async def own(_request: Any) -> Any:
        return starlette.responses.PlainTextResponse("own", headers=OWN)

    async def error(_request: Any) -> Any:
        raise LookupError("on purpose")

    route, every = starlette.routing.Route, ["GET", "POST", "OPTIONS"]
    routes = [
        route("/hello", hello, methods=every),
        route("/report", hello, methods=every),
        route("/stream", stream),
        route("/own", own),
        route("/error", error),
    ]
    return starlette.applications.Starlette(routes=routes, middleware=middleware)


async def _pieces() -> AsyncIterator[str]:
    for piece in PIECES:
        yield piece


def fastapi_app(policy: RequestPolicy | None, *more: RequestPolicy) -> Call:
    """All routes by the middleware, and further policies as dependencies."""
    return _by_test_client(fastapi_service(policy, more, installed=True))


def fastapi_dependency(*policies: RequestPolicy) -> Call:
    """Only dependencies, with the middleware that sends what they say."""
    return _by_test_client(fastapi_service(None, policies, installed=True))


def fastapi_service(
    policy: RequestPolicy | None, more: Iterable[RequestPolicy], *, installed: bool
) -> fastapi.FastAPI:
    depends = [fastapi.Depends(tokenweir.fastapi.RateLimit(each)) for each in more]
    app = fastapi.FastAPI(dependencies=depends)
    if installed:
        tokenweir.fastapi.install(app, policy)

    @app.api_route("/hello", methods=["GET", "POST", "HEAD", "OPTIONS"])
    @app.api_route("/report", methods=["GET", "POST"])
    async def hello() -> str:
        return "hello"

    @app.get("/stream")
    async def stream() -> fastapi.Response:
        return starlette.responses.StreamingResponse(_pieces(), media_type="text/plain")

    @app.get("/own")
    async def own() -> fastapi.Response:
        return fastapi.Response("own", headers=OWN)

    @app.get("/error")
    def error() -> None:
        raise LookupError("on purpose")

    return app


def wsgi(policy: RequestPolicy, *more: RequestPolicy) -> Call:
    app = _flask()
    for each in (*more, policy):
        app.wsgi_app = tokenweir.wsgi.RateLimitMiddleware(app.wsgi_app, each)  # type: ignore[method-assign]
    return _by_flask_client(app)


def flask_app(*policies: RequestPolicy) -> Call:
    app = _flask()
    for policy in policies:
        tokenweir.flask.limit_app(app, policy)
    return _by_flask_client(app)


def flask_view(*policies: RequestPolicy) -> Call:
    return _by_flask_client(_flask(*policies))


def _flask(*policies: RequestPolicy) -> flask.Flask:
    app = flask.Flask(__name__)

    def route(path: str, view: Callable[[], Any]) -> None:
        view.__name__ = path.strip("/")
        for policy in reversed(policies):
            view = tokenweir.flask.limited(policy)(view)
        app.add_url_rule(
            path,
            view_func=view,
            methods=["GET", "POST", "OPTIONS"],
            provide_automatic_options=False,
        )

    def error() -> Any:
        raise LookupError("on purpose")

    route("/hello", lambda: "hello")
    route("/report", lambda: "hello")
    route("/stream", lambda: (iter(PIECES), {"Content-Type": "text/plain"}))
    route("/own", lambda: ("own", OWN))
    route("/error", error)
    return app


def _by_flask_client(app: flask.Flask) -> Call:
    def call(
        path: str = "/hello",
        *,
        method: str = "GET",
        headers: Iterable[tuple[str, str]] = (),
        peer: str = "192.0.2.1",
    ) -> Answer:
        reply = app.test_client().open(
            path, method=method, headers=list(headers), environ_base={"REMOTE_ADDR": peer}
        )
        return Answer(reply.status_code, list(reply.headers.items()), reply.data)

    return call


MIDDLEWARE = "tokenweir.django.RateLimitMiddleware"


class Urls:
    """A module of URLs, which Django takes as an object."""

    def __init__(self, *policies: RequestPolicy, asynchronous: bool) -> None:
        def hello(_request: Any) -> Any:
            return django.http.HttpResponse("hello")

        def stream(_request: Any) -> Any:
            pieces: Any = _pieces() if asynchronous else iter(PIECES)
            return django.http.StreamingHttpResponse(pieces, content_type="text/plain")

        def own(_request: Any) -> Any:
            return django.http.HttpResponse("own", headers=OWN)

        def error(_request: Any) -> Any:
            raise LookupError("on purpose")

        def limited(view: Any) -> Any:
            if asynchronous:
                view = _as_coroutine(view)
            for policy in reversed(policies):
                view = tokenweir.django.limited(policy)(view)
            return view

        views = [("hello", hello), ("report", hello), ("stream", stream), ("own", own)]
        self.urlpatterns = [
            django.urls.path(path, limited(view)) for path, view in [*views, ("error", error)]
        ]


def _as_coroutine(view: Callable[[Any], Any]) -> Callable[[Any], Any]:
    async def coroutine(request: Any) -> Any:
        return view(request)

    return coroutine


def configure_django() -> None:
    if not settings.configured:
        settings.configure(
            ALLOWED_HOSTS=["*"],
            INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth"],
            LOGGING_CONFIG=None,
            SECRET_KEY="for a test",
            SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
        )
        django.setup()


def django_app(policy: RequestPolicy, *more: RequestPolicy) -> Call:
    return _by_django_client(Urls(*more, asynchronous=False), policy)


def django_view(*policies: RequestPolicy) -> Call:
    return _by_django_client(Urls(*policies, asynchronous=False))


def django_async(policy: RequestPolicy, *more: RequestPolicy) -> Call:
    return _by_django_client(Urls(*more, asynchronous=True), policy, asynchronous=True)


def django_async_view(*policies: RequestPolicy) -> Call:
    return _by_django_client(Urls(*policies, asynchronous=True), asynchronous=True)


def _by_django_client(
    urls: Urls, policy: RequestPolicy | None = None, *, asynchronous: bool = False
) -> Call:
    configure_django()
    middleware = [] if policy is None else [MIDDLEWARE]

    def call(
        path: str = "/hello",
        *,
        method: str = "GET",
        headers: Iterable[tuple[str, str]] = (),
        peer: str = "192.0.2.1",
    ) -> Answer:
        with django.test.override_settings(
            ROOT_URLCONF=urls, MIDDLEWARE=middleware, TOKENWEIR_POLICY=policy
        ):
            if asynchronous:
                app = _by_test_client(django.core.handlers.asgi.ASGIHandler())
                return app(path, method=method, headers=headers, peer=peer)
            client = django.test.Client(raise_request_exception=False)
            reply: Any = client.generic(method, path, headers=dict(headers), REMOTE_ADDR=peer)
            body = b"".join(reply) if reply.streaming else reply.content
            return Answer(reply.status_code, list(reply.items()), body)

    return call


# Those that ask about every request, and those that ask at a view.
MIDDLEWARES: list[Callable[..., Call]] = [
    asgi,
    starlette_app,
    fastapi_app,
    wsgi,
    flask_app,
    django_app,
    django_async,
]
VIEWS: list[Callable[..., Call]] = [
    fastapi_dependency,
    flask_view,
    django_view,
    django_async_view,
]
EVERY = [*MIDDLEWARES, *VIEWS]
