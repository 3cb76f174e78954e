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
    RateLimited,
    ReservationError,
    TooManyKeys,
    check_all,
    reserve_all,
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


def test_keys_are_asked_beside_limiters_and_each_other() -> None:
    clock = ManualClock()
    everybody = Limiter("100/min", clock=clock)
    users = KeyedLimiter("user: 3/min", max_keys=10, clock=clock)
    assert check_all(everybody, (users, "a", 2), (users, ("b", 7)))
    refused = check_all((users, "a", 2), everybody, (users, ("b", 7)))
    assert (refused.allowed, refused.subject, refused.decision.scope) == (False, 0, "user")
    assert refused.decision.retry_after == 20.0
    assert (everybody.available, users.available("a"), users.available(("b", 7))) == (99, 1, 2)
    clock.advance(20)
    granted = check_all(everybody, (users, ("b", 7)), (users, "a", 2))
    assert (granted.allowed, granted.subject, granted.decision.remaining) == (True, 2, 0)
    # A plain limiter decides as well.
    assert check_all((everybody, 99), (users, "c")).subject == 0


def test_a_new_key_without_room_is_an_error_or_shares() -> None:
    clock = ManualClock()
    other = Limiter("9/min", clock=clock)
    full = KeyedLimiter("2/min", max_keys=1, clock=clock)
    full.try_acquire("a")
    with pytest.raises(TooManyKeys):
        check_all(other, (full, "b"))
    assert (other.available, len(full)) == (9, 1)
    sharing = KeyedLimiter("2/min", max_keys=1, when_full="share", clock=clock)
    sharing.try_acquire("a")
    refused = check_all(other, (sharing, "b", 2), (sharing, "c"))
    assert (refused.allowed, refused.subject) == (False, 1)
    assert check_all((sharing, "b"), other, (sharing, "c"))
    assert (other.available, sharing.available("d"), sharing.available("a")) == (8, 0, 1)
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


def test_reservations_over_several_wait_for_the_slowest() -> None:
    clock = ManualClock()
    everybody = Limiter("2/s", clock=clock)
    users = KeyedLimiter("1/s", max_keys=10, clock=clock)
    assert users.try_acquire("a")
    one, other = reserve_all(everybody, (users, "a"), max_wait=1)
    assert (one.wait, other.wait, one.cost, other.cost) == (1.0, 1.0, 1, 1)
    assert (everybody.available, users.available("a")) == (1, -1)
    with pytest.raises(RateLimited) as refused:
        reserve_all((everybody, 2), (users, "a"), max_wait=1.5)
    assert (refused.value.code, refused.value.retry_after) == ("not_in_time", 2.0)
    assert (everybody.available, users.available("a")) == (1, -1)
    # Each is cancelled where it was made.
    assert users.cancel(other)
    assert (everybody.available, users.available("a")) == (1, 0)
    assert one.cancel()
    assert everybody.available == 2
    # As soon as it is the turn of both.
    assert len(reserve_all((users, "b"), everybody, (users, "a"))) == 3
    with pytest.raises(ReservationError, match="longest wait"):
        reserve_all(everybody, max_wait_ns=0)
    with pytest.raises(ValueError, match="no limiter"):
        reserve_all()
    full = KeyedLimiter("1/s", max_keys=1, clock=clock)
    full.try_acquire("a")
    with pytest.raises(TooManyKeys):
        reserve_all(everybody, (full, "b"))
    assert everybody.available == 1


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
    keyed = KeyedLimiter("1/s", clock=one.clock)
    with pytest.raises(ValueError, match="a key is given twice"):
        check_all((keyed, "a"), one, (keyed, "a", 2))
    with pytest.raises(ValueError, match="different clocks"):
        check_all((keyed, "a"), other)
    with pytest.raises(AmountError, match="cost"):
        check_all(one, (keyed, "a", 0))
    for wrong in ("1/s", keyed, (one,), (one, 1, 1), (keyed,), (keyed, 1, 1, 1), ("a", 1), ()):
        with pytest.raises(TypeError, match="is needed, not"):
            check_all(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="key: a str"):
        check_all((keyed, 1.5))  # type: ignore[arg-type]
    assert len(keyed) == 0
    assert one.available == 1


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


def test_threads_that_ask_for_keys_in_different_orders_take_exactly_what_there_is() -> None:
    both = [KeyedLimiter("1/h burst 500", max_keys=100) for _ in range(2)]
    everybody = Limiter("1/h burst 100000")
    granted: list[int] = []

    def work(turn: int) -> None:
        first, second = both if turn % 2 else reversed(both)
        for step in range(1000):
            a, b = (step + turn) % 4, (step * turn + 1) % 4
            pairs = [(first, a), (second, b)] if a == b else [(first, a), (first, b), (second, a)]
            granted.append(len(pairs) if check_all(everybody, *pairs).allowed else 0)

    joined([started(lambda turn=turn: work(turn)) for turn in range(4)])  # type: ignore[misc]
    left = sum(keyed.available(key) for keyed in both for key in range(4))
    assert left == 2 * 4 * 500 - sum(granted)
    assert everybody.available == 100_000 - sum(count > 0 for count in granted)
    assert any(count == 0 for count in granted)
