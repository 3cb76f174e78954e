"""Every recorded bucket scenario, through the public API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from vectors import NEVER, integer, load, optional, shift_for

from tokenweir import (
    Bandwidth,
    ConfigError,
    LevelSnapshot,
    ManualClock,
    RateLimited,
    Reservation,
    TokenBucket,
    TokensInheritance,
    TokenweirError,
)

SCENARIOS = load("bucket4j.json")
STRATEGIES = {
    "AS_IS": TokensInheritance.AS_IS,
    "PROPORTIONALLY": TokensInheritance.PROPORTIONAL,
    "ADDITIVE": TokensInheritance.ADDITIVE,
    "RESET": TokensInheritance.RESET,
}
FOREIGN_BYTES = "remote_state_hex"


def is_remote(scenario: dict[str, Any]) -> bool:
    return "config" not in scenario


def test_every_scenario_is_there() -> None:
    local = [scenario for scenario in SCENARIOS if not is_remote(scenario)]
    steps = [step for scenario in local for step in scenario.get("steps", ())]
    ours = [step for step in steps if step["op"] != FOREIGN_BYTES]
    assert (len(SCENARIOS), len(local), len(steps), len(ours)) == (866, 863, 18_928, 18_925)


@pytest.mark.parametrize(
    "scenario",
    [scenario for scenario in SCENARIOS if not is_remote(scenario)],
    ids=lambda scenario: scenario["name"],
)
def test_scenario(scenario: dict[str, Any]) -> None:
    steps = scenario.get("steps", [])
    start = integer(scenario["start_ns"])
    shift = shift_for([start, *(integer(step["at_ns"]) for step in steps)])
    must_fail = scenario.get("expect_error", scenario.get("construction_error"))
    # The reference checks the clock when a bucket is built and not when its limits are replaced; we do
    # both. So a scenario that is to succeed has a clock that fits all it does.
    wall = scenario["clock"] == "wall" or must_fail is None
    clock = ManualClock(start + shift, wall=wall)
    try:
        bucket = TokenBucket(*limits(scenario["config"]["bandwidths"], shift), clock=clock)
    except TokenweirError as error:
        assert error.code == must_fail
        return
    assert must_fail is None
    for index, step in enumerate(steps):
        if step["op"] == FOREIGN_BYTES:
            continue
        clock.set_ns(integer(step["at_ns"]) + shift)
        before = bucket.snapshot()
        answer = answered(bucket, step, shift)
        expected = held(step.get("expect", step["result"]))
        assert answer == expected, f"step {index}: {json.dumps(step)}, before: {before}"
        if is_refusal(answer):
            assert bucket.snapshot() == before, f"step {index}: a refusal changed it"
    if "final_expect" in scenario:
        check_end(bucket, scenario["final_expect"], shift)


def check_end(bucket: TokenBucket, expected: list[dict[str, str]], shift: int) -> None:
    snapshot = bucket.snapshot()
    assert [
        {
            "last_refill_ns": str(level.last_refill_ns - shift),
            "tokens": str(level.tokens),
            "remainder": str(level.remainder),
        }
        for level in snapshot
    ] == held(expected)
    same = [LevelSnapshot(s.tokens, s.remainder, s.last_refill_ns) for s in snapshot]
    restored = TokenBucket.restore(bucket.bandwidths, same, clock=bucket.clock)
    assert restored.snapshot() == snapshot


def limits(bandwidths: list[dict[str, Any]], shift: int) -> list[Bandwidth]:
    return [limit(bandwidth, shift) for bandwidth in bandwidths]


def limit(bandwidth: dict[str, Any], shift: int) -> Bandwidth:
    refill = bandwidth["refill"]
    capacity, tokens = integer(bandwidth["capacity"]), integer(refill["tokens"])
    period: dict[str, int]
    if "period_s" in refill:
        period = {"period": integer(refill["period_s"])}
    else:
        period = {"period_ns": integer(refill["period_ns"])}
    first = optional(refill.get("first_refill_ns"))
    if "first_refill_ms" in refill:
        first = integer(refill["first_refill_ms"]) * 1_000_000
    if first is not None and first >= 0:
        first += shift
    match refill["style"]:
        case "greedy":
            built = Bandwidth.greedy(capacity, tokens, **period)
        case "intervally":
            built = Bandwidth.interval(capacity, tokens, **period)
        case "intervally_aligned":
            built = Bandwidth.aligned(capacity, tokens, **period, first_refill_ns=first)
        case "intervally_aligned_adaptive":
            built = Bandwidth.adaptive(capacity, tokens, **period, first_refill_ns=first)
        case other:
            raise AssertionError(other)
    initial = optional(bandwidth.get("initial_tokens"))
    if initial is not None:
        built = built.with_initial_tokens(initial)
    if bandwidth.get("id") is not None:
        built = built.with_id(bandwidth["id"])
    return built


def answered(bucket: TokenBucket, step: dict[str, Any], shift: int) -> Any:
    """Performs a step and gives the answer in the form of the file."""
    try:
        return perform(bucket, step["op"], step["args"], shift)
    except TokenweirError as error:
        return {"error": error.code}


def perform(bucket: TokenBucket, op: str, args: dict[str, Any], shift: int) -> Any:
    def number(key: str) -> int:
        return integer(args[key])

    def verbose(value: Any) -> dict[str, Any]:
        return {
            "value": value,
            "per_bandwidth": [str(tokens) for tokens in bucket.available_of_each],
            "full_refill_ns": wait(bucket.time_to_full_ns),
        }

    match op:
        case "try_consume":
            return bucket.try_acquire(number("n"))
        case "try_consume_and_return_remaining":
            probe = bucket.check(number("n"))
            return {
                "consumed": probe.allowed,
                "remaining": str(probe.remaining),
                "wait_refill_ns": wait(probe.retry_after_ns),
                "wait_reset_ns": wait(probe.reset_after_ns),
            }
        case "estimate_ability_to_consume":
            estimate = bucket.peek(number("n"))
            return {
                "can_be_consumed": estimate.allowed,
                "remaining": str(estimate.remaining),
                "wait_refill_ns": wait(estimate.retry_after_ns),
            }
        case "try_consume_as_much_as_possible":
            if "limit" in args:
                return str(bucket.acquire_up_to(number("limit")))
            return str(bucket.acquire_up_to())
        case "consume_ignoring_rate_limits":
            return str(bucket.acquire_ignoring_limits_ns(number("n")))
        case "add_tokens":
            return bucket.refund(number("n"))
        case "force_add_tokens":
            return bucket.force_add(number("n"))
        case "reset":
            return bucket.reset()
        case "get_available_tokens":
            return str(bucket.available)
        case "verbose_available_tokens":
            return verbose(str(bucket.available))
        case "verbose_try_consume":
            return verbose(bucket.try_acquire(number("n")))
        case "blocking_try_consume":
            try:
                reservation = bucket.reserve(number("n"), max_wait_ns=number("max_wait_ns"))
            except RateLimited:
                return {"acquired": False, "park_ns": "0"}
            return {"acquired": True, "park_ns": str(reservation.wait_ns)}
        case "blocking_try_consume_interrupted":
            # The interruption is the caller's affair: the tokens stay taken.
            bucket.reserve(number("n"), max_wait_ns=number("max_wait_ns"))
            return {"error": "interrupted"}
        case "blocking_consume":
            park = bucket.acquire_ignoring_limits_ns(number("n"))
            return {"acquired": True, "park_ns": str(park)}
        case "scheduler_try_consume":
            longest = number("max_wait_ns")
            try:
                if longest <= 0:
                    # The reference checks the wait before the amount.
                    bucket.reserve(max_wait_ns=longest)
                return future(bucket.reserve(number("n"), max_wait_ns=longest).wait_ns)
            except RateLimited:
                return {"future": "rejected", "delay_ns": "0"}
        case "scheduler_consume":
            return future(bucket.acquire_ignoring_limits_ns(number("n")))
        case "replace_configuration":
            new = limits(args["bandwidths"], shift)
            return bucket.update(*new, inheritance=STRATEGIES[args["strategy"]])
        case "ttl_millis":
            return str(time_to_live(bucket, args))
        case other:
            raise AssertionError(other)


def time_to_live(bucket: TokenBucket, args: dict[str, Any]) -> int:
    """How long a store keeps the state: until it is full, in milliseconds rounded up."""
    millis = int(args.get("millis") or 0)
    match args["strategy"]:
        case "none":
            return -1
        case "fixed":
            return millis
        case "based_on_refill":
            full = bucket.time_to_full_ns
            full_millis = -(-(NEVER if full is None else full) // 1_000_000)
            return min(max(millis + full_millis, 1), NEVER)
        case other:
            raise AssertionError(other)


def future(wait_ns: int) -> dict[str, str]:
    return {"future": "pending" if wait_ns else "done", "delay_ns": str(wait_ns)}


def wait(wait_ns: int | None) -> str:
    """The file writes "never" as the largest number."""
    return str(NEVER if wait_ns is None else wait_ns)


def held(expected: Any) -> Any:
    """An answer as 64-bit tokens hold it: one scenario scales a debt to -2**125 tokens."""
    match expected:
        case str() if expected.lstrip("-").isdigit():
            return str(max(int(expected), -(2**63)))
        case list():
            return [held(item) for item in expected]
        case dict():
            return {key: held(value) for key, value in expected.items()}
        case _:
            return expected


def is_refusal(answer: Any) -> bool:
    if not isinstance(answer, dict):
        return answer is False
    return (
        answer.get("error", "interrupted") != "interrupted"
        or answer.get("consumed") is False
        or answer.get("acquired") is False
        or answer.get("future") == "rejected"
    )


def test_a_reservation_belongs_to_its_bucket() -> None:
    clock = ManualClock()
    first, second = (TokenBucket(Bandwidth.per(1, 1), clock=clock) for _ in range(2))
    reservation: Reservation = first.reserve(3)
    with pytest.raises(ValueError, match="another limiter"):
        second.cancel(reservation)
    assert first.cancel(reservation)
    assert not reservation.cancel()
    assert first.available == 1


def test_a_replacement_needs_the_clock_that_a_new_bucket_needs() -> None:
    bucket = TokenBucket(Bandwidth.per(1, 1), clock=ManualClock())
    with pytest.raises(ConfigError) as caught:
        bucket.update(Bandwidth.aligned(1, 1, 60, 0))
    assert caught.value.code == "aligned_requires_wall_clock"
    assert bucket.bandwidths == (Bandwidth.per(1, 1),)
