"""Every recorded fixed-cycle scenario, through the public API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from vectors import integer, load

from tokenweir import CycleConfig, FixedCycle, ManualClock, RateLimited, TokenweirError

SCENARIOS = load("resilience4j.json")
# Threads that wait are run by the tests of waiting.
WAITING_THREADS = "waiting"


def test_every_scenario_is_there() -> None:
    steps = [step for scenario in SCENARIOS for step in scenario.get("steps", ())]
    ours = [step for step in steps if step["op"] != WAITING_THREADS]
    assert (len(SCENARIOS), len(steps), len(ours)) == (506, 13_092, 13_091)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario["name"])
def test_scenario(scenario: dict[str, Any]) -> None:
    config = scenario["config"]
    steps = scenario.get("steps", [])
    start = integer(config["clock_start_ns"])
    # Steps count from construction. One recorded clock wraps as an i64, which ours must not: only the
    # distance counts.
    if any(start + integer(step["at_ns"]) >= 2**63 for step in steps):
        start = 0
    start += 2**63
    clock = ManualClock(start)
    must_fail = scenario.get("construct_error", {}).get("error")
    try:
        built = CycleConfig(
            config["limit_for_period"],
            period_ns=integer(config["limit_refresh_period_ns"]),
            timeout_ns=integer(config["timeout_ns"]),
        )
        limiter = FixedCycle(built, clock=clock)
    except TokenweirError as error:
        assert error.code == must_fail
        return
    assert must_fail is None
    for index, step in enumerate(steps):
        if step["op"] == WAITING_THREADS:
            continue
        clock.set_ns(start + integer(step["at_ns"]))
        where = f"step {index}: {json.dumps(step)}"
        before = limiter.available
        drained: list[int] = []
        answer = answered(limiter, step, drained)
        result = field(step, "result")
        if isinstance(result, dict):
            # The record names the reference's exception beside the code.
            result = {key: value for key, value in result.items() if key != "java"}
        assert answer == result, where
        if answer in (False, "-1"):
            assert limiter.available == before, f"a refusal took: {where}"
        if field(step, "available") is not None:
            assert limiter.available == field(step, "available"), where
        events = field(step, "events")
        if events is not None:
            drains = [event["n"] for event in events if event["type"] == "drained"]
            assert drained == drains, where


def field(step: dict[str, Any], key: str) -> Any:
    """`expect` holds only those fields that differ from the record."""
    return step.get("expect", {}).get(key, step.get(key))


def answered(limiter: FixedCycle, step: dict[str, Any], drained: list[int]) -> Any:
    """Performs a step and gives the answer in the form of the file."""
    try:
        return perform(limiter, step["op"], step["args"], drained)
    except RateLimited:
        return "-1"
    except TokenweirError as error:
        return {"error": error.code}


def perform(limiter: FixedCycle, op: str, args: dict[str, Any], drained: list[int]) -> Any:
    match op:
        case "acquire":
            return limiter.try_acquire(args["n"])
        case "reserve":
            return str(limiter.reserve(args["n"]).wait_ns)
        case "call":
            # A guarded call: acquire, run, and drain if the outcome asks for it.
            if not limiter.try_acquire(args["n"]):
                return "rejected"
            outcome: str = args["outcome"]
            if outcome.startswith("drain_"):
                drained.append(limiter.drain())
            return outcome.removeprefix("drain_")
        case "on_error":
            if args["drain"]:
                drained.append(limiter.drain())
            return None
        case "drain":
            drained.append(limiter.drain())
            return None
        case "change_limit":
            return limiter.change_limit(args["limit_for_period"])
        case "change_timeout":
            return limiter.change_timeout(timeout_ns=integer(args["timeout_ns"]))
        case "available":
            return limiter.available
        case "nanos_to_wait":
            # The file writes "never" as one more than the largest number.
            wait = limiter.wait_ns()
            return str(2**63 if wait is None else wait)
        case "cycle":
            return str(limiter.cycle)
        case "config":
            config = limiter.config
            return {
                "limit_for_period": config.limit,
                "limit_refresh_period_ns": str(config.period_ns),
                "timeout_ns": str(config.timeout_ns),
            }
        case other:
            raise AssertionError(other)
