"""Whatever is passed, the answer is right or an error that names the argument; nothing changes."""

from __future__ import annotations

import copy
import math
import pickle
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenweir import (
    AmountError,
    Bandwidth,
    ConfigError,
    CycleConfig,
    DurationError,
    FixedCycle,
    LevelSnapshot,
    Limiter,
    Limits,
    LimitSyntaxError,
    ManualClock,
    MonotonicClock,
    RateLimited,
    ReservationError,
    StateError,
    SystemClock,
    TokenBucket,
    TokenweirError,
    errors,
)

SECOND = 1_000_000_000


@pytest.fixture(params=[Limiter, TokenBucket, FixedCycle], ids=lambda kind: kind.__name__)
def limiter(request: pytest.FixtureRequest) -> Any:
    limits = {Limiter: "10/s", TokenBucket: Bandwidth.per(10, 1), FixedCycle: CycleConfig(10, 1)}
    return request.param(limits[request.param], clock=ManualClock())


@pytest.mark.parametrize(
    "cost",
    [math.nan, math.inf, -math.inf, 1.5, 1.0, Decimal(1), Fraction(1), "1", None, [], 1j],
)
def test_a_cost_that_is_no_integer_is_a_type_error(limiter: Any, cost: Any) -> None:
    with pytest.raises(TypeError, match="cost"):
        limiter.try_acquire(cost)
    assert limiter.available == 10


@pytest.mark.parametrize("cost", [0, -1, -(2**63), -(2**200), 2**63, 2**64, 2**127, 2**200])
def test_a_cost_out_of_range_is_a_value_error(limiter: Any, cost: int) -> None:
    with pytest.raises(ValueError, match="^cost: ") as caught:
        limiter.try_acquire(cost)
    assert isinstance(caught.value, AmountError)
    permits = isinstance(limiter, FixedCycle)
    below = "non_positive_permits" if permits else "non_positive_tokens_to_consume"
    assert caught.value.code == (below if cost < 1 else "amount_too_large")
    assert limiter.available == 10
    assert limiter.try_acquire(10)
    assert not limiter.try_acquire()


def test_whatever_is_an_index_is_an_integer() -> None:
    limiter = Limiter("10/s", clock=ManualClock())
    assert limiter.try_acquire(numpy.int64(3))
    assert limiter.try_acquire(numpy.uint8(1))
    assert limiter.try_acquire(True)
    assert limiter.available == 5


@pytest.mark.parametrize("method", ["refund", "force_add"])
def test_tokens_to_add_are_checked(method: str) -> None:
    limiter = Limiter("10/s")
    with pytest.raises(AmountError, match="tokens: ") as caught:
        getattr(limiter, method)(0)
    assert caught.value.code == "non_positive_tokens_to_add"


