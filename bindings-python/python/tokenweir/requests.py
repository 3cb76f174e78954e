"""Calls by requests within limits: an adapter that wraps another.

    from tokenweir.requests import LimitedAdapter

    session = requests.Session()
    session.mount("https://", LimitedAdapter("10/s; 1000/h"))

Needs requests, as by `pip install tokenweir[requests]`.
"""

from __future__ import annotations

import io
import time
from typing import TYPE_CHECKING, Final

import requests
from requests.adapters import BaseAdapter, HTTPAdapter

from tokenweir._calls import Calls, answer, origin, run
from tokenweir.errors import RateLimited
from tokenweir.http import TOO_MANY_REQUESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from typing_extensions import Unpack

    from tokenweir._calls.options import Options
    from tokenweir._native import KeyedLimiter, Limiter, _LimitsLike
    from tokenweir._types import Key

__all__ = ["CallSkipped", "LimitedAdapter"]

RETRY_ERRORS: Final[tuple[type[Exception], ...]] = (requests.ConnectionError,)
"""The errors that are worth another try, unless others are given."""


class CallSkipped(RateLimited, requests.RequestException):
    """A call that was not made: it is known to be refused, or would have to wait for too long.

    ``code`` is ``"refused_by_service"`` where a reply has said so, and for the limits here
    ``"not_in_time"`` or ``"never"``.
    """


class LimitedAdapter(BaseAdapter):
    """An adapter that keeps to limits, around another one: an `HTTPAdapter` unless given.

    `limits` are counted for each origin; a `KeyedLimiter` is used as it is, a `Limiter` for all calls
    together, and None has only count what services tell. Replies tell when a service refuses calls
    (`Retry-After`, `RateLimit` and its older forms): until then none is made. Calls that fail are made
    again, if their method is idempotent and their body can be sent again, after a back-off that is never
    shorter than the service asks for; each try counts.

    The options are those of `tokenweir.httpx.LimitedTransport`, with requests of the class
    `requests.PreparedRequest`.
    """

    def __init__(
        self,
        limits: Limiter | KeyedLimiter | _LimitsLike | None = None,
        *,
        adapter: BaseAdapter | None = None,
        sleep: Callable[[float], object] = time.sleep,
        **options: Unpack[Options[requests.PreparedRequest]],
    ) -> None:
        super().__init__()
        self._calls = Calls(limits, origin=_origin, errors=RETRY_ERRORS, **options)
        self._adapter = HTTPAdapter() if adapter is None else adapter
        self._sleep = sleep

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: float | tuple[float, float] | tuple[float, None] | None = None,
        verify: bool | str = True,
        cert: bytes | str | tuple[bytes | str, bytes | str] | None = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """Waits until the call may be made, and makes it. Raises `CallSkipped`."""
        return run(
            self._calls.steps(
                request, request.method or "", _can_repeat(request), _Port(request)
            ),
            send=lambda: self._adapter.send(request, stream, timeout, verify, cert, proxies),
            discard=lambda reply: reply.close(),
            sleep=self._sleep,
        )

    def close(self) -> None:
        """Closes the adapter inside."""
        self._adapter.close()


class _Port:
    """What requests has for one call."""

    def __init__(self, request: requests.PreparedRequest) -> None:
        self._request = request

    def read(self, reply: requests.Response, /) -> tuple[int, Iterable[tuple[str, str]]]:
        return reply.status_code, reply.headers.items()

    def skipped(self, error: RateLimited, /) -> CallSkipped:
        skipped = CallSkipped.of(error)
        skipped.request = self._request
        return skipped

    def answer(self, error: RateLimited, /) -> requests.Response:
        headers, body = answer(error)
        reply = requests.Response()
        reply.status_code = TOO_MANY_REQUESTS
        reply.reason = "Too Many Requests"
        reply.headers.update(headers)
        reply.raw = io.BytesIO(body)
        reply.url = self._request.url or ""
        reply.request = self._request
        return reply


def _origin(request: requests.PreparedRequest) -> Key:
    return origin(request.url or "")


def _can_repeat(request: requests.PreparedRequest) -> bool:
    """Whether the body can be sent again: what is read from a stream or a file cannot."""
    return request.body is None or isinstance(request.body, str | bytes)
