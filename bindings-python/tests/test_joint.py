"""One decision over several limiters: all grant or none pays."""

from __future__ import annotations

import pytest
from test_waiting_threads import joined, started

from tokenweir import (
    AmountError,
    KeyedLimiter,
    Limiter,
    ManualClock,
    MonotonicClock,
    TooManyKeys,
    check_all,
)


def test_a_refusal_by_tokens_leaves_the_requests_untouched() -> None:
    clock = ManualClock()
    requests, tokens = Limiter("10/min", clock=clock), Limiter("size: 1000/min", clock=clock)
    allowed = check_all(requests, (tokens, 800))
    assert allowed
    assert (allowed.subject, allowed.decision.remaining) == (0, 9)
    refused = check_all(requests, (tokens, 201))
    assert not refused.allowed
    assert (refused.subject, refused.decision.scope) == (1, "size")
    assert (requests.available, tokens.available) == (9, 200)
    assert repr(refused) == "<JointDecision refused by subject 1, \"size\">"
    assert refused.decision.retry_after is not None
    clock.advance(refused.decision.retry_after)
    assert check_all((tokens, 201), requests)


def test_keys_and_everybody_pay_together_or_not_at_all() -> None:
    clock = ManualClock()
    everybody = Limiter("5/min", clock=clock)
    users, sizes = KeyedLimiter("3/min", clock=clock), KeyedLimiter("size: 100/min", clock=clock)
    for left in (2, 1, 0):
        allowed = check_all((users, "ann"), everybody, (sizes, "ann", 20))
        assert (allowed.subject, allowed.decision.remaining) == (0, left)
    refused = check_all(everybody, (sizes, "ann", 20), (users, "ann"))
    assert (refused.allowed, refused.subject) == (False, 2)
    assert refused.decision.retry_after == 20.0
    assert (everybody.available, sizes.available("ann"), users.available("ann")) == (2, 40, 0)
    assert check_all((users, "bob"), (sizes, "bob", 100), (everybody, 2))
    refused = check_all((users, "cat", 3), everybody)
    assert (refused.allowed, refused.subject) == (False, 1)
    # A key of which nothing was taken is not kept.
    assert (len(users), users.available("cat")) == (2, 3)


def test_a_key_without_room_decides_nothing() -> None:
    clock = ManualClock()
    everybody = Limiter("5/min", clock=clock)
    users, full = (KeyedLimiter("3/min", max_keys=most, clock=clock) for most in (9, 1))
    assert full.try_acquire("ann")
    with pytest.raises(TooManyKeys):
        check_all(everybody, (users, "bob"), (full, "bob"))
    assert (everybody.available, len(users)) == (5, 0)


def test_subjects_are_checked() -> None:
    one, other = Limiter("1/s", clock=ManualClock()), Limiter("1/s", clock=MonotonicClock())
    with pytest.raises(ValueError, match="different clocks"):
        check_all(one, other)
    with pytest.raises(ValueError, match="given twice"):
        check_all(one, (one, 2))
    with pytest.raises(ValueError, match="no limiter"):
        check_all()
    with pytest.raises(AmountError, match="cost"):
        check_all((one, 0))
    with pytest.raises(TypeError):
        check_all("1/s")  # type: ignore[arg-type]
    users = KeyedLimiter("1/s", clock=one.clock)
    with pytest.raises(ValueError, match="given twice"):
        check_all((users, "ann"), (users, "bob"))
    with pytest.raises(TypeError, match=r"\(KeyedLimiter, key\)"):
        check_all(users)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"\(KeyedLimiter, key\)"):
        check_all((one, 1, 1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="key"):
        check_all((users, 1.5))  # type: ignore[arg-type]
    with pytest.raises(AmountError, match="cost"):
        check_all((users, "ann", 0))
    assert (one.available, len(users)) == (1, 0)


def test_threads_that_ask_in_different_orders_do_not_wait_for_each_other() -> None:
    limiters = [Limiter("1/h burst 2000") for _ in range(3)]
    keyed = [KeyedLimiter("1/h burst 3000") for _ in range(2)]
    granted: list[int] = []

    def work(turn: int) -> None:
        order = limiters[turn:] + limiters[:turn]
        keys = [(limiter, "ann") for limiter in (keyed if turn else keyed[::-1])]
        granted.append(sum(check_all(*order, *keys).allowed for _ in range(1000)))

    joined([started(lambda turn=turn: work(turn)) for turn in (0, 1, 2)])  # type: ignore[misc]
    assert sum(granted) == 2000
    assert [limiter.available for limiter in limiters] == [0, 0, 0]
    assert [limiter.available("ann") for limiter in keyed] == [1000, 1000]
