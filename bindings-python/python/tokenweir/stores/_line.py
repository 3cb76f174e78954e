"""What is known of one key, and what is decided together about it: without any input or output.

``decide`` and ``decide_across`` are generators. They yield what has to be done, a ``Request`` to the store or
a ``Pause``, and are sent the reply. Threads and asyncio drive the same ones.
"""

from __future__ import annotations

import random
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tokenweir._native import Command, Decision, step, step_across, step_batch
from tokenweir.errors import StoreError
from tokenweir.stores._clock import monotonic_ns
from tokenweir.stores._store import Change, Reply

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from tokenweir._native import Desired, Step
    from tokenweir.stores._clock import StoreClock
    from tokenweir.stores._counters import Counts

__all__ = [
    "Acquiring",
    "Call",
    "Giving",
    "Line",
    "Pause",
    "Plan",
    "Question",
    "Request",
    "answer_locally",
    "decide",
    "decide_across",
]

_LONGEST_PAUSE = 0.001
"""Seconds between attempts, at most."""


class Request(NamedTuple):
    """A compare-and-set to be done."""

    changes: Sequence[Change]
    as_of_us: int


class Pause(NamedTuple):
    """A time to wait before another attempt."""

    seconds: float


Plan: TypeAlias = "Generator[Request | Pause, Reply | None, Any]"


class Call:
    """A command on a key, and where its answer goes."""

    is_question = False
    """Whether the answer has to be the store's as it is now."""
    gives = False
    """Whether it may give something back."""
    never = False
    """Whether a cost above the quotas is refused; a reservation by itself takes it as a debt."""
    outcome: Any = None
    error: BaseException | None = None
    abandoned = False
    """Whether nobody waits for the answer any more: what was taken has to be given back."""
    leads = False
    """Whether its caller is to see to the next operation."""
    parking: Any = None
    """Where its caller waits."""

    def __init__(self, command: Command, cost: int) -> None:
        self.command = command
        self.cost = cost


class Acquiring(Call):
    """A reservation that is waited for."""

    never = True


class Question(Call):
    """Takes and gives nothing."""

    is_question = True


class Giving(Call):
    """May give something back."""

    gives = True


class Line:
    """A key: the value last seen, and the calls that wait for the operation under way."""

    __slots__ = ("busy", "clock", "gives", "key", "seen_ns", "state", "turn", "waiting")

    def __init__(self, key: str, clock: StoreClock) -> None:
        self.key = key
        self.clock = clock
        self.state: bytes | None = None
        self.seen_ns: int | None = None
        """When the value was seen, by ``monotonic_ns``; None if it never was, or may be another by now."""
        self.busy = False
        self.waiting: deque[Call] = deque()
        self.gives = 0
        """How many calls under way or waiting may give something back."""
        self.turn: Any = None
        """The lock of decisions over this and other keys."""

    def saw(self, state: bytes | None, at_ns: int) -> None:
        self.state = state
        self.seen_ns = at_ns

    def forget(self) -> None:
        """The value may be another, or not."""
        self.state = None
        self.seen_ns = None

    def is_fresh(self, at_ns: int, recheck_ns: int) -> bool:
        """Whether a refusal by the value last seen still counts."""
        return self.seen_ns is not None and at_ns - self.seen_ns < recheck_ns


def answer_locally(line: Line, desired: Desired, recheck_ns: int, command: Command) -> Any:
    """The refusal that the value last seen gives, or None if the store has to be asked."""
    at_ns = monotonic_ns()
    if line.gives or not line.is_fresh(at_ns, recheck_ns):
        return None
    result = step(line.state, desired, line.clock.now_us(at_ns) * 1000, command)
    return result.outcome if result.write is None else None


def decide(
    line: Line,
    desired: Desired,
    recheck_ns: int,
    patience_ns: int,
    calls: Sequence[Call],
    counts: Counts,
) -> Plan:
    """Decides the calls together, in their order, and gives each its outcome."""
    clock = line.clock
    ask = calls[0].is_question if len(calls) == 1 else any(call.is_question for call in calls)
    seen = not clock.is_set
    if seen:
        yield from _read(clock, (line,))
    began_ns = at_ns = monotonic_ns()
    attempt = 0
    while at_ns - began_ns <= patience_ns:
        attempt += 1
        if (pause := _pause_before(attempt)) is not None:
            yield pause
        at_ns = monotonic_ns()
        now_us = clock.now_us(at_ns)
        result, run = _run(line.state, desired, now_us * 1000, calls)
        write = result.write
        wanted: bytes | None
        if write is not None:
            wanted = write.bytes
            change = Change(line.key, line.state, wanted, write.keep_ms)
        elif seen or (not ask and line.is_fresh(at_ns, recheck_ns)):
            _give(run, result)
            if not seen:
                counts.add("answered_locally", len(calls))
            return
        else:
            wanted = line.state
            change = Change(line.key, wanted, None, 1)
        reply = yield Request((change,), now_us)
        if _hear(clock, reply, (line,), (wanted,)):
            _give(run, result)
            return
        seen = True
        counts.add("conflicts")
    raise contended(line.key, attempt)


