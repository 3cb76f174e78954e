"""One decision over several limiters: all grant or none pays."""

from __future__ import annotations

import pytest
from test_waiting_threads import joined, started

from tokenweir import AmountError, Limiter, ManualClock, MonotonicClock, check_all


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
    assert one.available == 1


def test_threads_that_ask_in_different_orders_do_not_wait_for_each_other() -> None:
    limiters = [Limiter("1/h burst 2000") for _ in range(3)]
    granted: list[int] = []

    def work(turn: int) -> None:
        order = limiters[turn:] + limiters[:turn]
        granted.append(sum(check_all(*order).allowed for _ in range(1000)))

    joined([started(lambda turn=turn: work(turn)) for turn in (0, 1, 2)])  # type: ignore[misc]
    assert sum(granted) == 2000
    assert [limiter.available for limiter in limiters] == [0, 0, 0]
