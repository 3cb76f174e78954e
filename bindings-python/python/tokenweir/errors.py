"""What tokenweir raises. Every error has a ``code`` that is the same in every language and release."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "AmountError",
    "ConfigError",
    "DurationError",
    "GiveUp",
    "LimitSyntaxError",
    "QueueFull",
    "RateLimited",
    "ReservationError",
    "StateError",
    "StoreError",
    "TokenweirError",
    "TooManyKeys",
]


class TokenweirError(Exception):
    """The base of all errors of this package."""

    code: str
    """What went wrong, as a stable word such as ``"non_positive_capacity"``."""

    def __init__(self, message: str = "", code: str = "") -> None:
        super().__init__(message)
        self.code = code


class AmountError(TokenweirError, ValueError):
    """A cost, or a number of tokens, below 1 or above 2**63 - 1."""


class ConfigError(TokenweirError, ValueError):
    """Limits that cannot be built, or that need another clock."""


class DurationError(TokenweirError, ValueError):
    """A duration that is negative, not a number, or not a whole number of nanoseconds."""


class LimitSyntaxError(TokenweirError, ValueError):
    """A limit that cannot be read from its text."""

    column: int
    """Where, in characters; the first is 1."""

    def __init__(self, message: str = "", code: str = "", *, column: int = 1) -> None:
        super().__init__(message, code)
        self.column = column


class ReservationError(TokenweirError, ValueError):
    """A reservation that no wait makes possible: its debt or its wait cannot be counted."""


class RateLimited(TokenweirError):
    """Refused: nothing was taken."""

    retry_after: float | None
    """Seconds until the same call would be granted, rounded up; None if it never will be."""
    retry_after_ns: int | None
    """As ``retry_after``, in nanoseconds."""
    scope: str | None
    """The name of the limit that refused, where it has one."""
    limit: int | None
    """The number of tokens or permits of that limit, where it is known."""
    remaining: int | None
    """What is left of it, where it is known."""

    def __init__(
        self,
        message: str = "",
        code: str = "",
        *,
        retry_after: float | None = None,
        retry_after_ns: int | None = None,
        scope: str | None = None,
        limit: int | None = None,
        remaining: int | None = None,
    ) -> None:
        super().__init__(message, code)
        self.retry_after = retry_after
        self.retry_after_ns = retry_after_ns
        self.scope = scope
        self.limit = limit
        self.remaining = remaining

    @classmethod
    def of(cls, error: RateLimited) -> Self:
        """The same refusal as an error of this class."""
        return cls(
            str(error),
            error.code,
            retry_after=error.retry_after,
            retry_after_ns=error.retry_after_ns,
            scope=error.scope,
            limit=error.limit,
            remaining=error.remaining,
        )

    @property
    def never(self) -> bool:
        """Whether no wait is long enough."""
        return self.retry_after is None


class GiveUp(TokenweirError):
    """No further try is made; ``code`` says why: ``"retries_exhausted"``, ``"retry_after_too_long"`` or
    ``"retry_budget_exhausted"``."""


class QueueFull(TokenweirError):
    """As many callers wait as may."""


class TooManyKeys(TokenweirError):
    """A new key found no room in a keyed limiter; nothing was decided."""


class StoreError(TokenweirError):
    """A store did not answer, or not as expected. Never raised because a limit was exceeded."""


class StateError(TokenweirError, ValueError):
    """Kept state that does not fit, or is damaged."""
