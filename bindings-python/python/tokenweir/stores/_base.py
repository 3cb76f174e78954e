"""What limiters for threads and for asyncio share: all but the waiting."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tokenweir._native import Command, Decision, Desired, StoredReservation
from tokenweir.errors import RateLimited, StoreError
from tokenweir.stores._clock import StoreClock
from tokenweir.stores._counters import Counts
from tokenweir.stores._line import (
    Acquiring,
    Call,
    Giving,
    Line,
    Question,
    decide,
    decide_across,
)
from tokenweir.stores._policy import Fallback, OnStoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenweir._native import Limits, _Inheritance, _LimitsLike
    from tokenweir.stores._line import Plan
    from tokenweir.stores._store import AsyncStore, Store

__all__ = [
    "Base",
    "acquire_call",
    "acquired",
    "check_call",
    "giving",
    "question",
    "reserved",
    "taken",
]

_ONE = Command.check()


class Base:
    """The limits wanted, what is known of each key, and how an outage is answered."""

    _store: Store | AsyncStore

    def __init__(
        self,
        limits: tuple[_LimitsLike, ...],
        store: Store | AsyncStore,
        version: int | None,
        inheritance: _Inheritance,
        on_store_error: OnStoreError,
        recheck: float | timedelta,
        patience: float | timedelta,
        max_keys: int,
    ) -> None:
        if max_keys < 1:
            raise ValueError(f"max_keys: {max_keys} is below 1")
        self._desired = Desired(*limits, version=version, inheritance=inheritance)
        self._fallback = Fallback(on_store_error, self._desired.limits)
        self._recheck_ns = _not_negative("recheck", recheck)
        self._patience_ns = _not_negative("patience", patience)
        self._max_keys = max_keys
        self._clock = StoreClock()
        self._one_clock = store.one_clock
        self._lines: dict[str, Line] = {}
        self._counts = Counts()

    @property
    def limits(self) -> Limits:
        """The limits wanted. Those in force may be stored ones, of a higher version or, without a version,
        older."""
        return self._desired.limits

    @property
    def version(self) -> int | None:
        """Their version."""
        return self._desired.version

    @property
    def counters(self) -> dict[str, int]:
        """Numbers that only grow.

        Decisions ``allowed`` and ``refused`` by the limits, those of them ``answered_locally`` and those that
        were ``degraded``; ``operations`` of the store, those that met a ``conflict`` with another process,
        and ``store_errors``.
        """
        return self._counts.named()

    def update(
        self, *limits: _LimitsLike, version: int, inheritance: _Inheritance = "as_is"
    ) -> None:
        """Wants other limits, of a higher version, from now on.

        Each key takes them over at its next decision, by ``inheritance``, and for all processes; those that
        still want a lower version do not roll them back.
        """
        desired = Desired(*limits, version=version, inheritance=inheritance)
        now = self._desired.version
        if now is not None and version <= now:
            raise ValueError(f"version: {version} is not above {now}, which is wanted now")
        self._desired = desired
        self._fallback.update(desired.limits, inheritance)

    def _line(self, key: str) -> Line:
        line = self._lines.get(key)
        if line is None:
            line = self._new_line(key)
        return line

    def _new_line(self, key: str) -> Line:
        if not isinstance(key, str):
            raise TypeError(f"key: a str is needed, not {type(key).__name__} ({key!r})")
        lines = self._lines
        if len(lines) >= self._max_keys:
            # The one known for longest; forgetting it costs one more round trip when it comes back.
            idle = next((known for known in lines.values() if not known.busy), None)
            if idle is not None:
                del lines[idle.key]
        line = lines[key] = Line(key, self._clock if self._one_clock else StoreClock())
        return line

    def _plan(self, line: Line, batch: Sequence[Call]) -> Plan:
        return decide(
            line, self._desired, self._recheck_ns, self._patience_ns, batch, self._counts
        )

    def _plan_across(self, parts: Sequence[tuple[Line, Desired, int]]) -> Plan:
        return decide_across(parts, self._recheck_ns, self._patience_ns, self._counts)

    def _failed(self, error: BaseException, lines: Sequence[Line]) -> None:
        """An operation failed, and may have been done or not."""
        for line in lines:
            line.forget()
        if isinstance(error, StoreError):
            self._counts.add("store_errors")

    def _decided(self, decision: Decision) -> Decision:
        self._counts.decided(decision.allowed)
        return decision

    def _degraded(self, decision: Decision) -> Decision:
        self._counts.add("degraded")
        return decision

    def _without_store(self, key: str, cost: int, error: StoreError) -> Decision:
        return self._degraded(self._fallback.check(key, cost, error))

    def _count_fallback(self) -> None:
        if not self._fallback.raises:
            self._counts.add("degraded")


def check_call(cost: int) -> Call:
    return Call(_ONE if cost == 1 and type(cost) is int else Command.check(cost), cost)


def acquire_call(cost: int, timeout: float | timedelta | None) -> Call:
    if timeout is not None and _seconds(timeout) < 0:
        raise ValueError(f"timeout: {timeout} is negative")
    return Acquiring(Command.reserve(cost, max_wait=timeout), cost)


def question(command: Command) -> Call:
    return Question(command, 0)


def giving(command: Command) -> Call:
    return Giving(command, 0)


def _seconds(duration: float | timedelta) -> float:
    return duration.total_seconds() if isinstance(duration, timedelta) else duration


def _not_negative(name: str, duration: float | timedelta) -> int:
    """A duration in nanoseconds."""
    seconds = _seconds(duration)
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"{name}: {seconds} seconds are not 0 or more")
    return int(seconds * 1_000_000_000)


def acquired(call: Call) -> StoredReservation | None:
    """What came of ``acquire_call``: None if it comes too late."""
    outcome = call.outcome
    if isinstance(outcome, StoredReservation):
        return outcome
    if isinstance(outcome, Decision):
        raise RateLimited(
            f"a cost of {call.cost} is above what {outcome.scope} can ever have",
            "never",
            scope=outcome.scope,
            limit=outcome.limit,
            remaining=outcome.remaining,
        )
    if isinstance(outcome, RateLimited):
        return None
    raise outcome


def reserved(outcome: Any) -> Any:
    """An outcome that may be an error."""
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def taken(call: Call) -> int:
    """What a call took, which is given back if nobody waits for it any more."""
    outcome = call.outcome
    if isinstance(outcome, Decision):
        return call.cost if outcome.allowed and not call.is_question else 0
    if isinstance(outcome, StoredReservation):
        return call.cost
    return 0
