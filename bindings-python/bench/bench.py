"""Nanoseconds of one decision, beside other limiters; ratios are what can be compared.

Each figure is the smallest of several rounds, which take turns, so that a busy moment of the machine
does not fall on one of them alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
import timeit
from collections.abc import Awaitable, Callable
from typing import Any

import aiolimiter
import limits
import limits.storage
import limits.strategies
import noop
import pyrate_limiter
import throttled
import token_bucket

from tokenweir import Bandwidth, KeyedLimiter, Limiter, TokenBucket

MANY = 10**9
KEYS = [f"client:{number}" for number in range(100_000)]


class Round:
    """One thing to measure: a statement over names, repeated."""

    def __init__(self, group: str, name: str, statement: str, repeat: int, **names: Any) -> None:
        self.group, self.name, self.repeat = group, name, repeat
        self.timer = timeit.Timer(statement, globals=names)
        self.best = float("inf")

    def run(self) -> None:
        self.best = min(self.best, self.timer.timeit(self.repeat) / self.repeat * 1e9)


class KeyedRound(Round):
    """A call for each of 100 000 keys in turn."""

    def __init__(self, name: str, call: Callable[[str], object], group: str = "keyed") -> None:
        super().__init__(group, name, "for key in keys: call(key)", 1, call=call, keys=KEYS)

    def run(self) -> None:
        self.best = min(self.best, self.timer.timeit(1) / len(KEYS) * 1e9)


class AsyncRound(Round):
    def __init__(self, name: str, call: Callable[[], Awaitable[object]]) -> None:
        super().__init__("async", name, "pass", 50_000)
        self.call = call

    def run(self) -> None:
        async def repeat() -> float:
            call = self.call
            start = time.perf_counter()
            for _ in range(self.repeat):
                await call()
            return time.perf_counter() - start

        self.best = min(self.best, asyncio.run(repeat()) / self.repeat * 1e9)


def depleted(limiter: Any) -> Any:
    limiter.acquire_up_to()
    return limiter


def rounds() -> list[Round]:
    storage = limits.storage.MemoryStorage()
    window = limits.strategies.FixedWindowRateLimiter(storage)
    many, one = limits.RateLimitItemPerHour(MANY), limits.RateLimitItemPerDay(1)
    window.hit(one)
    buckets = token_bucket.Limiter(MANY, MANY, token_bucket.MemoryStorage())
    scarce = token_bucket.Limiter(0.001, 1, token_bucket.MemoryStorage())
    scarce.consume("k")
    pyrate = pyrate_limiter.Limiter(pyrate_limiter.Rate(MANY, pyrate_limiter.Duration.HOUR))
    gcra = throttled.Throttled(
        key="k",
        using=throttled.RateLimiterType.GCRA.value,
        quota=throttled.per_hour(MANY, burst=MANY),
    )
    nothing, once = noop.Noop(), "10000000/s burst 1000000000"
    keyed = KeyedLimiter(f"{MANY}/s", max_keys=len(KEYS))

    async def coroutine() -> bool:
        return True

    plain = aiolimiter.AsyncLimiter(MANY, 1)
    return [
        Round("call", "pyo3 no-op", "o.call()", 200_000, o=nothing),
        Round("call", "pyo3 no-op that reads the clock", "o.clock()", 200_000, o=nothing),
        Round("allow", "Limiter", "o.try_acquire()", 200_000, o=Limiter(once)),
        Round("allow", "Limiter, cost given", "o.try_acquire(3)", 200_000, o=Limiter(once)),
        Round("allow", "Limiter of two", "o.try_acquire()", 200_000, o=Limiter(once, f"{MANY}/h")),
        Round(
            "allow",
            "TokenBucket",
            "o.try_acquire()",
            200_000,
            o=TokenBucket(Bandwidth.per(MANY, 1)),
        ),
        Round("allow", "Limiter.acquire", "o.acquire()", 200_000, o=Limiter(once)),
        Round("allow", "Limiter.check", "o.check()", 100_000, o=Limiter(once)),
        Round("allow", "token_bucket", "o.consume('k')", 50_000, o=buckets),
        Round("allow", "limits, fixed window", "o.hit(i)", 5_000, o=window, i=many),
        Round("allow", "pyrate-limiter", "o.try_acquire('k')", 5_000, o=pyrate),
        Round("allow", "throttled-py, GCRA", "o.limit()", 5_000, o=gcra),
        Round("refuse", "Limiter", "o.try_acquire()", 200_000, o=depleted(Limiter("1/day"))),
        Round("refuse", "Limiter.check", "o.check()", 100_000, o=depleted(Limiter("1/day"))),
        Round("refuse", "token_bucket", "o.consume('k')", 50_000, o=scarce),
        Round("refuse", "limits, fixed window", "o.hit(i)", 5_000, o=window, i=one),
        KeyedRound("KeyedLimiter.try_acquire", keyed.try_acquire),
        KeyedRound("KeyedLimiter.check", keyed.check),
        KeyedRound("token_bucket", buckets.consume),
        AsyncRound("Limiter.acquire_async", Limiter(once).acquire_async),
        AsyncRound("aiolimiter", plain.acquire),
        AsyncRound("a coroutine that does nothing", coroutine),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    measured = rounds()
    for _ in range(options.rounds):
        for one in measured:
            one.run()
    best = {(one.group, one.name): one.best for one in measured}
    ratios = {
        "allow: Limiter / no-op (at most 3.5)": best["allow", "Limiter"] / best["call", "pyo3 no-op"],
        "allow: token_bucket / Limiter (at least 5)": best["allow", "token_bucket"]
        / best["allow", "Limiter"],
        "keyed: token_bucket / try_acquire (at least 3)": best["keyed", "token_bucket"]
        / best["keyed", "KeyedLimiter.try_acquire"],
        "keyed: token_bucket / check (at least 2)": best["keyed", "token_bucket"]
        / best["keyed", "KeyedLimiter.check"],
        "async: aiolimiter / acquire_async (at least 3)": best["async", "aiolimiter"]
        / best["async", "Limiter.acquire_async"],
    }
    if options.json:
        figures = [{"group": g, "name": n, "ns": round(ns, 1)} for (g, n), ns in best.items()]
        print(json.dumps({"figures": figures, "ratios": ratios}, indent=2))
        return
    group = ""
    for (its_group, name), ns in best.items():
        if its_group != group:
            group = its_group
            print(f"\n{group}")
        print(f"  {name:34}{ns:9.1f} ns")
    print()
    for name, ratio in ratios.items():
        print(f"{name:52}{ratio:6.1f}")


if __name__ == "__main__":
    main()
