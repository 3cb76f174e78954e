"""Limits for ASGI applications: Starlette, FastAPI, Quart, Litestar and any other.

    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    from tokenweir.asgi import RateLimitMiddleware
    from tokenweir.web import RequestPolicy

    async def search(request):
        return JSONResponse([])

    searches = Middleware(RateLimitMiddleware, policy=RequestPolicy("10/min", name="search"))
    app = Starlette(
        routes=[Route("/search", search, middleware=[searches])],
        middleware=[Middleware(RateLimitMiddleware, policy=RequestPolicy("100/min"))],
    )

FastAPI has ``app.add_middleware(RateLimitMiddleware, policy=policy)``, and `tokenweir.fastapi` for single
routes; any application is served by ``RateLimitMiddleware(app, policy)`` in its place. Put Starlette's
``CORSMiddleware`` around it, by adding it later, so that browsers may read refusals.

Key, cost and plan functions are given a `tokenweir.web.Request` whose ``native`` is the ASGI scope, and may
be coroutine functions. Websockets, the lifespan, and the bodies of replies pass through untouched. Starlette
makes the reply of an unhandled exception outside of ``add_middleware``: only as the outermost does the
middleware put the fields on it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import TYPE_CHECKING, Any

from tokenweir.web import Answers, Request

if TYPE_CHECKING:
    from typing import TypeAlias

    from tokenweir.web import Reply, RequestPolicy

    Scope: TypeAlias = MutableMapping[str, Any]
    Message: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[Message]]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]
    Application: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

__all__ = ["ASGIRequest", "RateLimitMiddleware"]


class ASGIRequest(Request):
    """A request by its ASGI scope."""

    __slots__ = ("_headers",)

    def __init__(self, scope: Scope, native: Any = None) -> None:
        path, root = scope["path"], scope.get("root_path", "")
        self.method = scope["method"]
        self.path = path[len(root) :] if root and path.startswith(f"{root}/") else path
        self.peer = (scope.get("client") or ("",))[0]
        self.native = scope if native is None else native
        self.asynchronous = True
        self._headers: Iterable[tuple[bytes, bytes]] = scope["headers"]

    def lines(self, name: str) -> list[str]:
        wanted = name.lower().encode("latin-1")
        return [value.decode("latin-1") for name, value in self._headers if name == wanted]


class RateLimitMiddleware:
    """Asks ``policy`` about each request.

    Without a policy it asks nothing, and puts what others on the way say, such as the dependencies of
    `tokenweir.fastapi`, on every reply.
    """

    def __init__(self, app: Application, policy: RequestPolicy | None = None) -> None:
        self.app = app
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answers = Answers.of(scope)
        if answers.claim():
            send = _with_fields(send, answers)
        if self.policy is not None:
            verdict = await self.policy.judge_async(ASGIRequest(scope), answers)
            if not verdict.served:
                await _reply(verdict.reply(), scope, send)
                return
        await self.app(scope, receive, send)


def _with_fields(send: Send, answers: Answers) -> Send:
    async def send_with_fields(message: Message) -> None:
        if message["type"] == "http.response.start" and (fields := answers.fields()):
            ours = [(name.lower().encode(), value.encode()) for name, value in fields]
            names = {name for name, _ in ours}
            theirs = message.get("headers", ())
            kept = [(name, value) for name, value in theirs if name.lower() not in names]
            message = {**message, "headers": kept + ours}
        await send(message)

    return send_with_fields


async def _reply(reply: Reply, scope: Scope, send: Send) -> None:
    headers = [
        (b"content-type", reply.media_type.encode()),
        (b"content-length", str(len(reply.body)).encode()),
    ]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    body = b"" if scope["method"] == "HEAD" else reply.body
    await send({"type": "http.response.body", "body": body})
