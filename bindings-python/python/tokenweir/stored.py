"""Limits in a store: state as bytes, and commands on it as a pure function.

A store adapter reads the bytes of a key, calls ``step``, and writes what comes back, if anything does; how
it makes sure that nobody wrote in between is its affair. ``tokenweir.stores`` does all that; this module is
what it is made of.

>>> from tokenweir.stored import Command, Desired, step
>>> desired = Desired("2/s; 100/day")
>>> first = step(None, desired, 0, Command.check(2))
>>> first.outcome.allowed, first.write.time_to_live_ms
(True, 1728000)
>>> second = step(first.write.bytes, desired, 999_999_999, Command.check(2))
>>> second.outcome.allowed, second.write
(False, None)
"""

from __future__ import annotations

from tokenweir._native import (
    COMPARE_AND_SET_LUA,
    MARGIN_MS,
    RECHECK_MS,
    SCHEMA_SQL,
    Command,
    Desired,
    LimitStatus,
    Step,
    StoredReservation,
    Write,
    hash_slot,
    step,
    step_across,
    step_batch,
)

__all__ = [
    "COMPARE_AND_SET_LUA",
    "MARGIN_MS",
    "RECHECK_MS",
    "SCHEMA_SQL",
    "Command",
    "Desired",
    "LimitStatus",
    "Step",
    "StoredReservation",
    "Write",
    "hash_slot",
    "step",
    "step_across",
    "step_batch",
]