@pytest.mark.parametrize(
    ("period", "nanoseconds"),
    [
        (60, 60 * SECOND),
        (0.1, SECOND // 10),
        (1.1, 1_100_000_000),
        (1e-9, 1),
        (timedelta(days=365), 365 * 86_400 * SECOND),
        (timedelta(microseconds=1), 1_000),
        (numpy.float64(0.25), SECOND // 4),
    ],
)
def test_periods_are_exact(period: Any, nanoseconds: int) -> None:
    assert Bandwidth.per(1, period).period_ns == nanoseconds
    assert CycleConfig(1, period).period_ns == nanoseconds


@pytest.mark.parametrize(
    ("period", "code"),
    [
        (1 / 3, "inexact_duration"),
        (1e-10, "inexact_duration"),
        (math.nan, "not_a_duration"),
        (math.inf, "not_a_duration"),
        (-1.0, "not_a_duration"),
        (1e30, "period_overflow"),
        (0, "non_positive_period"),
        (-1, "non_positive_period"),
        (timedelta(seconds=-1), "non_positive_period"),
        (10**200, "period_overflow"),
        (timedelta.max, "period_overflow"),
    ],
)
def test_a_period_that_is_not_exact_or_out_of_range_is_an_error(period: Any, code: str) -> None:
    with pytest.raises(ValueError) as caught:
        Bandwidth.per(1, period)
    assert isinstance(caught.value, (ConfigError, DurationError))
    assert caught.value.code == code


def test_a_period_is_given_once() -> None:
    with pytest.raises(TypeError, match="period or period_ns is missing"):
        Bandwidth.per(1)
    with pytest.raises(TypeError, match="period and period_ns are the same"):
        Bandwidth.per(1, 1, period_ns=1)
    with pytest.raises(TypeError, match="seconds .* or a timedelta are needed, not str"):
        Bandwidth.per(1, "1")  # type: ignore[arg-type]


def test_an_edge_is_an_instant_of_civil_time() -> None:
    at = datetime(2026, 3, 1, 12, 0, 0, 250, tzinfo=timezone(timedelta(hours=2)))
    aligned = Bandwidth.aligned(1, 1, 60, at)
    assert aligned.first_refill_ns == 1_772_359_200_000_250_000
    assert Bandwidth.aligned(1, 1, 60, first_refill_ns=5).first_refill_ns == 5
    assert CycleConfig(1, 60, edge=at).edge_ns == aligned.first_refill_ns
    with pytest.raises(TypeError, match="naive"):
        Bandwidth.aligned(1, 1, 60, at.replace(tzinfo=None))


def test_limits_are_text_objects_and_mixtures() -> None:
    text = Limits("burst: 100/s burst 200; cycle 500/min; 0.5/s")
    built = Limits(
        {"burst": Bandwidth.per(100, 1).with_capacity(200)},
        [CycleConfig(500, 60), Bandwidth.greedy(1, 1, 2)],
    )
    assert text == built
    assert hash(text) == hash(built)
    assert Limits(built) == Limits(str(text)) == text
    assert text.names == ("burst", "cycle 500/min", "1/2s")
    assert (text.quotas, text.amounts) == ((200, 500, 1), (100, 500, 1))
    assert text.periods_ns == (SECOND, 60 * SECOND, 2 * SECOND)
    with pytest.raises(TypeError, match="names 2 limits"):
        Limits({"both": "1/s; 2/min"})
    with pytest.raises(TypeError, match="not int"):
        Limits(5)  # type: ignore[arg-type]
    with pytest.raises(ConfigError) as caught:
        Limits()
    assert caught.value.code == "no_bandwidths"


def test_a_syntax_error_says_where() -> None:
    with pytest.raises(LimitSyntaxError, match="column 10: expected a unit of time") as caught:
        Limiter("100/s; 5/fortnight")
    assert (caught.value.column, caught.value.code) == (10, "limit_syntax")
    assert isinstance(caught.value, ValueError)


def test_aligned_limits_read_civil_time_unless_told_otherwise() -> None:
    assert isinstance(Limiter("10/day aligned").clock, SystemClock)
    assert isinstance(Limiter("10/day").clock, MonotonicClock)
    for build in (
        lambda: Limiter("10/day aligned", clock=MonotonicClock()),
        lambda: TokenBucket(Bandwidth.aligned(1, 1, 1, 0), clock=ManualClock()),
        lambda: FixedCycle(CycleConfig(1, 1, edge=0), clock=ManualClock()),
        lambda: Limiter("10/day").update("10/day aligned"),
    ):
        with pytest.raises(ConfigError) as caught:
            build()
        assert caught.value.code == "aligned_requires_wall_clock"
    with pytest.raises(TypeError, match="clock.*not int"):
        Limiter("10/day", clock=5)  # type: ignore[arg-type]


def test_a_bucket_holds_up_to_eight_bandwidths_and_a_limiter_32() -> None:
    bandwidths = [Bandwidth.per(n + 1, 1) for n in range(33)]
    assert len(TokenBucket(*bandwidths[:8]).bandwidths) == 8
    assert len(Limiter(bandwidths[:32]).limits) == 32
    for build in (lambda: TokenBucket(*bandwidths[:9]), lambda: Limiter(bandwidths)):
        with pytest.raises(ConfigError) as caught:
            build()
        assert caught.value.code == "too_many_bandwidths"


CONFIGURATIONS = [
    Bandwidth.per(7, 1),
    Bandwidth.interval(10, 5, 0.5).with_initial_tokens(3).with_id("name"),
    Bandwidth.aligned(10, 5, 60, 120).with_id(7),
    Bandwidth.adaptive(10, 5, 60, 120),
    CycleConfig(10, 60),
    CycleConfig(10, 60, timeout=1.5, edge=30),
    Limits("burst: 100/s burst 200; cycle 500/min aligned; 10/day adaptive"),
    LevelSnapshot(-5, 3, -7),
    MonotonicClock(),
    SystemClock(),
]


@pytest.mark.parametrize("value", CONFIGURATIONS, ids=repr)
def test_configurations_are_picklable_and_their_repr_makes_them_again(value: Any) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        same = pickle.loads(pickle.dumps(value, protocol))
        assert repr(same) == repr(value)
    if not isinstance(value, (MonotonicClock, SystemClock)):
        assert same == value
        assert hash(same) == hash(value)
        assert copy.deepcopy(value) == value
        assert value != "another"
    assert repr(eval(repr(value))) == repr(value)


def test_errors_carry_a_code_and_are_picklable() -> None:
    with pytest.raises(RateLimited) as caught:
        TokenBucket(Bandwidth.per(1, 1), clock=ManualClock()).reserve(3, max_wait=1)
    error = caught.value
    assert (error.code, error.retry_after, error.retry_after_ns) == ("not_in_time", 2.0, 2 * SECOND)
    same = pickle.loads(pickle.dumps(error))
    assert (str(same), vars(same)) == (str(error), vars(error))
    with pytest.raises(RateLimited) as caught:
        FixedCycle(CycleConfig(2, 1), clock=ManualClock()).reserve(3)
    assert caught.value.never
    assert (caught.value.limit, caught.value.remaining) == (2, 2)
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), TokenweirError)


