"""Limits for single routes of a FastAPI application, or for all of a router.

    from fastapi import Depends, FastAPI

    from tokenweir.fastapi import RateLimit, install
    from tokenweir.web import RequestPolicy

    app = FastAPI()
    install(app, RequestPolicy("100/min"))
    searches = RateLimit(RequestPolicy("10/min", name="search"))

    @app.get("/search", dependencies=[Depends(searches)])
    async def search() -> list[str]:
        return []

`install` adds `tokenweir.asgi.RateLimitMiddleware`, with a policy for all routes if it is given one. Without
it a refusal is still a 429 with all fields, but with FastAPI's own body, and the fields are missing from a
``Response`` that an endpoint makes itself and from errors.

Key, cost and plan functions are given a `tokenweir.web.Request` whose ``native`` is Starlette's request, and
may be coroutine functions.
"""

# No annotations of __future__ here: FastAPI reads them at run time, and older releases not as text.

from http import HTTPStatus

from fastapi import FastAPI, HTTPException, Request, Response

from tokenweir.asgi import ASGIRequest, RateLimitMiddleware
from tokenweir.web import Answers, Reply, RequestPolicy

__all__ = ["RateLimit", "Refused", "install"]


class Refused(HTTPException):
    """What a dependency raises for a request that is not served."""

    def __init__(self, reply: Reply, fields: dict[str, str]) -> None:
        super().__init__(reply.status, HTTPStatus(reply.status).phrase, headers=fields)
        self.reply = reply


class RateLimit:
    """A dependency that asks ``policy`` about a request."""

    def __init__(self, policy: RequestPolicy) -> None:
        self.policy = policy

    async def __call__(self, request: Request, response: Response) -> None:
        answers = Answers.of(request.scope)
        asked = ASGIRequest(request.scope, native=request)
        verdict = await self.policy.judge_async(asked, answers)
        fields = {} if answers.is_claimed else dict(answers.fields())
        response.headers.update(fields)
        if not verdict.served:
            raise Refused(verdict.reply(), fields)


def install(app: FastAPI, policy: RequestPolicy | None = None) -> None:
    """Has refusals of dependencies sent as problem details, and the fields on every reply; with a policy,
    has it asked about every request."""
    app.add_exception_handler(Refused, _send)
    app.add_middleware(RateLimitMiddleware, policy=policy)


async def _send(_request: Request, refused: Exception) -> Response:
    assert isinstance(refused, Refused)
    reply = refused.reply
    return Response(reply.body, reply.status, refused.headers, reply.media_type)
