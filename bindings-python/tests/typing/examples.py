"""What users write, clean under strict type checking. Run as a test as well."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone

from tokenweir import (
    Backoff,
    Bandwidth,
    CycleConfig,
    Decision,
    FixedCycle,
    GiveUp,
    Limiter,
    Limits,
    ManualClock,
    RateLimited,
    Retry,
    TokenBucket,
    TokensInheritance,
    http,
)


def decisions(clock: ManualClock) -> str:
    limiter = Limiter("100/s burst 200; 1000/min", clock=clock)
    if limiter.try_acquire():
        pass
    decision: Decision = limiter.check(cost=300)
    if decision:
        return f"{decision.remaining} of {decision.limit} left"
    if decision.retry_after is None:
        return f"{decision.scope} never has that much"
    return f"retry after {decision.retry_after:.3f} s"


def objects() -> Limiter:
    midnight = datetime(2026, 1, 1, tzinfo=timezone.utc)
    limits = Limits(
        {"burst": Bandwidth.per(100, timedelta(seconds=1)).with_capacity(200)},
        Bandwidth.aligned(10_000, 10_000, timedelta(days=1), midnight).with_id("daily"),
        CycleConfig(500, 60),
    )
    most: int = limits.most_within(timedelta(seconds=1))
    if most != 300:
        raise ValueError(limits.explain())
    limiter = Limiter(limits)
    limiter.update("burst: 50/s", inheritance=TokensInheritance.PROPORTIONAL)
    return limiter


def low_level(clock: ManualClock) -> tuple[int, float | None]:
    bucket = TokenBucket(Bandwidth.per(10, 0.5), clock=clock)
    with_debt = bucket.reserve(12, max_wait=1)
    wait: float = with_debt.wait
    with_debt.cancel()
    cycle = FixedCycle(CycleConfig(10, 60), clock=clock)
    return bucket.available + cycle.available, wait + (bucket.time_to_full or 0.0)


limiter = Limiter("1000/s")


@limiter
def limited(name: str) -> str:
    return name.upper()


@limiter(cost=2, timeout=1.5)
async def limited_async(number: int) -> int:
    return number + 1


async def waiting() -> int:
    async with limiter as same:
        if not await same.acquire_async(3, timeout=timedelta(seconds=1)):
            raise RateLimited("too late")
    return await limited_async(1)


def blocking() -> str:
    with limiter:
        return limited("name")


def over_http(clock: ManualClock) -> list[tuple[str, str]]:
    decision = Limiter("burst: 10/s", clock=clock).check()
    quota = http.Quota(http.Policy("burst", decision.limit, 1), decision.remaining, 0.1)
    return http.fields("draft", [quota])


def client(reply: list[tuple[str, str]], now: datetime) -> float:
    retry = Retry(Backoff(0.5, 1.5, max=timedelta(seconds=10), max_retries=3))
    advice = http.Received.parse(reply, now).advice
    try:
        return retry.next_delay(0.1, retry_after=advice.wait(now))
    except GiveUp as given_up:
        raise SystemExit(given_up.code) from None


def main() -> None:
    clock = ManualClock()
    assert decisions(clock) == "100/s burst 200 never has that much"
    assert objects().limits.names == ("burst",)
    assert low_level(clock) == (20, 0.1)
    assert asyncio.run(waiting()) == 2
    assert blocking() == "NAME"
    fields = over_http(clock)
    assert fields[1] == ("RateLimit", '"burst";r=9;t=1')
    assert client(fields, datetime.now(timezone.utc)) == 0.5
    assert http.ClientAddress(trusted_proxies=1).key("10.0.0.1", "192.0.2.1") == "192.0.2.1"


if __name__ == "__main__":
    main()
