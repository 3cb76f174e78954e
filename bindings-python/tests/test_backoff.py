"""Back-off in seconds, and as a value."""

from __future__ import annotations

import pickle
import random
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from tokenweir import AmountError, Backoff, ConfigError, DurationError, GiveUp, Retry
from tokenweir.http import Received

NOW = 1_700_000_000


def test_intervals_grow_to_a_maximum_and_the_server_is_listened_to() -> None:
    backoff = Backoff(0.5, 1.5, max=10, jitter="equal", max_retries=3, budget=timedelta(seconds=30))
    retry = Retry(backoff)
    bits = 2**64 - 1
    assert retry.next_delay(0, random=bits) == 0.5
    assert retry.next_delay(0.6, retry_after=6, random=bits) == 6.0
    with pytest.raises(GiveUp, match=r"66.7 s after the first, at most 30 s") as given_up:
        retry.next_delay(6.7, retry_after=60, random=bits)
    assert given_up.value.code == "retry_budget_exhausted"
    assert retry.next_delay(6.7, random=0) == 0.5625
    assert retry.retries == 3
    with pytest.raises(GiveUp, match="all 3 retries"):
        retry.next_delay()
    assert [backoff.interval(attempt) for attempt in (1, 2, 3, 100)] == [0.5, 0.75, 1.125, 10.0]
    assert backoff.interval_ns(2) == 750_000_000
    assert backoff.jittered_ns(11, 0) == 6


def test_a_retry_after_that_cannot_be_read_leaves_it_to_the_back_off() -> None:
    backoff = Backoff(0.4)

    def delay(value: str) -> float:
        wait = Received.parse({"Retry-After": value}, NOW).advice.wait(NOW)
        return Retry(backoff).next_delay(retry_after=wait)

    assert (delay("soon"), delay("1")) == (0.4, 1.0)
    # A date in the past asks for nothing, which is no reason to hurry.
    assert delay("Thu, 01 Jan 1970 00:00:00 GMT") == 0.4
    with pytest.raises(GiveUp, match="wait of never") as given_up:
        delay("9223372037")
    assert given_up.value.code == "retry_after_too_long"
    with pytest.raises(GiveUp, match=r"wait of 2 s, at most 1 s are allowed"):
        Retry(Backoff(1, longest_retry_after=1)).next_delay(retry_after=2)


def test_random_bits_are_of_the_module_random_unless_given() -> None:
    backoff = Backoff(1, jitter="full")
    random.seed(7)
    expected = Retry(backoff).next_delay_ns(random=random.getrandbits(64))
    random.seed(7)
    assert Retry(backoff).next_delay_ns() == expected


@pytest.mark.parametrize("multiplier", [1.5, "1.5", "3/2", Fraction(3, 2), Decimal("1.5")])
def test_a_multiplier_is_exact_in_any_form(multiplier: Any) -> None:
    assert Backoff(1, multiplier).interval_ns(2) == 1_500_000_000


def test_jitter_is_a_word_or_a_share() -> None:
    quarter = Backoff(8, jitter=0.25)
    assert quarter.jittered_ns(80, 0) == 60
    assert quarter.jittered_ns(80, 2**64 - 1) == 100
    # A small float is not read with an exponent.
    assert Backoff(8, jitter=0.00001).jittered_ns(10**6, 0) == 10**6 - 10


@pytest.mark.parametrize(
    ("make", "error", "code", "message"),
    [
        (lambda: Backoff(0), ConfigError, "non_positive_initial_interval", "first interval"),
        (lambda: Backoff(-1), DurationError, "not_a_duration", "initial: -1000000000 ns"),
        (lambda: Backoff(float("nan")), DurationError, "not_a_duration", "NaN"),
        (lambda: Backoff(1, -2.0), ConfigError, "ratio_syntax", 'multiplier: "-2"'),
        (lambda: Backoff(1, jitter="half"), ConfigError, "unknown_jitter", 'jitter: "half"'),
        (lambda: Backoff(1, max=0), ConfigError, "non_positive_max_interval", "longest interval"),
        (lambda: Backoff(1, max_retries=-1), AmountError, "count_out_of_range", "max_retries: -1"),
        (lambda: Backoff(1).interval(0), ConfigError, "non_positive_attempt", "attempt"),
        (lambda: Retry(Backoff(1)).next_delay(random=2**64), AmountError, "count_out_of_range", "random: "),
        (lambda: Retry(Backoff(1)).next_delay(-1), DurationError, "not_a_duration", "elapsed: "),
    ],
)
def test_what_is_wrong_is_named(make: Any, error: Any, code: str, message: str) -> None:
    with pytest.raises(error, match=message) as refused:
        make()
    assert refused.value.code == code


def test_arguments_of_another_kind_are_refused() -> None:
    with pytest.raises(TypeError, match="initial or initial_ns is missing"):
        Backoff()
    with pytest.raises(TypeError, match="initial and initial_ns"):
        Backoff(1, initial_ns=1)
    with pytest.raises(TypeError):
        Backoff("1")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Retry(1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "backoff",
    [
        Backoff(0.5),
        Backoff(0.5, "3/2", max=10, jitter=0.5, max_retries=3, budget=30, longest_retry_after=5),
    ],
    ids=repr,
)
def test_a_backoff_is_a_value(backoff: Backoff) -> None:
    copy = pickle.loads(pickle.dumps(backoff))
    assert (copy, hash(copy)) == (backoff, hash(backoff))
    assert eval(repr(backoff)) == backoff
    assert backoff != Backoff(0.5, 2)
    assert repr(Retry(backoff)) == "<Retry: 0 retries so far>"