def test_a_reservation_that_cannot_be_counted_is_its_own_error() -> None:
    bucket = TokenBucket(Bandwidth.per(1, 1), clock=ManualClock())
    bucket.acquire_ignoring_limits(2**33)
    with pytest.raises(ReservationError) as caught:
        bucket.acquire_ignoring_limits(2**62)
    assert caught.value.code == "reservation_overflow"
    with pytest.raises(ReservationError) as caught:
        bucket.reserve(max_wait=0)
    assert caught.value.code == "non_positive_wait"


def test_a_snapshot_that_does_not_fit_is_an_error() -> None:
    limit = Bandwidth.per(1, period_ns=10)
    for snapshot, code in [
        ([], "snapshot_bandwidth_count"),
        ([LevelSnapshot(0, 10, 0)], "snapshot_remainder"),
        ([LevelSnapshot(0, 0, -1)], "snapshot_last_refill"),
    ]:
        with pytest.raises(StateError) as caught:
            TokenBucket.restore([limit], snapshot)
        assert caught.value.code == code


def test_a_rate_is_the_simplest_ratio_that_rounds_to_it() -> None:
    assert Bandwidth.from_rate(0.1, 5) == Bandwidth.greedy(5, 1, 10)
    assert Bandwidth.from_rate(2.5, 10) == Bandwidth.greedy(10, 1, 0.4)
    assert Bandwidth.from_rate(1 / 3, 1) == Bandwidth.per(1, 3)
    assert Bandwidth.from_rate(10, 20) == Bandwidth.greedy(20, 1, 0.1)
    for rate in (0, -1, math.nan, math.inf):
        with pytest.raises(ConfigError, match="a rate of"):
            Bandwidth.from_rate(rate, 1)
    with pytest.raises(ConfigError) as caught:
        Bandwidth.from_rate(1, 0)
    assert caught.value.code == "non_positive_capacity"
    with pytest.raises(TypeError):
        Bandwidth.from_rate("1", 1)  # type: ignore[arg-type]


# A wait of 2**63 - 1 is never.
@given(st.integers(1, 2**63 - 2))
def test_a_wait_in_seconds_is_never_too_short(nanoseconds: int) -> None:
    clock = ManualClock()
    bucket = TokenBucket(Bandwidth.per(1, period_ns=nanoseconds), clock=clock)
    assert bucket.try_acquire()
    seconds = bucket.peek().retry_after
    assert seconds is not None
    clock.advance(seconds)
    assert bucket.try_acquire()


def test_clocks_move_as_they_are_told() -> None:
    clock = ManualClock(5, wall=True)
    clock.advance(1.5)
    clock.advance(timedelta(milliseconds=1))
    clock.advance_ns(1)
    assert clock.now_ns == 1_501_000_006
    clock.set_ns(3)
    assert (clock.now_ns, clock.is_wall, repr(clock)) == (3, True, "ManualClock(3, wall=True)")
    with pytest.raises(DurationError) as caught:
        clock.set_ns(-1)
    assert caught.value.code == "instant_out_of_range"
    before = MonotonicClock().now_ns
    assert MonotonicClock().now_ns >= before
    assert SystemClock().now_ns > 1_600_000_000 * SECOND