def decide_across(
    parts: Sequence[tuple[Line, Desired, int]],
    recheck_ns: int,
    patience_ns: int,
    counts: Counts,
) -> Plan:
    """One decision over several keys of one server: returns the steps and the place of the one that decided."""
    lines = [line for line, _, _ in parts]
    clock = lines[0].clock
    seen = not clock.is_set
    if seen:
        yield from _read(clock, lines)
    began_ns = at_ns = monotonic_ns()
    attempt = 0
    while at_ns - began_ns <= patience_ns:
        attempt += 1
        if (pause := _pause_before(attempt)) is not None:
            yield pause
        at_ns = monotonic_ns()
        now_us = clock.now_us(at_ns)
        asked = [(line.state, desired, cost) for line, desired, cost in parts]
        steps, place = step_across(asked, now_us * 1000)
        writes = [step.write for step in steps]
        if all(write is None for write in writes) and (
            seen
            or all(line.is_fresh(at_ns, recheck_ns) and not line.gives for line in lines)
        ):
            if not seen:
                counts.add("answered_locally")
            return steps, place
        changes = [
            Change(line.key, line.state, None, 1)
            if write is None
            else Change(line.key, line.state, write.bytes, write.keep_ms)
            for line, write in zip(lines, writes, strict=True)
        ]
        reply = yield Request(changes, now_us)
        wanted = [change.wanted or change.expected for change in changes]
        if _hear(clock, reply, lines, wanted):
            return steps, place
        seen = True
        counts.add("conflicts")
    raise contended(", ".join(line.key for line in lines), attempt)


def _read(clock: StoreClock, lines: Sequence[Line]) -> Plan:
    """Learns the time of a store that was never heard, and the values of the keys."""
    reply = yield Request([Change(line.key, None, None, 1) for line in lines], 0)
    _hear(clock, reply, lines, [None] * len(lines))


def contended(key: str, attempts: int) -> StoreError:
    message = f"{key}: others kept writing it, {attempts} attempts were not enough"
    return StoreError(message, "store_contended")


def _run(
    state: bytes | None, desired: Desired, now_ns: int, calls: Sequence[Call]
) -> tuple[Step, Sequence[Call]]:
    """The step of the calls, and those of them that took part."""
    if len(calls) == 1 and not calls[0].never:
        return step(state, desired, now_ns, calls[0].command), calls
    run = []
    for call in calls:
        if call.never:
            probe: Decision = step(state, desired, now_ns, Command.peek(call.cost)).outcome
            if probe.never:
                call.outcome = probe
                continue
            call.outcome = None
        run.append(call)
    return step_batch(state, desired, now_ns, [call.command for call in run]), run


def _give(run: Sequence[Call], result: Step) -> None:
    if len(run) == 1 and not run[0].never:
        run[0].outcome = result.outcome
        return
    for call, outcome in zip(run, result.outcome, strict=True):
        call.outcome = outcome


def _hear(
    clock: StoreClock, reply: Reply | None, lines: Sequence[Line], wanted: Sequence[bytes | None]
) -> bool:
    """Learns from a reply; returns whether it was done."""
    assert reply is not None
    at_ns = monotonic_ns()
    clock.heard(reply.now_us, at_ns)
    if reply.same and len(lines) == 1:
        lines[0].saw(wanted[0], at_ns)
        return True
    for line, state in zip(lines, wanted if reply.same else reply.found, strict=True):
        line.saw(state, at_ns)
    return reply.same


def _pause_before(attempt: int) -> Pause | None:
    """Others keep writing the key: a pause before the third attempt, and then before every second one.

    After a pause the value last seen is an old one, so that attempt only tells the present one. The next
    follows at once, to be the first to write. Longer pauses would leave the key to those who do not pause.
    """
    if attempt < 3 or attempt % 2 == 0:
        return None
    return Pause(random.uniform(0, _LONGEST_PAUSE))
