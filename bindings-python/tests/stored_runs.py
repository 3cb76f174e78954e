"""Runs recorded scenarios on keys of a store."""

from __future__ import annotations

import json
from typing import Any

import test_bucket_vectors as buckets
import test_cycle_vectors as cycles
from stored_key import Cell, StoredCycle, StoredKey
from vectors import integer, optional, shift_for

from tokenweir import Bandwidth, CycleConfig, Limits, ManualClock
from tokenweir.stored import Command, Desired, step


def run_bucket(scenario: dict[str, Any], cell: Cell) -> int:
    """Returns how many steps were run; 0 for limits that must be refused."""
    steps = [step for step in scenario.get("steps", []) if step["op"] != buckets.FOREIGN_BYTES]
    start = integer(scenario["start_ns"])
    shift = shift_for([start, *(integer(step["at_ns"]) for step in steps)])
    if scenario.get("expect_error", scenario.get("construction_error")) is not None:
        return 0  # No limits, no key: that is tested where limits are made.
    clock = ManualClock(start + shift, wall=True)
    limits = Limits(*buckets.limits(scenario["config"]["bandwidths"], shift))
    key: Any = StoredKey(limits, clock, cell)
    for index, step in enumerate(steps):
        clock.set_ns(integer(step["at_ns"]) + shift)
        before = cell.get()
        answer = buckets.answered(key, step, shift)
        expected = buckets.held(step.get("expect", step["result"]))
        assert answer == expected, f"step {index}: {json.dumps(step)}"
        if buckets.is_refusal(answer):
            assert cell.get() == before, f"step {index}: a refusal wrote"
    return len(steps)


def run_cycle(scenario: dict[str, Any], cell: Cell) -> int:
    """As ``run_bucket``."""
    config = scenario["config"]
    if "construct_error" in scenario:
        return 0
    # A store does not know the number of the cycle, and has no threads that wait.
    steps = [step for step in scenario["steps"] if step["op"] not in ("cycle", cycles.WAITING_THREADS)]
    start = integer(config["clock_start_ns"])
    # Steps count from construction. One recorded clock wraps as an i64, which ours must not: only the
    # distance counts.
    if any(start + integer(step["at_ns"]) >= 2**63 for step in steps):
        start = 0
    start += 2**63
    clock = ManualClock(start, wall=True)
    built = CycleConfig(
        config["limit_for_period"],
        period_ns=integer(config["limit_refresh_period_ns"]),
        timeout_ns=integer(config["timeout_ns"]),
    )
    key: Any = StoredCycle(built, clock, cell)
    for index, step in enumerate(steps):
        clock.set_ns(start + integer(step["at_ns"]))
        where = f"step {index}: {json.dumps(step)}"
        answer = cycles.answered(key, step, [])
        result = cycles.field(step, "result")
        if isinstance(result, dict):
            # The record names the reference's exception beside the code.
            result = {name: value for name, value in result.items() if name != "java"}
        assert answer == result, where
        if cycles.field(step, "available") is not None:
            assert key.available == cycles.field(step, "available"), where
    return len(steps)


def run_remote(scenario: dict[str, Any], cell: Cell) -> int:
    """The rules of stored configurations."""
    for at in scenario["steps"]:
        args = at["args"]
        limits = [
            Bandwidth.greedy(
                integer(bandwidth["capacity"]),
                integer(bandwidth["refill"]["tokens"]),
                period_ns=integer(bandwidth["refill"]["period_ns"]),
            )
            for bandwidth in args["bandwidths"]
        ]
        inheritance = buckets.STRATEGIES[args.get("strategy") or "AS_IS"]
        version = optional(args.get("desired_version"))
        desired = Desired(*limits, version=version, inheritance=inheritance)
        result = step(cell.get(), desired, integer(at["at_ns"]), command(args))
        if result.write is not None:
            cell.put(result.write.bytes, result.write.keep_ms)
        answer = {
            "value": value(args["op"], result.outcome),
            "stored_version": None if result.version is None else str(result.version),
            "stored_capacity": str(min(result.limits.quotas)),
            "stored_consumed_total": str(result.consumed),
        }
        assert answer == at.get("expect", at["result"]), json.dumps(at)
    return len(scenario["steps"])


def command(args: dict[str, Any]) -> Command:
    match args["op"]:
        case "try_consume" | "try_consume_and_return_remaining":
            return Command.check(integer(args["n"]))
        case "consume_ignoring_rate_limits":
            return Command.acquire_ignoring_limits(integer(args["n"]))
        case "get_available_tokens":
            return Command.statuses()
        case other:
            raise AssertionError(other)


def value(op: str, outcome: Any) -> Any:
    match op:
        case "try_consume":
            return outcome.allowed
        case "try_consume_and_return_remaining":
            return {
                "consumed": outcome.allowed,
                "remaining": str(outcome.remaining),
                "wait_refill_ns": str(outcome.retry_after_ns),
                "wait_reset_ns": str(outcome.reset_after_ns),
            }
        case "consume_ignoring_rate_limits":
            return str(outcome)
        case _:
            return str(min(status.available for status in outcome))


__all__ = ["run_bucket", "run_cycle", "run_remote"]
