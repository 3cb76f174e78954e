"""A key of a store as the recorded scenarios ask it: after each command its bytes are all that is left."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Protocol

from tokenweir import Bandwidth, CycleConfig, FixedCycle, Limits, ManualClock, TokensInheritance
from tokenweir.stored import Command, Desired, step


class Cell(Protocol):
    """Where the bytes of the key are."""

    def get(self) -> bytes | None: ...
    def put(self, value: bytes, keep_ms: int) -> None: ...


class Local:
    """Bytes in a variable."""

    def __init__(self) -> None:
        self.value: bytes | None = None

    def get(self) -> bytes | None:
        return self.value

    def put(self, value: bytes, keep_ms: int) -> None:
        assert keep_ms > 1000
        self.value = value


class StoredKey:
    """The operations of a bucket, each through stored bytes."""

    def __init__(self, limits: Limits, clock: ManualClock, cell: Cell) -> None:
        self.limits = limits
        self.clock = clock
        self.cell = cell
        # Grows with each replacement, as a deployment's would.
        self.version = 0
        # The scenarios make their limiter first. A new entry that is full is not stored by itself, and
        # giving it something back leaves it full.
        self.run(Command.statuses())
        if cell.get() is None:
            self.run(Command.refund())

    def run(self, command: Command, inheritance: TokensInheritance = TokensInheritance.AS_IS) -> Any:
        desired = Desired(self.limits, version=self.version, inheritance=inheritance)
        result = step(self.cell.get(), desired, self.clock.now_ns, command)
        assert result.limits == self.limits
        assert result.version == self.version
        if result.write is not None:
            self.cell.put(result.write.bytes, result.write.keep_ms)
        if isinstance(result.outcome, Exception):
            raise result.outcome
        return result.outcome

    def _answer(self, decision: Any) -> SimpleNamespace:
        """With the numbers of all bandwidths together, as a bucket has them."""
        return SimpleNamespace(
            allowed=decision.allowed,
            remaining=max(self.available, 0),
            retry_after_ns=decision.retry_after_ns,
            reset_after_ns=self.time_to_full_ns,
        )

    def try_acquire(self, cost: int) -> bool:
        allowed: bool = self.run(Command.check(cost)).allowed
        return allowed

    def check(self, cost: int) -> SimpleNamespace:
        return self._answer(self.run(Command.check(cost)))

    def peek(self, cost: int) -> SimpleNamespace:
        return self._answer(self.run(Command.peek(cost)))

    def acquire_up_to(self, most: int = 2**63 - 1) -> int:
        taken: int = self.run(Command.acquire_up_to(most))
        return taken

    def acquire_ignoring_limits_ns(self, cost: int) -> int:
        debt: int = self.run(Command.acquire_ignoring_limits(cost))
        return debt

    def reserve(self, cost: int = 1, *, max_wait_ns: int) -> Any:
        return self.run(Command.reserve(cost, max_wait_ns=max_wait_ns))

    def refund(self, tokens: int) -> None:
        self.run(Command.refund(tokens))

    def force_add(self, tokens: int) -> None:
        self.run(Command.force_add(tokens))

    def reset(self) -> None:
        self.run(Command.reset())

    def update(self, *bandwidths: Bandwidth, inheritance: TokensInheritance) -> None:
        self.limits = Limits(*bandwidths)
        self.version += 1
        self.run(Command.statuses(), inheritance)

    @property
    def available_of_each(self) -> tuple[int, ...]:
        return tuple(status.available for status in self.run(Command.statuses()))

    @property
    def available(self) -> int:
        return min(self.available_of_each)

    @property
    def time_to_full_ns(self) -> int | None:
        waits = [status.reset_after_ns for status in self.run(Command.statuses())]
        return None if None in waits else max(waits)


class StoredCycle:
    """The operations of a fixed cycle, each through stored bytes."""

    def __init__(self, config: CycleConfig, clock: ManualClock, cell: Cell) -> None:
        self.config = config
        self._key = StoredKey(Limits(config), clock, cell)

    def try_acquire(self, cost: int) -> bool:
        return self._key.try_acquire(self._permits(cost))

    def reserve(self, cost: int) -> Any:
        if self.config.timeout_ns:
            return self._key.reserve(self._permits(cost), max_wait_ns=self.config.timeout_ns)
        # Without a wait there is nothing to reserve.
        return SimpleNamespace(wait_ns=0 if self.try_acquire(cost) else -1)

    def drain(self) -> int:
        return self._key.acquire_up_to()

    def change_limit(self, limit: int) -> None:
        self._configure(limit, self.config.timeout_ns)
        self._key.limits = Limits(self.config)
        self._key.version += 1
        self._key.run(Command.statuses())

    def change_timeout(self, *, timeout_ns: int) -> None:
        self._configure(self.config.limit, timeout_ns)

    def _configure(self, limit: int, timeout_ns: int) -> None:
        period_ns = self.config.period_ns
        self.config = CycleConfig(limit, period_ns=period_ns, timeout_ns=timeout_ns)

    @staticmethod
    def _permits(cost: int) -> int:
        # What is no number of permits is refused as such.
        FixedCycle(CycleConfig(1, 1)).try_acquire(cost)
        return cost

    @property
    def available(self) -> int:
        return self._key.available

    def wait_ns(self) -> int | None:
        wait: int | None = self._key.peek(1).retry_after_ns
        return wait
