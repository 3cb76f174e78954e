"""When a store is not asked, because it failed just now."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tokenweir.errors import StoreError

if TYPE_CHECKING:
    from circuitbreaker import CircuitBreaker as Circuit  # type: ignore[import-untyped]

__all__ = ["CircuitBreaker"]


class CircuitBreaker:
    """After ``failures`` operations in a row that failed, the store is not asked for ``recovery`` seconds.

    Then one operation tries, while others still go without: it closes the circuit, or opens it for as long
    again. The state is that of the library ``circuitbreaker``, which reads a monotonic clock.
    """

    def __init__(self, failures: int = 5, recovery: float = 1.0) -> None:
        # Imported here: it comes with the extras, and the store in memory does without.
        import circuitbreaker

        if failures < 1:
            raise ValueError(f"failures: {failures} is below 1")
        if not recovery > 0:
            raise ValueError(f"recovery: {recovery} seconds are not above 0")
        self.recovery = recovery
        self._circuit: Circuit = circuitbreaker.CircuitBreaker(
            failure_threshold=failures, recovery_timeout=recovery, expected_exception=StoreError
        )
        self._trial = threading.Lock()
        # Whether the last operation failed: while none does, that is all there is to look at.
        self._has_failed = False

    @property
    def is_closed(self) -> bool:
        """Whether the store is asked."""
        return bool(self._circuit.closed)

    def enter(self) -> bool:
        """Called before an operation: whether it is the one that tries, for ``leave``.

        Raises ``StoreError`` with the code ``store_open`` if the store is not to be asked.
        """
        if not self._has_failed:
            return False
        circuit = self._circuit
        if circuit.closed:
            return False
        if circuit.opened or not self._trial.acquire(blocking=False):
            raise StoreError(
                f"the store failed {circuit.failure_count} times in a row and is not asked for "
                f"{self.recovery} s; last: {circuit.last_failure}",
                "store_open",
            )
        return True

    def leave(self, trial: bool, error: BaseException | None) -> None:
        """Called after an operation, with its error if it had one."""
        if error is None:
            if self._has_failed:
                self._circuit.reset()
                self._has_failed = False
        elif isinstance(error, StoreError):
            # Another error, such as a cancellation, says nothing of the store.
            self._has_failed = True
            self._circuit.__exit__(type(error), error, None)
        if trial:
            self._trial.release()
