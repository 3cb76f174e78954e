"""Random histories against a model of plain integers."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from tokenweir import Bandwidth, Limiter, ManualClock, TokenBucket


class Model:
    """A greedy bandwidth in rational arithmetic."""

    def __init__(self, capacity: int, tokens: int, period_ns: int) -> None:
        self.capacity, self.rate = capacity, Fraction(tokens, period_ns)
        self.level, self.last = Fraction(capacity), 0

    def at(self, now: int) -> Fraction:
        gained = max(now - self.last, 0) * self.rate
        return min(self.level + gained, Fraction(self.capacity))

    def wait(self, cost: int, now: int) -> int | None:
        missing = cost - self.at(now)
        if missing <= 0:
            return 0
        if cost > self.capacity:
            return None
        lag = max(self.last - now, 0)
        return lag + -(-missing // self.rate)

    def take(self, cost: int, now: int) -> None:
        # Only a call that is granted changes anything, the instant of the last refill included.
        self.level, self.last = self.at(now) - cost, max(now, self.last)


bandwidths = st.tuples(st.integers(1, 50), st.integers(1, 50), st.integers(1, 10**10))
moves = st.tuples(st.integers(-(10**9), 10**10), st.integers(1, 60))


@settings(max_examples=300)
@given(st.lists(bandwidths, min_size=1, max_size=4), st.lists(moves, max_size=40))
def test_decisions_are_those_of_the_model(
    configs: list[tuple[int, int, int]], history: list[tuple[int, int]]
) -> None:
    limits = [Bandwidth.greedy(c, t, period_ns=p) for c, t, p in configs]
    models = [Model(*config) for config in configs]
    clock = ManualClock()
    bucket, limiter = TokenBucket(*limits, clock=clock), Limiter(limits, clock=clock)
    for move, cost in history:
        clock.set_ns(max(clock.now_ns + move, 0))
        now = clock.now_ns
        waits = [model.wait(cost, now) for model in models]
        wait = None if None in waits else max(wait for wait in waits if wait is not None)
        assert bucket.peek(cost).retry_after_ns == limiter.peek(cost).retry_after_ns == wait
        probe, decision = bucket.check(cost), limiter.check(cost)
        assert probe.allowed == decision.allowed == (wait == 0)
        if wait == 0:
            for model in models:
                model.take(cost, now)
        assert bucket.available == limiter.available == min(int(m.at(now) // 1) for m in models)
        assert limiter.available_of_each == tuple(int(m.at(now) // 1) for m in models)
