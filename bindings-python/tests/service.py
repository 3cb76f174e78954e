"""A real service on this machine that replies as it is told, and callers of it by each library."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

import anyio.from_thread
import httpx
import requests

import tokenweir.httpx
import tokenweir.requests
from tokenweir import ManualClock

START = 1_700_000_000 * 10**9


@dataclass
class Service:
    """What is replied next, 200 where nothing is said, and what came in: method, path and body."""

    url: str
    replies: deque[tuple[int, dict[str, str]] | None] = field(default_factory=deque)
    requests: list[tuple[str, str, bytes]] = field(default_factory=list)

    def will(self, *replies: tuple[int, dict[str, str]] | int | None) -> None:
        """Replies with these statuses and fields; None closes the connection without a reply."""
        self.replies.extend((reply, {}) if isinstance(reply, int) else reply for reply in replies)


@contextmanager
def served() -> Iterator[Service]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def reply(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.headers.get("Transfer-Encoding") == "chunked":
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
            with lock:
                service.requests.append((self.command, self.path, body))
                reply = service.replies.popleft() if service.replies else (200, {})
            if reply is None:
                self.close_connection = True
                return
            status, fields = reply
            self.send_response_only(status)
            for name, value in {**fields, "Content-Length": "4"}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(b"body")

        do_GET = do_PUT = do_POST = reply

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        service = Service(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield service
        finally:
            server.shutdown()
            thread.join()


@dataclass(frozen=True)
class Reply:
    status: int
    fields: dict[str, str]
    body: bytes


class Caller(Protocol):
    """A client of one library."""

    error: type[Exception]
    """The base of the errors of the library."""
    skipped: type[Exception]

    def __call__(self, url: str, method: str = "GET", body: Any = None) -> Reply: ...


class Httpx:
    error: type[Exception] = httpx.HTTPError
    skipped: type[Exception] = tokenweir.httpx.CallSkipped

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def __call__(self, url: str, method: str = "GET", body: Any = None) -> Reply:
        reply = self._client.request(method, url, content=body)
        fields = {name.lower(): value for name, value in reply.headers.items()}
        return Reply(reply.status_code, fields, reply.content)


class AsyncHttpx:
    error: type[Exception] = httpx.HTTPError
    skipped: type[Exception] = tokenweir.httpx.CallSkipped

    def __init__(self, client: httpx.AsyncClient, portal: anyio.from_thread.BlockingPortal) -> None:
        self._client = client
        self._portal = portal

    def __call__(self, url: str, method: str = "GET", body: Any = None) -> Reply:
        return self._portal.call(self._call, url, method, body)

    async def _call(self, url: str, method: str, body: Any) -> Reply:
        if body is not None and not isinstance(body, bytes):
            body = _async(body)
        reply = await self._client.request(method, url, content=body)
        fields = {name.lower(): value for name, value in reply.headers.items()}
        return Reply(reply.status_code, fields, reply.content)


async def _async(parts: Any) -> Any:
    for part in parts:
        yield part


class Requests:
    error: type[Exception] = requests.RequestException
    skipped: type[Exception] = tokenweir.requests.CallSkipped

    def __init__(self, session: requests.Session) -> None:
        self._session = session

    def __call__(self, url: str, method: str = "GET", body: Any = None) -> Reply:
        reply = self._session.request(method, url, data=body)
        fields = {name.lower(): value for name, value in reply.headers.items()}
        return Reply(reply.status_code, fields, reply.content)


LIBRARIES = ["httpx", "httpx-asyncio", "httpx-trio", "requests"]


@contextmanager
def caller(
    library: str, limits: Any, clock: ManualClock, slept: list[float], **options: Any
) -> Iterator[Caller]:
    """A client whose sleeps move the clock and are noted."""

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock.advance(seconds)

    async def sleep_async(seconds: float) -> None:
        sleep(seconds)

    options["clock"] = clock
    if library == "httpx":
        transport = tokenweir.httpx.LimitedTransport(limits, sleep=sleep, **options)
        with httpx.Client(transport=transport) as client:
            yield Httpx(client)
    elif library == "requests":
        with requests.Session() as session:
            session.trust_env = False
            session.mount("http://", tokenweir.requests.LimitedAdapter(limits, sleep=sleep, **options))
            yield Requests(session)
    else:
        backend = library.removeprefix("httpx-")
        with anyio.from_thread.start_blocking_portal(backend) as portal:
            asynchronous = tokenweir.httpx.AsyncLimitedTransport(
                limits, sleep=sleep_async, **options
            )
            client_of: Callable[[], httpx.AsyncClient] = lambda: httpx.AsyncClient(
                transport=asynchronous
            )
            with portal.wrap_async_context_manager(portal.call(client_of)) as async_client:
                yield AsyncHttpx(async_client, portal)
