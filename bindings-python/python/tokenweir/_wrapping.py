"""Functions that wait for a limiter before each call."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from tokenweir._keyed import OneKey
from tokenweir._waiting import Queued, block, refusal, wait

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from tokenweir._native import KeyedLimiter, Limiter
    from tokenweir._types import Key

__all__ = ["Decorator", "limit_calls", "limit_calls_by_key"]

P = ParamSpec("P")
R = TypeVar("R")


class Decorator(Protocol):
    """Gives a function back with the same signature."""

    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]: ...


def limit_calls(
    limiter: Limiter,
    function: Callable[..., Any] | None,
    cost: int | Callable[..., int],
    timeout: float | timedelta | None,
) -> Any:
    """What a ``Limiter`` does as a decorator, with arguments (no function yet) or without."""

    def subject(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Queued, int]:
        return limiter, cost(*args, **kwargs) if callable(cost) else cost

    if function is None:
        return lambda function: _limited(function, subject, timeout)
    return _limited(function, subject, timeout)


def limit_calls_by_key(
    limiter: KeyedLimiter,
    key: Callable[..., Key],
    cost: int | Callable[..., int],
    timeout: float | timedelta | None,
) -> Any:
    """What a ``KeyedLimiter`` does as a decorator."""

    def subject(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Queued, int]:
        n = cost(*args, **kwargs) if callable(cost) else cost
        return OneKey(limiter, key(*args, **kwargs)), n

    return lambda function: _limited(function, subject, timeout)


def _limited(
    function: Callable[..., Any],
    subject: Callable[[tuple[Any, ...], dict[str, Any]], tuple[Queued, int]],
    timeout: float | timedelta | None,
) -> Callable[..., Any]:
    """The function, which waits for what ``subject`` makes of its arguments: whom, and what cost."""
    if inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function):
        raise TypeError("a generator function cannot be limited: limit what consumes it")

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def limited_async(*args: Any, **kwargs: Any) -> Any:
            limiter, cost = subject(args, kwargs)
            if not (limiter._pass(cost) or await wait(limiter, cost, timeout)):
                raise refusal(limiter, cost)
            return await function(*args, **kwargs)

        return limited_async

    @functools.wraps(function)
    def limited_call(*args: Any, **kwargs: Any) -> Any:
        limiter, cost = subject(args, kwargs)
        if not (limiter._pass(cost) or block(limiter, cost, timeout)):
            raise refusal(limiter, cost)
        return function(*args, **kwargs)

    return limited_call
