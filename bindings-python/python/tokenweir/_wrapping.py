"""Functions that wait for a limiter before each call."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from tokenweir._waiting import Waits

__all__ = ["Decorator", "limited"]

P = ParamSpec("P")
R = TypeVar("R")


class Decorator(Protocol):
    """Gives a function back with the same signature."""

    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]: ...


def limited(
    function: Callable[..., Any],
    subject: Callable[[tuple[Any, ...], dict[str, Any]], tuple[Waits, int]],
    timeout: float | timedelta | None,
) -> Callable[..., Any]:
    """The function, which waits for what ``subject`` makes of its arguments: whom, and what cost."""
    if inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function):
        raise TypeError("a generator function cannot be limited: limit what consumes it")

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def limited_async(*args: Any, **kwargs: Any) -> Any:
            limiter, cost = subject(args, kwargs)
            if not (limiter._pass(cost) or await limiter._wait(cost, timeout)):
                raise limiter._refusal(cost)
            return await function(*args, **kwargs)

        return limited_async

    @functools.wraps(function)
    def limited_call(*args: Any, **kwargs: Any) -> Any:
        limiter, cost = subject(args, kwargs)
        if not (limiter._pass(cost) or limiter._block(cost, timeout)):
            raise limiter._refusal(cost)
        return function(*args, **kwargs)

    return limited_call
