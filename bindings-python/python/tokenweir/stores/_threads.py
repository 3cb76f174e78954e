"""Limits of a store for programs with threads."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, cast

from tokenweir._native import Command, Decision
from tokenweir.errors import StoreError
from tokenweir.stores import _base
from tokenweir.stores._base import Base
from tokenweir.stores._line import Call, Request, answer_locally

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

    from tokenweir._native import LimitStatus, StoredReservation, _Inheritance, _LimitsLike
    from tokenweir.stores._line import Line, Plan
    from tokenweir.stores._policy import OnStoreError
    from tokenweir.stores._store import Reply, Store

__all__ = ["StoredLimiter"]


class StoredLimiter(Base):
    """The same limits for each key, shared by all processes that use the store.

    ``StoredLimiter("100/s; 10000/day", store=RedisStore.from_url(url))`` has the verbs of ``KeyedLimiter``. Its
    methods may be called by any thread: in one process there is one operation under way for each key, and
    what comes meanwhile is decided together by the next.

    ``version`` and ``inheritance`` are for limits that change: without a version, limits that are stored stay
    in force, whatever is wanted here. ``on_store_error`` says what happens when the store fails: ``"raise"``
    (``StoreError``), ``"allow"``, ``"deny"``, or ``LocalShare(instances)``. A refusal is answered without
    asking again for ``recheck`` seconds since the key was last seen: until then what other processes give
    back may be missed. While others keep writing the same key, a decision is tried again for ``patience``
    seconds. At most ``max_keys`` keys are remembered; forgetting one loses nothing.
    """

    _store: Store

    def __init__(
        self,
        *limits: _LimitsLike,
        store: Store,
        version: int | None = None,
        inheritance: _Inheritance = "as_is",
        on_store_error: OnStoreError = "raise",
        recheck: float | timedelta = 1.0,
        patience: float | timedelta = 1.0,
        max_keys: int = 100_000,
    ) -> None:
        super().__init__(
            limits, store, version, inheritance, on_store_error, recheck, patience, max_keys
        )
        self._store = store
        self._lock = threading.Lock()

    def check(self, key: str, cost: int = 1) -> Decision:
        """Takes ``cost`` from every limit of the key if all have it, otherwise from none; with the numbers
        of the limit that decided."""
        call = _base.check_call(cost)
        try:
            return self._decided(self._submit(key, call))
        except StoreError as error:
            return self._without_store(key, cost, error)

    def try_acquire(self, key: str, cost: int = 1) -> bool:
        """As ``check``, without the numbers."""
        return self.check(key, cost).allowed

    def peek(self, key: str, cost: int = 1) -> Decision:
        """What ``check`` would answer; nothing changes."""
        call = _base.question(Command.peek(cost))
        try:
            return cast(Decision, self._submit(key, call))
        except StoreError as error:
            return self._degraded(self._fallback.peek(key, cost, error))

    def acquire(
        self, key: str, cost: int = 1, *, timeout: float | timedelta | None = None
    ) -> bool:
        """Waits for ``cost``: returns whether it was taken in ``timeout`` seconds, for which no wait is
        begun that would be too long.

        First come, first served, among all processes: what is waited for is taken ahead of time, so that
        meanwhile others find nothing. Raises ``RateLimited`` if the cost is above what the limits can ever
        have. Interrupted, it takes nothing.
        """
        if timeout is not None and not timeout:
            return self.try_acquire(key, cost)
        call = _base.acquire_call(cost, timeout)
        try:
            self._submit(key, call)
        except StoreError as error:
            self._count_fallback()
            return self._fallback.acquire(key, cost, timeout, error)
        reservation = _base.acquired(call)
        self._counts.decided(reservation is not None)
        if reservation is None:
            return False
        try:
            # From now on, although it counts from the decision: what is waited for must not be used early.
            time.sleep(reservation.wait)
        except BaseException:
            self.cancel(key, reservation)
            raise
        return True

    def acquire_up_to(self, key: str, most: int) -> int:
        """Takes what every limit of the key has, at most ``most``, and returns how much that was."""
        try:
            return self._take_up_to(key, most)
        except StoreError as error:
            self._count_fallback()
            return self._fallback.acquire_up_to(key, most, error)

    def _take_up_to(self, key: str, most: int) -> int:
        call = Call(Command.acquire_up_to(most), most)
        return cast(int, self._submit(key, call))

    def acquire_ignoring_limits_ns(self, key: str, cost: int) -> int:
        """Takes ``cost`` from every limit of the key whether it is there or not, and returns how long the debt
        lasts, in nanoseconds rounded up. Raises ``StoreError`` if the store fails."""
        call = Call(Command.acquire_ignoring_limits(cost), cost)
        return cast(int, _base.reserved(self._submit(key, call)))

    def reserve(
        self, key: str, cost: int = 1, *, max_wait: float | timedelta | None = None
    ) -> StoredReservation:
        """Takes ``cost`` ahead of time, to be used after a wait of at most ``max_wait`` seconds.

        Raises ``RateLimited`` if that is too late, and ``StoreError`` if the store fails.
        """
        call = Call(Command.reserve(cost, max_wait=max_wait), cost)
        return cast("StoredReservation", _base.reserved(self._submit(key, call)))

    def cancel(self, key: str, reservation: StoredReservation) -> bool:
        """Gives a reservation of the key back, if its time has not come; returns whether it did. Raises
        ``StoreError`` if the store fails. To be called once for each reservation."""
        return cast(bool, self._submit(key, _base.giving(Command.cancel(reservation))))

    def refund(self, key: str, tokens: int = 1) -> None:
        """Gives ``tokens`` back to every limit of the key, up to its quota. Raises ``StoreError`` if the store
        fails."""
        self._submit(key, _base.giving(Command.refund(tokens)))

    def force_add(self, key: str, tokens: int) -> None:
        """Adds ``tokens`` to every limit of the key, beyond its quota if need be. Raises ``StoreError`` if the
        store fails."""
        self._submit(key, _base.giving(Command.force_add(tokens)))

    def reset(self, key: str) -> None:
        """Fills every limit of the key. Raises ``StoreError`` if the store fails."""
        self._submit(key, _base.giving(Command.reset()))

    def statuses(self, key: str) -> tuple[LimitStatus, ...]:
        """How each limit in force stands. Raises ``StoreError`` if the store fails."""
        answer = self._submit(key, _base.question(Command.statuses()))
        return cast("tuple[LimitStatus, ...]", answer)

    # One operation for each key: its caller leads, who comes meanwhile waits.

    def _submit(self, key: str, call: Call) -> Any:
        with self._lock:
            line = self._line(key)
            line.gives += call.gives
            leads = not line.busy
            if leads:
                line.busy = True
            else:
                local = None
                if call.cost and not (call.gives or call.is_question or call.never):
                    local = answer_locally(line, self._desired, self._recheck_ns, call.command)
                if local is not None:
                    self._counts.add("answered_locally")
                    return local
                call.parking = threading.Lock()
                call.parking.acquire()
                line.waiting.append(call)
        if leads:
            self._fly(line, [call])
        else:
            self._park(line, call)
        if call.error is not None:
            raise call.error
        return call.outcome

    def _park(self, line: Line, call: Call) -> None:
        try:
            call.parking.acquire()
        except BaseException:
            self._abandon(line, call)
            raise
        if call.leads:
            with self._lock:
                batch = list(line.waiting)
                line.waiting.clear()
            self._fly(line, batch)

    def _abandon(self, line: Line, call: Call) -> None:
        """Its thread was interrupted: it takes nothing."""
        with self._lock:
            call.abandoned = True
            if call in line.waiting:
                line.waiting.remove(call)
                line.gives -= call.gives
                if call.leads:
                    self._hand_over(line)
                return
        self._give_back(line, [call])

    def _fly(self, line: Line, batch: list[Call]) -> None:
        error: BaseException | None = None
        try:
            self._drive(self._plan(line, batch))
        except BaseException as caught:
            error = caught
            self._failed(caught, [line])
        with self._lock:
            if isinstance(error, StoreError):
                # Whoever came meanwhile would wait for the same in vain.
                batch += line.waiting
                line.waiting.clear()
            elif error is not None and not isinstance(error, Exception):
                # The thread was interrupted, the others were not.
                line.waiting.extendleft(reversed(batch[1:]))
                del batch[1:]
            for call in batch:
                call.error = error
                line.gives -= call.gives
                if call.parking is not None and call is not batch[0]:
                    call.parking.release()
            self._hand_over(line)
        self._give_back(line, batch)

    def _hand_over(self, line: Line) -> None:
        """The first of those who wait sees to the next operation."""
        line.busy = bool(line.waiting)
        if line.busy:
            first = line.waiting[0]
            first.leads = True
            first.parking.release()

    def _give_back(self, line: Line, batch: Sequence[Call]) -> None:
        for call in batch:
            if not call.abandoned:
                continue
            with self._lock:
                tokens = _base.taken(call)
                call.outcome = None
            if tokens:
                self.refund(line.key, tokens)

    def _drive(self, plan: Plan) -> Any:
        reply: Reply | None = None
        try:
            while True:
                todo = plan.send(reply)
                if isinstance(todo, Request):
                    reply = self._ask(todo)
                else:
                    time.sleep(todo.seconds)
                    reply = None
        except StopIteration as end:
            return end.value

    def _ask(self, request: Request) -> Reply:
        store = self._store
        breaker = store.breaker
        self._counts.asked()
        if breaker is None:
            return store.compare_and_set(request.changes, request.as_of_us)
        trial = breaker.enter()
        try:
            reply = store.compare_and_set(request.changes, request.as_of_us)
        except BaseException as error:
            breaker.leave(trial, error)
            raise
        breaker.leave(trial, None)
        return reply
