"""Calls by httpx within limits: transports that wrap others.

    from tokenweir.httpx import LimitedTransport

    client = httpx.Client(transport=LimitedTransport("10/s; 1000/h"))

Needs httpx, as by `pip install tokenweir[httpx]`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import anyio
import httpx

from tokenweir._calls import Calls, answer, origin, run, run_async
from tokenweir.errors import RateLimited
from tokenweir.http import TOO_MANY_REQUESTS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from tokenweir._calls.options import Options
    from tokenweir._native import KeyedLimiter, Limiter, _LimitsLike
    from tokenweir._types import Key

__all__ = ["AsyncLimitedTransport", "CallSkipped", "LimitedTransport"]

RETRY_ERRORS: Final[tuple[type[Exception], ...]] = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.ReadError,
    httpx.WriteError,
    httpx.RemoteProtocolError,
)
"""The errors that are worth another try, unless others are given."""


class CallSkipped(RateLimited, httpx.RequestError):
    """A call that was not made: it is known to be refused, or would have to wait for too long.

    ``code`` is ``"refused_by_service"`` where a reply has said so, and for the limits here
    ``"not_in_time"`` or ``"never"``.
    """


class LimitedTransport(httpx.BaseTransport):
    """A transport that keeps to limits, around another one: an `httpx.HTTPTransport` unless given.

    `limits` are counted for each origin; a `KeyedLimiter` is used as it is, a `Limiter` for all calls
    together, and None has only count what services tell. Replies tell when a service refuses calls
    (`Retry-After`, `RateLimit` and its older forms): until then none is made. Calls that fail are made
    again, if their method is idempotent and their body can be sent again, after a back-off that is never
    shorter than the service asks for; each try counts.

    The options, all by name:

    - `key(request)`: which limit a call counts for, and whose replies tell of it; its origin unless given.
    - `cost`: what a call costs, a number or a function of the request; 1 unless given.
    - `on_limit`: what becomes of a call that may not be made now: "wait", as it does unless told
      otherwise, "raise" for `CallSkipped`, or "respond" for a reply of status 429 that is made here.
    - `timeout`: the longest wait before a call is made, in seconds or as a `timedelta`; a minute unless
      given. A call that would have to wait longer raises `CallSkipped` at once.
    - `retry`: a `Backoff` with `max_retries` and with a `budget` or a `longest_retry_after`; None for not
      at all. Three retries within about 4 s unless given.
    - `retry_methods`, `retry_statuses`, `retry_errors`: what is made again.
    - `clock`: by what is waited.
    - `sleep(seconds)`: how; `time.sleep` unless given.
    """

    def __init__(
        self,
        limits: Limiter | KeyedLimiter | _LimitsLike | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], object] = time.sleep,
        **options: Unpack[Options[httpx.Request]],
    ) -> None:
        self._calls = Calls(limits, origin=_origin, errors=RETRY_ERRORS, **options)
        self._transport = httpx.HTTPTransport() if transport is None else transport
        self._sleep = sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Waits until the call may be made, and makes it. Raises `CallSkipped`."""
        return run(
            self._calls.steps(request, request.method, _can_repeat(request), _Port(request)),
            send=lambda: self._transport.handle_request(request),
            discard=lambda reply: reply.close(),
            sleep=self._sleep,
        )

    def close(self) -> None:
        """Closes the transport inside."""
        self._transport.close()

    def __enter__(self) -> Self:
        self._transport.__enter__()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        self._transport.__exit__(exc_type, exc_value, traceback)


class AsyncLimitedTransport(httpx.AsyncBaseTransport):
    """As `LimitedTransport`, for `httpx.AsyncClient`; `sleep` is a coroutine function, `anyio.sleep`
    unless given."""

    def __init__(
        self,
        limits: Limiter | KeyedLimiter | _LimitsLike | None = None,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[object]] = anyio.sleep,
        **options: Unpack[Options[httpx.Request]],
    ) -> None:
        self._calls = Calls(limits, origin=_origin, errors=RETRY_ERRORS, **options)
        self._transport = httpx.AsyncHTTPTransport() if transport is None else transport
        self._sleep = sleep

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Waits until the call may be made, and makes it. Raises `CallSkipped`."""
        return await run_async(
            self._calls.steps(request, request.method, _can_repeat(request), _Port(request)),
            send=lambda: self._transport.handle_async_request(request),
            discard=lambda reply: reply.aclose(),
            sleep=self._sleep,
        )

    async def aclose(self) -> None:
        """Closes the transport inside."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        await self._transport.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None = None,
        exc_value: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        await self._transport.__aexit__(exc_type, exc_value, traceback)


class _Port:
    """What httpx has for one call."""

    def __init__(self, request: httpx.Request) -> None:
        self._request = request

    def read(self, reply: httpx.Response, /) -> tuple[int, Iterable[tuple[str, str]]]:
        return reply.status_code, reply.headers.multi_items()

    def skipped(self, error: RateLimited, /) -> CallSkipped:
        skipped = CallSkipped.of(error)
        skipped.request = self._request
        return skipped

    def answer(self, error: RateLimited, /) -> httpx.Response:
        headers, body = answer(error)
        return httpx.Response(
            TOO_MANY_REQUESTS, headers=headers, content=body, request=self._request
        )


def _origin(request: httpx.Request) -> Key:
    return origin(str(request.url))


def _can_repeat(request: httpx.Request) -> bool:
    """Whether the body can be sent again: what is read from a stream or a file cannot."""
    return isinstance(request.stream, httpx.ByteStream)
