"""What users of httpx and requests write, clean under strict type checking. Run as a test as well."""

from __future__ import annotations

from datetime import timedelta

import httpx
import requests

from tokenweir import Backoff, KeyedLimiter, Limiter, ManualClock, RateLimited
from tokenweir.httpx import AsyncLimitedTransport, CallSkipped, LimitedTransport
from tokenweir.requests import LimitedAdapter


def by_user(request: httpx.Request) -> str:
    user: str = request.headers.get("Authorization", "nobody")
    return user


def clients() -> tuple[httpx.Client, httpx.AsyncClient, requests.Session]:
    plain = httpx.Client(transport=LimitedTransport("10/s; 1000/h"))
    tuned = AsyncLimitedTransport(
        KeyedLimiter("10/s", max_keys=1000),
        transport=httpx.AsyncHTTPTransport(http1=True),
        key=by_user,
        cost=lambda request: 5 if request.url.path == "/search" else 1,
        on_limit="raise",
        timeout=timedelta(seconds=5),
        retry=Backoff(0.1, 2, jitter="equal", max_retries=5, budget=30),
        retry_methods={"GET", "POST"},
    )
    session = requests.Session()
    session.mount("https://", LimitedAdapter(Limiter("10/s"), retry=None))
    return plain, httpx.AsyncClient(transport=tuned), session


def or_nothing(client: httpx.Client, url: str) -> str | None:
    try:
        return client.get(url).text
    except CallSkipped as skipped:
        limited: RateLimited = skipped
        error: httpx.RequestError = skipped
        wait: float | None = limited.retry_after
        return None if wait is None else f"{error.request.url} in {wait} s"


def main() -> None:
    plain, _, session = clients()
    with plain, session:
        quick = httpx.MockTransport(lambda request: httpx.Response(200, text="fine"))
        limited = LimitedTransport(
            "1/h", transport=quick, on_limit="raise", clock=ManualClock(wall=True)
        )
        with httpx.Client(transport=limited) as client:
            assert or_nothing(client, "http://service/") == "fine"
            assert or_nothing(client, "http://service/") == "http://service/ in 3600.0 s"


if __name__ == "__main__":
    main()
