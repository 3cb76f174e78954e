"""The way of a call, from its limits to its reply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Literal, Protocol, TypeVar, get_args

from tokenweir._calls.services import Services
from tokenweir._calls.steps import Discard, Send, Sleep, Take
from tokenweir._calls.tries import METHODS, RETRY, STATUSES, Tries, delay_ns
from tokenweir._keyed import OneKey
from tokenweir._native import KeyedLimiter, Limiter, MonotonicClock, _duration_ns
from tokenweir._waiting import refusal
from tokenweir.errors import RateLimited

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable
    from datetime import timedelta
    from typing import Any

    from tokenweir._calls.steps import Steps
    from tokenweir._native import Backoff, _LimitsLike
    from tokenweir._types import Clock, Key
    from tokenweir._waiting import Queued

__all__ = ["Calls", "OnLimit", "Port"]

OnLimit = Literal["wait", "raise", "respond"]

RequestT = TypeVar("RequestT")
ReplyT = TypeVar("ReplyT")

_SECOND = 1_000_000_000


class Port(Protocol[ReplyT]):
    """What a library has for one call."""

    def read(self, reply: ReplyT, /) -> tuple[int, Iterable[tuple[str, str]]]:
        """The status and the fields of a reply."""
        ...

    def skipped(self, error: RateLimited, /) -> Exception:
        """The library's own form of a refusal."""
        ...

    def answer(self, error: RateLimited, /) -> ReplyT:
        """The reply to a call that is not made."""
        ...


class Calls(Generic[RequestT]):
    """Who says when a call may be made, and whether it is made again."""

    def __init__(
        self,
        limits: Limiter | KeyedLimiter | _LimitsLike | None,
        *,
        origin: Callable[[RequestT], Key],
        errors: tuple[type[Exception], ...],
        key: Callable[[RequestT], Key] | None = None,
        cost: int | Callable[[RequestT], int] = 1,
        on_limit: OnLimit = "wait",
        timeout: float | timedelta = 60,
        retry: Backoff | None = RETRY,
        retry_methods: Collection[str] = METHODS,
        retry_statuses: Collection[int] = STATUSES,
        retry_errors: tuple[type[Exception], ...] | None = None,
        clock: Clock | None = None,
    ) -> None:
        if on_limit not in get_args(OnLimit):
            raise ValueError(f"on_limit: {on_limit!r} is none of wait, raise and respond")
        if limits is None or isinstance(limits, Limiter | KeyedLimiter):
            self._limiter = limits
        else:
            self._limiter = KeyedLimiter(limits, when_full="share", clock=clock)
        self._clock: Clock = MonotonicClock() if clock is None else clock
        self._services = Services(self._clock)
        self._key = origin if key is None else key
        self._cost = cost
        self._on_limit = on_limit
        self._timeout = _duration_ns("timeout", timeout)
        errors = errors if retry_errors is None else retry_errors
        self._tries = Tries(retry, retry_methods, retry_statuses, errors)

    def steps(
        self, request: RequestT, method: str, can_repeat: bool, port: Port[ReplyT]
    ) -> Steps[ReplyT]:
        """Waits until the call may be made, makes it, and makes it again where that is of use."""
        key = self._key(request)
        cost = self._cost(request) if callable(self._cost) else self._cost
        retry = self._tries.of(method, can_repeat)
        started = self._clock.now_ns
        while True:
            try:
                yield from self._pass(key, cost)
            except RateLimited as error:
                if self._on_limit == "respond":
                    return port.answer(error)
                raise port.skipped(error) from None
            try:
                reply: ReplyT = yield Send()
            except self._tries.errors:
                delay = delay_ns(retry, self._clock.now_ns - started, 0)
                if delay is None:
                    raise
            else:
                status, fields = port.read(reply)
                asked = self._services.learn(key, fields)
                if not self._tries.is_worthwhile(status):
                    return reply
                delay = delay_ns(retry, self._clock.now_ns - started, asked)
                if delay is None:
                    return reply
                yield Discard(reply)
            yield from self._sleep(delay)

    def _pass(self, key: Key, cost: int) -> Generator[Any, Any, None]:
        """Waits until the call may be made, by the limits here and by what the service has said."""
        limiter = self._queue(key)
        deadline = self._clock.now_ns + self._timeout
        has_taken = limiter is None
        try:
            while True:
                wait = self._services.wait_ns(key)
                left = max(deadline - self._clock.now_ns, 0)
                if wait is None or wait > (left if self._on_limit == "wait" else 0):
                    raise _refused_by_service(wait)
                if wait > 0:
                    yield from self._sleep(wait)
                elif limiter is None or has_taken:
                    return
                else:
                    yield from self._take(limiter, cost, left)
                    has_taken = True
        except BaseException:
            # What is not used is given back.
            if limiter is not None and has_taken:
                limiter.refund(cost)
            raise

    def _take(self, limiter: Queued, cost: int, left: int) -> Generator[Any, Any, None]:
        if self._on_limit == "wait":
            taken: bool = yield Take(limiter, cost, left / _SECOND)
        else:
            taken = limiter._pass(cost)
        if not taken:
            raise refusal(limiter, cost)

    def _queue(self, key: Key) -> Queued | None:
        if isinstance(self._limiter, KeyedLimiter):
            return OneKey(self._limiter, key)
        return self._limiter

    def _sleep(self, wait: int) -> Generator[Any, Any, None]:
        until = self._clock.now_ns + wait
        # Whoever is woken early sleeps on.
        while (left := until - self._clock.now_ns) > 0:
            yield Sleep(left / _SECOND)


def _refused_by_service(wait: int | None) -> RateLimited:
    seconds = None if wait is None else wait / _SECOND
    return RateLimited(
        f"the service refuses calls for now, as its replies say: retry after {seconds} s",
        "refused_by_service",
        retry_after=seconds,
        retry_after_ns=wait,
    )
