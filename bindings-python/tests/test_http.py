"""What goes into `tokenweir.http` and comes out of it, in the forms Python has."""

from __future__ import annotations

import pickle
from datetime import datetime, timedelta, timezone
from email.message import Message
from ipaddress import IPv4Address, IPv6Address

import pytest

from tokenweir import (
    AmountError,
    ConfigError,
    DurationError,
    KeyedLimiter,
    Limiter,
    ManualClock,
    check_all,
    http,
)
from tokenweir.http import ClientAddress, Policy, Quota, Received

NOW = 1_700_000_000


def test_a_decision_becomes_fields_and_a_client_who_obeys_is_served() -> None:
    clock = ManualClock()
    limiter = Limiter("10/min", clock=clock)
    policy = Policy("per-minute", 10, timedelta(minutes=1))
    limiter.acquire_up_to()
    decision = limiter.check()
    quota = Quota(
        policy, decision.remaining, decision.reset_after, retry_after=decision.retry_after
    )
    assert quota.refuses
    sent = http.fields("x-ratelimit", [quota])
    assert sent == [
        ("X-RateLimit-Limit", "10"),
        ("X-RateLimit-Remaining", "0"),
        ("X-RateLimit-Reset", "60"),
        ("Retry-After", "6"),
    ]
    wait = Received.parse(sent, NOW).advice.wait(NOW)
    assert wait == 6.0
    clock.advance(wait)
    assert limiter.try_acquire()


def test_limiters_say_how_each_of_their_limits_stands() -> None:
    clock = ManualClock()
    limiter = Limiter("burst: 10/s; 100/h", clock=clock)
    keyed = KeyedLimiter("burst: 10/s; 100/h", max_keys=10, clock=clock)
    policies = http.policies(limiter.limits, "user")
    assert [policy.name for policy in policies] == ["user burst", "user 100/h"]
    assert check_all((limiter, 10), (keyed, "me", 10))
    clock.advance(0.04)
    refused, quotas = http.check_with_quotas(limiter, scopes=["user"])
    assert (refused, quotas) == http.check_with_quotas((keyed, "me"), scopes=["user"])
    assert [quota.policy for quota in quotas] == policies
    assert [quota.refuses for quota in quotas] == [True, False]
    assert http.fields("draft", quotas)[1:] == [
        ("RateLimit", '"user burst";r=0;t=1, "user 100/h";r=90;t=36'),
        ("Retry-After", "1"),
    ]
    # Beside a limiter that decides, each says what it would say itself.
    other = Limiter("1/min", clock=clock)
    other.acquire_up_to()
    _, quotas = http.check_with_quotas((limiter, 7), other, (keyed, "new"))
    waits = [0.66, 0.0, 59.96, 0.0, 0.0]
    assert [quota.retry_after for quota in quotas] == pytest.approx(waits, abs=0.05)
    (known,) = http.quotas(refused.decision, "user")
    assert (known.policy, known.retry_after) == (policies[0], refused.decision.retry_after)
    with pytest.raises(ConfigError, match="printable ASCII"):
        http.policies(limiter.limits, "größe")
    left = limiter.available
    with pytest.raises(ConfigError, match="printable ASCII"):
        http.check_with_quotas(limiter, scopes=["größe"])
    with pytest.raises(ValueError, match="one for each subject"):
        http.check_with_quotas(limiter, scopes=["a", "b"])
    assert limiter.available == left


def test_fields_are_read_from_mappings_messages_and_pairs_of_text_or_bytes() -> None:
    message = Message()
    message["Retry-After"] = "7"
    for given in (
        {"Retry-After": "7"},
        {b"retry-after": b"7"},
        [("RETRY-AFTER", b"7")],
        [["Retry-After", "7"]],
        (pair for pair in [(b"Retry-After", "7")]),
        message.items(),
    ):
        received = Received.parse(given, NOW)
        assert (received.retry_after, received.retry_after_ns) == (7.0, 7 * 10**9)
    # What is received is never an error, also where it is no Unicode.
    assert Received.parse([("X", "\ud800"), (b"\xff", b"\xff")], NOW).advice.kind == "unknown"
    with pytest.raises(TypeError):
        Received.parse([("Retry-After", 7)], NOW)  # type: ignore[list-item]


