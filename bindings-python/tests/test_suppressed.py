"""Counting what was refused."""

from __future__ import annotations

import pytest
from test_waiting_threads import joined, started

from tokenweir import (
    AmountError,
    Bandwidth,
    CycleConfig,
    FixedCycle,
    Limiter,
    ManualClock,
    Suppressed,
    TokenBucket,
)


@pytest.mark.parametrize("kind", [Limiter, TokenBucket, FixedCycle])
def test_the_next_grant_says_how_many_were_refused(kind: type) -> None:
    clock = ManualClock()
    given = {Limiter: "1/s", TokenBucket: Bandwidth.per(1, 1), FixedCycle: CycleConfig(1, 1)}
    limiter = kind(given[kind], clock=clock)
    lines = Suppressed(limiter)
    assert lines.try_take() == 0
    assert [lines.try_take() for _ in range(3)] == [None, None, None]
    assert (lines.suppressed, lines.limiter) == (3, limiter)
    assert repr(lines) == f"<Suppressed 3: {limiter!r}>"
    clock.advance(1)
    assert (lines.try_take(), lines.suppressed) == (3, 0)
    assert lines.try_take(2) is None
    # What is done to the limiter itself is not counted.
    assert not limiter.try_acquire()
    assert (lines.take_suppressed(), lines.take_suppressed()) == (1, 0)
    clock.advance(1)
    assert lines.try_take() == 0


def test_what_is_counted_is_checked() -> None:
    with pytest.raises(TypeError, match="limiter: a Limiter, TokenBucket or FixedCycle"):
        Suppressed("1/s")  # type: ignore[arg-type]
    with pytest.raises(AmountError, match="cost"):
        Suppressed(Limiter("1/s")).try_take(0)


def test_threads_count_every_refusal_once() -> None:
    clock = ManualClock()
    lines = Suppressed(Limiter("10/h", clock=clock))
    counts: list[int | None] = []

    def work() -> None:
        counts.extend(lines.try_take() for _ in range(500))

    joined([started(work) for _ in range(4)])
    granted = [count for count in counts if count is not None]
    assert len(granted) == 10
    assert sum(granted) + lines.suppressed == 4 * 500 - 10
