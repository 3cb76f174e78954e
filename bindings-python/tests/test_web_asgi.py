"""What ASGI has beyond requests and replies, and a real server."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from tokenweir import KeyedLimiter, ManualClock
from tokenweir.asgi import RateLimitMiddleware
from tokenweir.web import RequestPolicy, client_address


def policy(limits: str, **options: Any) -> RequestPolicy:
    return RequestPolicy(KeyedLimiter(limits, clock=ManualClock()), **options)


async def hello(_request: Any) -> PlainTextResponse:
    return PlainTextResponse("hello")


def test_websockets_and_the_lifespan_pass_through_untouched() -> None:
    seen: list[str] = []

    @contextlib.asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        seen.append("up")
        yield
        seen.append("down")

    async def echo(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text(await socket.receive_text())
        await socket.close()

    limit = policy("1/min")
    app = Starlette(
        routes=[WebSocketRoute("/echo", echo), Route("/", hello)],
        middleware=[Middleware(RateLimitMiddleware, policy=limit)],
        lifespan=lifespan,
    )
    with TestClient(app) as client:
        for text in ("one", "two"):
            with client.websocket_connect("/echo") as connection:
                connection.send_text(text)
                assert connection.receive_text() == text
        assert [client.get("/").status_code for _ in range(2)] == [200, 429]
    assert seen == ["up", "down"]
    assert limit.counters == {"allowed": 1, "refused": 1, "unavailable": 0}


def test_what_is_not_a_request_reaches_the_application_as_it_is() -> None:
    reached: list[tuple[Any, ...]] = []

    async def app(*call: Any) -> None:
        reached.append(call)

    async def receive() -> Any:
        raise AssertionError("not called")

    async def send(_message: Any) -> None:
        raise AssertionError("not called")

    for kind in ("lifespan", "websocket", "something-new"):
        scope = {"type": kind}
        asyncio.run(RateLimitMiddleware(app, policy("1/min"))(scope, receive, send))
        assert reached[-1] == (scope, receive, send)
        assert scope == {"type": kind}


def test_only_the_start_of_a_reply_is_changed() -> None:
    early = {"type": "http.response.early_hint", "links": [b"</a.css>"]}
    start = {"type": "http.response.start", "status": 200, "headers": [(b"X-One", b"1")]}
    bodies = [
        {"type": "http.response.body", "body": b"one", "more_body": True},
        {"type": "http.response.trailers", "headers": []},
    ]
    sent: list[Any] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        for message in (early, start, *bodies):
            await send(message)

    async def receive() -> Any:
        raise AssertionError("nothing to read")

    async def send(message: Any) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "headers": [],
        "client": None,
    }
    asyncio.run(RateLimitMiddleware(app, policy("a: 2/min"))(scope, receive, send))
    assert (sent[0], sent[2], sent[3]) == (early, *bodies)
    assert sent[1]["headers"] == [
        (b"X-One", b"1"),
        (b"ratelimit-policy", b'"a";q=2;w=60'),
        (b"ratelimit", b'"a";r=1;t=30'),
    ]
    # Not the message of the application, which may be used again.
    assert start["headers"] == [(b"X-One", b"1")]


def test_one_route_or_the_routes_of_a_mount() -> None:
    one, mounted = (
        [Middleware(RateLimitMiddleware, policy=policy("a: 1/min", exempt=["/free"]))]
        for _ in range(2)
    )
    routes = [Route("/free", hello), Route("/one", hello)]
    app = Starlette(
        routes=[
            Route("/one", hello, middleware=one),
            Route("/other", hello),
            Mount("/api", routes=routes, middleware=mounted),
        ]
    )
    client = TestClient(app)
    assert [client.get("/one").status_code for _ in range(2)] == [200, 429]
    assert "ratelimit" not in client.get("/other").headers
    # The path is that within the mount.
    assert [client.get("/api/free").status_code for _ in range(2)] == [200, 200]
    assert [client.get("/api/one").status_code for _ in range(2)] == [200, 429]


def test_browsers_may_read_refusals_where_cors_is_around() -> None:
    app = Starlette(routes=[Route("/", hello)])
    app.add_middleware(RateLimitMiddleware, policy=policy("a: 1/min"))
    exposed = ["RateLimit", "Retry-After"]
    app.add_middleware(CORSMiddleware, allow_origins=["*"], expose_headers=exposed)
    client = TestClient(app, headers={"Origin": "https://example.org"})
    preflight = client.options("/", headers={"Access-Control-Request-Method": "GET"})
    assert (preflight.status_code, client.get("/").status_code) == (200, 200)
    refused = client.get("/")
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "60")
    assert refused.headers["access-control-allow-origin"] == "*"
    assert refused.headers["access-control-expose-headers"] == "RateLimit, Retry-After"


def test_functions_may_wait() -> None:
    async def ask_database(request: Any) -> str:
        await asyncio.sleep(0)
        return str(request.native["path"])

    app = RateLimitMiddleware(
        Starlette(routes=[Route("/{name}", hello)]), policy("1/min", key=ask_database)
    )
    client = TestClient(app)
    assert [client.get(path).status_code for path in ("/a", "/b", "/a")] == [200, 200, 429]


@contextlib.contextmanager
def served(app: Any, **options: Any) -> Iterator[str]:
    """The application on a real server, at the address that is yielded."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="critical", **options)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@pytest.mark.parametrize("proxy_headers", [True, False])
def test_on_uvicorn(proxy_headers: bool) -> None:
    async def pieces() -> AsyncIterator[str]:
        yield "one "
        yield "two"

    async def stream(_request: Any) -> StreamingResponse:
        return StreamingResponse(pieces(), media_type="text/plain")

    async def error(_request: Any) -> None:
        raise LookupError("on purpose")

    clock = ManualClock()
    limiter = KeyedLimiter("a: 3/min", clock=clock)
    # Without `proxy_headers` the server leaves the field to us.
    key = client_address(trusted_proxies=0 if proxy_headers else 1)
    routes = [Route("/", hello), Route("/stream", stream), Route("/error", error)]
    app = RateLimitMiddleware(Starlette(routes=routes), RequestPolicy(limiter, key=key))
    with (
        served(app, proxy_headers=proxy_headers) as address,
        httpx2.Client(base_url=address, headers={"X-Forwarded-For": "192.0.2.7"}) as client,
    ):
        answers = [client.get("/stream"), client.head("/"), client.get("/error")]
        assert [answer.status_code for answer in answers] == [200, 200, 500]
        assert [answer.text for answer in answers] == ["one two", "", "Internal Server Error"]
        left = [answer.headers.get_list("ratelimit") for answer in answers]
        assert left == [['"a";r=2;t=20'], ['"a";r=1;t=20'], ['"a";r=0;t=20']]
        clock.advance(13)
        refused, head = client.get("/"), client.head("/")
        assert (refused.status_code, head.status_code, head.content) == (429, 429, b"")
        assert refused.headers["retry-after"] == "7"
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.headers.get_list("content-length") == [str(len(refused.content))]
        assert refused.json()["violated-policies"] == ["a"]
        assert sorted(head.headers.items()) == sorted(refused.headers.items())
        # The connection is still good, and another client is another one.
        other = client.get("/", headers={"X-Forwarded-For": "192.0.2.8"})
        assert other.headers["ratelimit"] == '"a";r=2;t=20'
        assert limiter.available("address:192.0.2.7") == 0
        clock.advance(7)
        assert client.get("/").status_code == 200
