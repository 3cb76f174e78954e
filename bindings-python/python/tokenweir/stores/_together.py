"""One decision over several keys of a store."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenweir._native import Command, Decision
from tokenweir.errors import StoreError
from tokenweir.stores._tasks import AsyncStoredLimiter
from tokenweir.stores._threads import StoredLimiter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokenweir._native import Step
    from tokenweir.stores._base import Base
    from tokenweir.stores._line import Line

__all__ = ["JointStoredDecision", "check_together", "check_together_async", "parts_of"]


@dataclass(frozen=True)
class JointStoredDecision:
    """What the limits of several keys decided together. True if all of them allowed it."""

    subject: int
    """Which key decided, counted from 0: the one with the longest wait if it was refused, otherwise the one
    with the least left."""
    decisions: tuple[Decision, ...]
    """The decision of each key: if one is refused, nothing was taken from any, and the others say what they
    would have allowed."""

    @property
    def allowed(self) -> bool:
        """Whether every key had its cost; otherwise nothing was taken from any."""
        return all(self.decisions)

    @property
    def decision(self) -> Decision:
        """The decision of the key that decided."""
        return self.decisions[self.subject]

    @property
    def degraded(self) -> bool:
        """Whether it was made without the store."""
        return any(decision.degraded for decision in self.decisions)

    def __bool__(self) -> bool:
        return self.allowed


def check_together(
    *subjects: tuple[StoredLimiter, str] | tuple[StoredLimiter, str, int],
) -> JointStoredDecision:
    """Takes the cost of each key from all of its limits, if all keys have it; otherwise nothing anywhere.

    Each is a limiter, a key, and the cost unless it is 1: ``check_together((per_user, user), (everybody, "all"))``.
    The limiters must have the same store, and on a Redis Cluster the keys the same hash tag. If the store
    fails, each limiter's ``on_store_error`` says what it answers.
    """
    parts = parts_of(subjects, StoredLimiter)
    first: StoredLimiter = parts[0][0]
    lined = []
    for limiter, key, cost in parts:
        Command.check(cost)
        with limiter._lock:
            line = limiter._line(key)
            if line.turn is None:
                line.turn = threading.Lock()
        lined.append((line, limiter._desired, cost))
    lines = [line for line, _, _ in lined]
    with ExitStack() as turns:
        # Threads of this process take turns, in one order everywhere.
        for line in sorted(lines, key=lambda line: line.key):
            turns.enter_context(line.turn)
        try:
            plan = first._plan_across(lined)
            steps, place = first._drive(plan)
        except BaseException as error:
            first._failed(error, lines)
            if not isinstance(error, StoreError):
                raise
            return _without_store(parts, error)
    return _with_store(parts, steps, place)


async def check_together_async(
    *subjects: tuple[AsyncStoredLimiter, str] | tuple[AsyncStoredLimiter, str, int],
) -> JointStoredDecision:
    """As ``check_together``, for asyncio."""
    parts = parts_of(subjects, AsyncStoredLimiter)
    first: AsyncStoredLimiter = parts[0][0]
    lined = []
    for limiter, key, cost in parts:
        Command.check(cost)
        line = limiter._line(key)
        if line.turn is None:
            line.turn = asyncio.Lock()
        lined.append((line, limiter._desired, cost))
    lines = [line for line, _, _ in lined]
    async with AsyncExitStack() as turns:
        # Tasks take turns, in one order everywhere.
        for line in sorted(lines, key=lambda line: line.key):
            await turns.enter_async_context(line.turn)
        try:
            plan = first._plan_across(lined)
            steps, place = await first._drive(plan)
        except BaseException as error:
            first._failed(error, lines)
            if not isinstance(error, StoreError):
                raise
            return _without_store(parts, error)
    return _with_store(parts, steps, place)


def parts_of(subjects: Sequence[tuple[Any, ...]], kind: type) -> list[tuple[Any, str, int]]:
    """The limiters, keys and costs of a decision over several keys."""
    parts = []
    for subject in subjects:
        limiter, key, *rest = subject
        if not isinstance(limiter, kind):
            raise TypeError(f"a {kind.__name__} is needed, not {type(limiter).__name__}")
        parts.append((limiter, key, *rest) if rest else (limiter, key, 1))
    if not parts:
        raise ValueError("there is no key to ask about")
    if any(limiter._store is not parts[0][0]._store for limiter, _, _ in parts):
        raise ValueError("the limiters have different stores")
    keys = [key for _, key, _ in parts]
    if len(set(keys)) < len(keys):
        raise ValueError("a key is given twice")
    return parts


def _with_store(
    parts: Sequence[tuple[Any, str, int]], steps: Sequence[Step], place: int
) -> JointStoredDecision:
    """The decision of the store, which each limiter counts."""
    decisions = tuple(step.outcome for step in steps)
    for limiter, _, _ in parts:
        limiter._counts.decided(all(decisions))
    return JointStoredDecision(place, decisions)


def _without_store(
    parts: Sequence[tuple[Base, str, int]], error: StoreError
) -> JointStoredDecision:
    """A decision over several keys by the failure policies of their limiters."""
    if any(limiter._fallback.raises for limiter, _, _ in parts):
        raise error
    decisions = tuple(limiter._fallback.peek(key, cost, error) for limiter, key, cost in parts)
    if all(decisions):
        decisions = tuple(limiter._fallback.check(key, cost, error) for limiter, key, cost in parts)
    for limiter, _, _ in parts:
        limiter._counts.add("degraded")
    refused = [place for place, decision in enumerate(decisions) if not decision.allowed]
    return JointStoredDecision(refused[0] if refused else 0, decisions)
