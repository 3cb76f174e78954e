"""What a call does on its way, which threads and tasks do each in their manner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from tokenweir._waiting import block, wait

if TYPE_CHECKING:
    from tokenweir._waiting import Queued

__all__ = ["Discard", "Send", "Sleep", "Steps", "Take", "run", "run_async"]

ReplyT = TypeVar("ReplyT")


@dataclass(frozen=True)
class Sleep:
    """Waits."""

    seconds: float


@dataclass(frozen=True)
class Take:
    """Waits for a limiter; the result is whether the cost was taken in time."""

    limiter: Queued
    cost: int
    timeout: float


@dataclass(frozen=True)
class Send:
    """Makes the call; the result is the reply."""


@dataclass(frozen=True)
class Discard(Generic[ReplyT]):
    """Closes a reply that nobody will read."""

    reply: ReplyT


Steps: TypeAlias = Generator[Sleep | Take | Send | Discard[ReplyT], Any, ReplyT]


def run(
    steps: Steps[ReplyT],
    *,
    send: Callable[[], ReplyT],
    discard: Callable[[ReplyT], object],
    sleep: Callable[[float], object],
) -> ReplyT:
    """Takes the steps as a thread."""
    resume: Callable[[], Any] = steps.__next__
    while True:
        try:
            step = resume()
        except StopIteration as end:
            reply: ReplyT = end.value
            return reply
        result: Any = None
        try:
            if isinstance(step, Sleep):
                sleep(step.seconds)
            elif isinstance(step, Take):
                result = step.limiter._pass(step.cost) or block(
                    step.limiter, step.cost, step.timeout
                )
            elif isinstance(step, Send):
                result = send()
            else:
                discard(step.reply)
        except BaseException as error:
            resume = _thrown(steps, error)
        else:
            resume = _sent(steps, result)


async def run_async(
    steps: Steps[ReplyT],
    *,
    send: Callable[[], Awaitable[ReplyT]],
    discard: Callable[[ReplyT], Awaitable[object]],
    sleep: Callable[[float], Awaitable[object]],
) -> ReplyT:
    """Takes the steps as a task."""
    resume: Callable[[], Any] = steps.__next__
    while True:
        try:
            step = resume()
        except StopIteration as end:
            reply: ReplyT = end.value
            return reply
        result: Any = None
        try:
            if isinstance(step, Sleep):
                await sleep(step.seconds)
            elif isinstance(step, Take):
                result = step.limiter._pass(step.cost) or await wait(
                    step.limiter, step.cost, step.timeout
                )
            elif isinstance(step, Send):
                result = await send()
            else:
                await discard(step.reply)
        except BaseException as error:
            resume = _thrown(steps, error)
        else:
            resume = _sent(steps, result)


def _sent(steps: Steps[ReplyT], result: Any) -> Callable[[], Any]:
    return lambda: steps.send(result)


def _thrown(steps: Steps[ReplyT], error: BaseException) -> Callable[[], Any]:
    return lambda: steps.throw(error)
