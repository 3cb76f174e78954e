"""The store's time only: wrong wall clocks of hosts grant nothing.

Beside it what a limiter does that decides by its host's clock, as Bucket4j's compare-and-set stores do.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from places import Place
from test_exact import NODE, PYTHON, granted

from tokenweir.stored import Command, Desired, step
from tokenweir.stores import Change, Store, StoredLimiter

HOUR_NS = 3_600_000_000_000
# 2 tokens a second: 30 s are worth 60.
LIMITS = "100 per 50s"


class ClientClock:
    """Decides by its host's wall clock, and writes whatever it likes."""

    def __init__(self, store: Store, key: str, limits: str) -> None:
        self._store = store
        self._key = key
        self._desired = Desired(limits)

    def try_acquire(self) -> bool:
        found = self._store.compare_and_set([Change(self._key, None, None, 1)], 0).found
        state = found[0] if found else None
        result = step(state, self._desired, time.time_ns(), Command.check())
        if result.write is not None:
            change = Change(self._key, state, result.write.bytes, 600_000)
            assert self._store.compare_and_set([change], 0).same
        allowed: bool = result.outcome.allowed
        return allowed


@pytest.fixture(params=[[30.0], [-30.0], [30.0, -30.0, 3600.0]], ids=["ahead", "behind", "jumping"])
def offsets(request: pytest.FixtureRequest) -> list[float]:
    """What the wall clock of this process is wrong by, in seconds, one after the other."""
    offsets: list[float] = request.param
    return offsets


def with_wrong_clock(monkeypatch: pytest.MonkeyPatch, offset: float) -> None:
    true_time_ns = time.clock_gettime_ns
    monkeypatch.setattr(time, "time_ns", lambda: true_time_ns(time.CLOCK_REALTIME) + int(offset * 1e9))
    monkeypatch.setattr(time, "time", lambda: true_time_ns(time.CLOCK_REALTIME) / 1e9 + offset)


def drained(take: Callable[[], bool]) -> int:
    """How many are granted until one is refused."""
    count = 0
    while take():
        count += 1
        assert count < 10_000
    return count


def test_a_wrong_wall_clock_grants_nothing(
    place: Place, key: str, offsets: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = place.open()
    # A token an hour, so that none comes back during the test.
    honest = StoredLimiter("100 per 100h", store=store)
    assert drained(lambda: honest.try_acquire(key)) == 100
    naive = ClientClock(store, f"{key} naive", LIMITS)
    assert drained(naive.try_acquire) >= 100
    ours = minted = 0
    for offset in offsets:
        with_wrong_clock(monkeypatch, offset)
        # Another process, which knows nothing.
        skewed = StoredLimiter("100 per 100h", store=store, recheck=0)
        ours += drained(lambda limiter=skewed: limiter.try_acquire(key))  # type: ignore[misc]
        minted += drained(naive.try_acquire)
    assert ours == 0
    if max(offsets) > 0:
        # 30 s are 60 tokens that never came; an hour fills it.
        assert minted >= (60 if max(offsets) < 60 else 100)
    else:
        # It is refused what does come, until its clock is right again.
        decision = step(
            store.compare_and_set([Change(f"{key} naive", None, None, 1)], 0).found[0],
            Desired(LIMITS),
            time.time_ns(),
            Command.check(),
        ).outcome
        assert decision.retry_after > 29
    store.close()


def test_processes_with_wrong_wall_clocks_on_one_key(key: str, request: pytest.FixtureRequest) -> None:
    for name in ("redis", "postgres"):
        url = request.getfixturevalue(name).url
        asked = [url.replace("postgresql:", "postgres:"), key, "1000 per 1000h", "400"]
        skews = ("30000", "-30000", "3600000", "0")
        commands = [[*PYTHON, *asked, f"--wall-clock={skew}"] for skew in skews]
        commands += [[*NODE, *asked, f"--wall-clock={skew}"] for skew in skews]
        assert granted(commands) == 1000


def test_a_decision_ahead_of_the_stores_clock_is_not_written(place: Place, key: str) -> None:
    store = place.open()
    limiter = StoredLimiter("1/hour", store=store)
    assert limiter.try_acquire(key)
    clock = limiter._lines[key].clock
    # The local clock runs away by an hour: the store does not go along, and tells the time.
    now_us, heard_ns = clock._base
    clock.heard(now_us + 3_600_000_000, heard_ns)
    decision = limiter.check(key)
    assert not decision.allowed and decision.retry_after is not None
    assert 3000 < decision.retry_after <= 3600
    store.close()
