"""Every case of tests/vectors/http.json, which all languages run, through the public API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from vectors import FOLDER

from tokenweir import Backoff, GiveUp, Limiter, ManualClock, Retry, TokenweirError, check_all
from tokenweir.http import (
    STYLES,
    TOO_MANY_REQUESTS,
    Advice,
    ClientAddress,
    Policy,
    Quota,
    Received,
    fields,
    parse_date,
    parse_date_ns,
    problem,
)

FILE: dict[str, Any] = json.loads((FOLDER / "http.json").read_text())
NOW = 1_700_000_000 * 10**9


def section(name: str, count: int) -> list[Any]:
    """The cases of a section: a file that lost some changes the count."""
    assert FILE["format"] == "tokenweir-http/1"
    cases: list[Any] = FILE[name]
    assert len(cases) == count, name
    return cases


def number(value: str | None) -> int | None:
    return None if value is None else int(value)


def wait(value: str | None) -> int | None:
    """Nanoseconds, 0 if absent; None for never."""
    return None if value == "never" else int(value or 0)


def code_of(make: Any) -> str | None:
    try:
        make()
    except TokenweirError as error:
        assert isinstance(error, ValueError)
        return error.code
    return None


def test_every_section_is_run() -> None:
    # The milliseconds of timers are of languages whose timers take them.
    assert set(FILE) - {"format", "about", "timers"} == {
        "styles",
        "policy_errors",
        "fields",
        "services",
        "advice",
        "malformed",
        "dates",
        "addresses",
        "address_errors",
        "backoff",
        "backoff_errors",
    }


def test_styles_have_names() -> None:
    assert list(STYLES) == FILE["styles"]["known"]
    for name in FILE["styles"]["unknown"]:
        assert code_of(lambda name=name: fields(name, [])) == FILE["styles"]["code"]
    assert all(fields(name, []) == [] for name in STYLES)


@pytest.mark.parametrize("case", section("policy_errors", 8), ids=repr)
def test_a_policy_that_cannot_be_sent_is_refused(case: dict[str, Any]) -> None:
    window = number(case.get("window_ns"))
    assert code_of(lambda: Policy(case["name"], 1, window_ns=window)) == case.get("code")


def quota(given: dict[str, Any]) -> Quota:
    key = given.get("partition_key_hex")
    policy = Policy(
        given["name"],
        int(given["quota"]),
        window_ns=number(given.get("window_ns")),
        unit=given.get("unit", "requests"),
        partition_key=None if key is None else bytes.fromhex(key),
    )
    remaining, reset = int(given["remaining"]), wait(given.get("reset_ns"))
    refused = wait(given.get("retry_after_ns"))
    if "effective_window_ns" not in given:
        return Quota(policy, remaining, reset_after_ns=reset, retry_after_ns=refused)
    return Quota(
        policy,
        remaining,
        reset_after_ns=reset,
        retry_after_ns=refused,
        effective_window_ns=wait(given["effective_window_ns"]),
    )


def check(expected: dict[Any, list[list[str]]], quotas: list[Quota]) -> int:
    """Compares the fields of each style named, and returns how many these are."""
    for style, pairs in expected.items():
        assert [list(pair) for pair in fields(style, quotas)] == pairs, style
    return len(expected)


def test_fields_are_sent_as_written() -> None:
    styles = 0
    for case in section("fields", 21):
        quotas = [quota(given) for given in case["quotas"]]
        styles += check(case["expect"], quotas)
        if "problem" in case:
            body = problem(quotas, case.get("detail"))
            assert body == case["problem"], case["name"]
            assert json.loads(body).get("detail") == case.get("detail")
    assert styles == 49


def test_a_service_seen_from_outside() -> None:
    requests = compared = 0
    for service in section("services", 3):
        clock = ManualClock()
        limits = service["limits"]
        policies = [
            Policy(limit["name"], int(limit["capacity"]), window_ns=int(limit["period_ns"]))
            for limit in limits
        ]
        limiters = [
            Limiter(
                f"{limit['tokens']}/{limit['period_ns']}ns burst {limit['capacity']}", clock=clock
            )
            for limit in limits
        ]
        for step in service["steps"]:
            clock.set_ns(int(step["at_ns"]))
            cost = int(step["cost"])
            quotas: list[Quota] = []
            for _ in range(step.get("repeat", 1)):
                waits = [limiter.peek(cost).retry_after_ns for limiter in limiters]
                allowed = check_all(*((limiter, cost) for limiter in limiters)).allowed
                assert step["status"] == (200 if allowed else TOO_MANY_REQUESTS)
                quotas = [
                    Quota(
                        policy,
                        max(limiter.available, 0),
                        reset_after_ns=limiter.time_to_full_ns,
                        retry_after_ns=refused,
                    )
                    for policy, limiter, refused in zip(policies, limiters, waits, strict=True)
                ]
                requests += 1
            compared += check(step.get("expect", {}), quotas)
    assert (requests, compared) == (35, 29)


def written(advice: Advice) -> str:
    if advice.kind == "not_before":
        return str(advice.not_before_ns)
    assert advice.not_before_ns is None
    return advice.kind


def text(value: int | None) -> str | None:
    return None if value is None else str(value)


@pytest.mark.parametrize("case", section("advice", 69), ids=lambda case: case["name"])
def test_advice_is_what_the_fields_say(case: dict[str, Any]) -> None:
    received = Received.parse(case["fields"], now_ns=int(case["now_ns"]))
    assert written(received.advice) == case["advice"]
    ours: dict[str, Any] = {
        "retry_after_ns": text(received.retry_after_ns),
        "policies": [
            {
                "name": policy.name,
                "quota": text(policy.quota),
                "window_seconds": text(policy.window_seconds),
                "unit": policy.unit,
            }
            for policy in received.policies
        ],
        "limits": [
            {
                "name": limit.name,
                "limit": text(limit.limit),
                "remaining": text(limit.remaining),
                "reset_ns": text(limit.reset_after_ns),
            }
            for limit in received.limits
        ],
    }
    assert {key: ours[key] for key in ours if key in case} == {
        key: case[key] for key in ours if key in case
    }


def test_a_malformed_value_is_as_if_it_were_absent() -> None:
    count = 0
    for field, values in FILE["malformed"].items():
        for value in values:
            octets = bytes.fromhex(value[4:]) if value.startswith("hex:") else value.encode()
            sent: list[tuple[str, str | bytes]] = [(field, octets)]
            if field.endswith("Reset"):
                sent.append((field.removesuffix("Reset") + "Remaining", "0"))
            received = Received.parse(sent, now_ns=NOW)
            assert received.advice.kind == "unknown", (field, value)
            assert received.retry_after is None
            count += 1
    assert count == 78


@pytest.mark.parametrize("case", section("dates", 54), ids=lambda case: repr(case["text"]))
def test_dates_are_read_in_three_forms_and_no_other(case: dict[str, Any]) -> None:
    instant = parse_date_ns(case["text"], now_ns=int(case["now_ns"]))
    assert text(instant) == case["unix_ns"]
    seconds = parse_date(case["text"], now_ns=int(case["now_ns"]))
    assert seconds == (None if instant is None else instant / 10**9)


def rules(case: dict[str, Any]) -> ClientAddress:
    names = ("trusted_proxies", "field", "ipv6_prefix")
    return ClientAddress(**{name: case[name] for name in names if name in case})


@pytest.mark.parametrize("case", section("addresses", 48), ids=lambda case: case["name"])
def test_an_address_gives_one_key(case: dict[str, Any]) -> None:
    assert rules(case).key(case["peer"], case["lines"]) == case["key"]


@pytest.mark.parametrize("case", section("address_errors", 8), ids=repr)
def test_rules_out_of_range_are_refused(case: dict[str, Any]) -> None:
    assert code_of(lambda: rules(case)) == case.get("code")


def backoff(case: dict[str, Any]) -> Backoff:
    return Backoff(
        initial_ns=int(case["initial"]),
        multiplier=case.get("multiplier", 1),
        max_ns=number(case.get("max")),
        jitter=case.get("jitter", "none"),
        max_retries=case.get("max_retries"),
        budget_ns=number(case.get("budget")),
        longest_retry_after_ns=number(case.get("longest_retry_after")),
    )


def test_each_try_is_delayed_or_given_up() -> None:
    tries = 0
    for case in section("backoff", 15):
        retry = Retry(backoff(case))
        planned = 0
        for step in case["tries"]:
            arguments: dict[str, Any] = {
                "elapsed_ns": int(step["elapsed"]),
                "random": int(step.get("random", 0)),
                "retry_after_ns": wait(step.get("retry_after")),
            }
            if "delay" in step:
                assert str(retry.next_delay_ns(**arguments)) == step["delay"], case["name"]
                planned += 1
            else:
                with pytest.raises(GiveUp) as given_up:
                    retry.next_delay(**arguments)
                assert given_up.value.code == step["give_up"], case["name"]
            assert retry.retries == planned
            tries += 1
    assert tries == 51


@pytest.mark.parametrize("case", section("backoff_errors", 17), ids=repr)
def test_a_backoff_out_of_range_is_refused(case: dict[str, Any]) -> None:
    assert code_of(lambda: backoff(case)) == case["code"]