def test_instants_are_datetimes_or_seconds_of_unix_time() -> None:
    fields = {"Retry-After": "1"}
    at = datetime.fromtimestamp(NOW, timezone.utc)
    advice = Received.parse(fields, at).advice
    assert advice == Received.parse(fields, now_ns=NOW * 10**9).advice
    assert (advice.not_before, advice.not_before_ns) == (NOW + 1, (NOW + 1) * 10**9)
    assert (advice.wait(at), advice.wait_ns(NOW + 0.5), advice.wait(NOW + 2)) == (1, 5 * 10**8, 0)
    # A part of a nanosecond is nothing to fail for, and without a time the system's is taken.
    assert Received.parse(fields, NOW + 1 / 3).advice.kind == "not_before"
    assert 0 < (Received.parse(fields).advice.wait() or 0) <= 1
    with pytest.raises(DurationError):
        Received.parse(fields, -1)
    with pytest.raises(TypeError, match="now and now_ns"):
        Received.parse(fields, NOW, now_ns=0)
    assert http.parse_date("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777


def test_waits_are_rounded_up_and_none_is_never() -> None:
    policy = Policy("p", 1)
    third = Quota(policy, 0, 1 / 3, retry_after=1 / 3)
    assert (third.reset_after_ns, third.retry_after_ns) == (333_333_334, 333_333_334)
    never = Quota(policy, 0, None, retry_after_ns=None)
    assert (never.reset_after, never.retry_after, never.refuses) == (None, None, True)
    assert (never.effective_window_seconds, never.reset_seconds) == (None, 999_999_999)
    assert http.retry_after(None) is None
    assert http.retry_after(0) is None
    assert http.retry_after(wait_ns=1) == 1
    assert http.retry_after(timedelta(seconds=1.5)) == 2
    known = Quota(policy, 0, 60, retry_after=6, effective_window=5.5)
    assert known.effective_window_seconds == 6


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Policy("p", -1), AmountError, "quota: -1"),
        (lambda: Policy("p", 2**64), AmountError, "quota: 18446744073709551616"),
        (lambda: Policy("p", 1, window_ns=-1), DurationError, "window: -1 ns"),
        (lambda: Policy("p", 1, unit="bytes"), ConfigError, "unit: \"bytes\""),  # type: ignore[arg-type]
        (lambda: Quota(Policy("p", 1), -1, 0), AmountError, "remaining: -1"),
        (lambda: Quota(Policy("p", 1), 1), TypeError, "reset_after or reset_after_ns is missing"),
        (lambda: Quota(Policy("p", 1), 1, -1), DurationError, "reset_after: -1000000000 ns"),
        (lambda: Quota(Policy("p", 1), 1, 0, reset_after_ns=0), TypeError, "the same thing"),
        (lambda: http.retry_after(), TypeError, "wait or wait_ns is missing"),
        (lambda: http.fields("drafts", []), ConfigError, "style: \"drafts\""),  # type: ignore[arg-type]
        (lambda: ClientAddress(trusted_proxies=-1), AmountError, "trusted_proxies: -1"),
        (lambda: ClientAddress(ipv6_prefix=300), ConfigError, "300 bits"),
        (lambda: ClientAddress(field="host"), ConfigError, "field: \"host\""),  # type: ignore[arg-type]
    ],
)
def test_what_is_wrong_is_named(make, error, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error, match=message):
        make()


def test_addresses_are_objects_of_ipaddress() -> None:
    rules = ClientAddress(trusted_proxies=1)
    assert rules.client("10.0.0.1", "192.0.2.1:80") == IPv4Address("192.0.2.1")
    assert rules.client("[2001:db8::1]:80") == IPv6Address("2001:db8::1")
    assert ClientAddress().client("/run/socket") is None
    assert ClientAddress().key("/run/socket") == "/run/socket"


@pytest.mark.parametrize(
    "value",
    [
        Policy("burst", 100, 60, unit="content-bytes", partition_key=b"\x00me"),
        Quota(Policy("burst", 100), 50, 30.5),
        Quota(Policy("burst", 100), 0, None, retry_after=None, effective_window=1),
        ClientAddress(trusted_proxies=2, field="forwarded", ipv6_prefix=56),
    ],
    ids=repr,
)
def test_what_is_configured_is_a_value(value: object) -> None:
    copy = pickle.loads(pickle.dumps(value))
    assert (copy, hash(copy), repr(copy)) == (value, hash(value), repr(value))
    assert type(value).__module__ == "tokenweir.http"
    assert copy != "another thing"


def test_reprs_say_what_matters() -> None:
    policy = Policy("burst", 100, 60, partition_key=b"me")
    assert repr(policy) == "Policy('burst', 100, 60, partition_key=b'me')"
    assert eval(repr(policy)) == policy
    quota = Quota(policy, 0, 60, retry_after=0.5)
    assert repr(quota) == "<Quota of 'burst': 0 of 100 left, retry after 0.5 s, full in 60 s>"
    received = Received.parse({"RateLimit": '"a";r=0;t=5', "RateLimit-Policy": '"a";q=9;qu="x"'}, 0)
    assert repr(received) == "<Received: not_before, 1 limits, 1 policies>"
    assert repr(received.limits[0]) == "<ServiceLimit 'a': 0 of None left, reset after 5.0 s>"
    assert repr(received.advice) == "<Advice not_before 5000000000 ns>"
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(received.policies[0])
