"""Limits of a store for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from tokenweir._native import Command, Decision
from tokenweir.errors import StoreError
from tokenweir.stores import _base
from tokenweir.stores._base import Base
from tokenweir.stores._line import Call, Request, answer_locally

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from datetime import timedelta

    from tokenweir._native import LimitStatus, StoredReservation, _Inheritance, _LimitsLike
    from tokenweir.stores._line import Line, Plan
    from tokenweir.stores._policy import OnStoreError
    from tokenweir.stores._store import AsyncStore, Reply

__all__ = ["AsyncStoredLimiter"]


class AsyncStoredLimiter(Base):
    """As ``StoredLimiter``, for the tasks of one asyncio event loop: each method is a coroutine.

    What tasks ask about a key while an operation for it is under way is decided together by the next one.
    A task that is cancelled takes nothing; if its own operation was already sent, that may have taken its
    cost.
    """

    _store: AsyncStore

    def __init__(
        self,
        *limits: _LimitsLike,
        store: AsyncStore,
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
        # Referred to, so that they are not collected while they run.
        self._tasks: set[asyncio.Task[None]] = set()

    async def check(self, key: str, cost: int = 1) -> Decision:
        """As ``StoredLimiter.check``."""
        call = _base.check_call(cost)
        try:
            return self._decided(await self._submit(key, call))
        except StoreError as error:
            return self._without_store(key, cost, error)

    async def try_acquire(self, key: str, cost: int = 1) -> bool:
        """As ``check``, without the numbers."""
        return (await self.check(key, cost)).allowed

    async def peek(self, key: str, cost: int = 1) -> Decision:
        """As ``StoredLimiter.peek``."""
        call = _base.question(Command.peek(cost))
        try:
            return cast(Decision, await self._submit(key, call))
        except StoreError as error:
            return self._degraded(self._fallback.peek(key, cost, error))

    async def acquire(
        self, key: str, cost: int = 1, *, timeout: float | timedelta | None = None
    ) -> bool:
        """As ``StoredLimiter.acquire``. Cancelled while it waits, it takes nothing."""
        if timeout is not None and not timeout:
            return await self.try_acquire(key, cost)
        call = _base.acquire_call(cost, timeout)
        try:
            await self._submit(key, call)
        except StoreError as error:
            self._count_fallback()
            return await self._fallback.acquire_async(key, cost, timeout, error)
        reservation = _base.acquired(call)
        self._counts.decided(reservation is not None)
        if reservation is None:
            return False
        try:
            # From now on, although it counts from the decision: what is waited for must not be used early.
            await asyncio.sleep(reservation.wait)
        except BaseException:
            self._start(self._forgive(self.cancel(key, reservation)))
            raise
        return True

    async def acquire_up_to(self, key: str, most: int) -> int:
        """As ``StoredLimiter.acquire_up_to``."""
        try:
            return await self._take_up_to(key, most)
        except StoreError as error:
            self._count_fallback()
            return self._fallback.acquire_up_to(key, most, error)

    async def _take_up_to(self, key: str, most: int) -> int:
        call = Call(Command.acquire_up_to(most), most)
        return cast(int, await self._submit(key, call))

    async def acquire_ignoring_limits_ns(self, key: str, cost: int) -> int:
        """As ``StoredLimiter.acquire_ignoring_limits_ns``."""
        call = Call(Command.acquire_ignoring_limits(cost), cost)
        return cast(int, _base.reserved(await self._submit(key, call)))

    async def reserve(
        self, key: str, cost: int = 1, *, max_wait: float | timedelta | None = None
    ) -> StoredReservation:
        """As ``StoredLimiter.reserve``."""
        call = Call(Command.reserve(cost, max_wait=max_wait), cost)
        return cast("StoredReservation", _base.reserved(await self._submit(key, call)))

    async def cancel(self, key: str, reservation: StoredReservation) -> bool:
        """As ``StoredLimiter.cancel``."""
        return cast(bool, await self._submit(key, _base.giving(Command.cancel(reservation))))

    async def refund(self, key: str, tokens: int = 1) -> None:
        """As ``StoredLimiter.refund``."""
        await self._submit(key, _base.giving(Command.refund(tokens)))

    async def force_add(self, key: str, tokens: int) -> None:
        """As ``StoredLimiter.force_add``."""
        await self._submit(key, _base.giving(Command.force_add(tokens)))

    async def reset(self, key: str) -> None:
        """As ``StoredLimiter.reset``."""
        await self._submit(key, _base.giving(Command.reset()))

    async def statuses(self, key: str) -> tuple[LimitStatus, ...]:
        """As ``StoredLimiter.statuses``."""
        answer = await self._submit(key, _base.question(Command.statuses()))
        return cast("tuple[LimitStatus, ...]", answer)

    # One operation for each key: the caller that finds none under way sees to its own, and has a task see to
    # what came meanwhile.

    async def _submit(self, key: str, call: Call) -> Any:
        line = self._line(key)
        line.gives += call.gives
        if line.busy:
            if call.cost and not (call.gives or call.is_question or call.never):
                local = answer_locally(line, self._desired, self._recheck_ns, call.command)
                if local is not None:
                    self._counts.add("answered_locally")
                    return local
            call.parking = asyncio.get_running_loop().create_future()
            line.waiting.append(call)
            try:
                await call.parking
            except BaseException:
                self._abandon(line, call)
                raise
        else:
            line.busy = True
            try:
                await self._fly(line, [call])
            finally:
                self._go_on(line)
        if call.error is not None:
            raise call.error
        return call.outcome

    def _abandon(self, line: Line, call: Call) -> None:
        """Its task was cancelled: it takes nothing."""
        call.abandoned = True
        if call in line.waiting:
            line.waiting.remove(call)
            line.gives -= call.gives
        else:
            self._give_back(line, call)

    def _go_on(self, line: Line) -> None:
        line.busy = bool(line.waiting)
        if line.busy:
            self._start(self._serve(line))

    async def _serve(self, line: Line) -> None:
        """Decides what has come, until nothing has."""
        try:
            while line.waiting:
                batch = list(line.waiting)
                line.waiting.clear()
                await self._fly(line, batch)
        finally:
            self._go_on(line)

    async def _fly(self, line: Line, batch: list[Call]) -> None:
        error: BaseException | None = None
        try:
            await self._drive(self._plan(line, batch))
        except BaseException as caught:
            error = caught
            self._failed(caught, [line])
        if isinstance(error, StoreError):
            # Whoever came meanwhile would wait for the same in vain.
            batch += line.waiting
            line.waiting.clear()
        for call in batch:
            call.error = error
            line.gives -= call.gives
            if call.parking is not None and not call.parking.done():
                call.parking.set_result(None)
            if call.abandoned:
                self._give_back(line, call)
        if error is not None and not isinstance(error, Exception):
            raise error

    def _give_back(self, line: Line, call: Call) -> None:
        tokens = _base.taken(call)
        call.outcome = None
        if tokens:
            self._start(self._forgive(self.refund(line.key, tokens)))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _forgive(self, giving: Coroutine[Any, Any, object]) -> None:
        """Gives back what nobody waits for; if the store fails it stays taken."""
        try:
            await giving
        except StoreError:
            pass  # Counted where it was raised.

    async def _drive(self, plan: Plan) -> Any:
        reply: Reply | None = None
        try:
            while True:
                todo = plan.send(reply)
                if isinstance(todo, Request):
                    reply = await self._ask(todo)
                else:
                    await asyncio.sleep(todo.seconds)
                    reply = None
        except StopIteration as end:
            return end.value

    async def _ask(self, request: Request) -> Reply:
        store = self._store
        breaker = store.breaker
        self._counts.asked()
        if breaker is None:
            return await store.compare_and_set(request.changes, request.as_of_us)
        trial = breaker.enter()
        try:
            reply = await store.compare_and_set(request.changes, request.as_of_us)
        except BaseException as error:
            breaker.leave(trial, error)
            raise
        breaker.leave(trial, None)
        return reply
