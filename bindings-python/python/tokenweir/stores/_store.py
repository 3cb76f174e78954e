"""What a store is: one operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenweir.stores._breaker import CircuitBreaker

__all__ = ["AsyncStore", "Change", "Reply", "Store"]


class Change(NamedTuple):
    """What a compare-and-set does to one key."""

    key: str
    """The name, without the store's prefix."""
    expected: bytes | None
    """The value last seen; None for none."""
    wanted: bytes | None
    """The value to write, never empty; None leaves what is there."""
    keep_ms: int
    """How long to keep it, in milliseconds, at least 1; without a meaning where nothing is written."""


class Reply(NamedTuple):
    """What a compare-and-set answers."""

    same: bool
    """Whether every value was as expected and the store's clock had reached ``as_of_us``: everything was
    written then, otherwise nothing."""
    now_us: int
    """The store's time, in microseconds since the Unix epoch."""
    found: Sequence[bytes | None] = ()
    """The values of the keys, in their order, if they were not the same."""


class Store(Protocol):
    """A store for programs with threads.

    An adapter for one that is not here has this method and passes ``tokenweir.stores.conformance``.
    """

    breaker: CircuitBreaker | None
    """What says whether to ask at all; None to ask always."""
    one_clock: bool
    """Whether all keys are kept by the clock of one server: not so in a cluster."""

    def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        """Writes all or nothing, and gives the store's time, in one round trip.

        It answers within a deadline of its own and does not try again by itself: what it could not do it
        raises as ``StoreError``. Called from several threads at once.
        """
        ...

    def close(self) -> None:
        """Gives connections back. What is called afterwards fails."""
        ...


class AsyncStore(Protocol):
    """A store for asyncio. As ``Store``."""

    breaker: CircuitBreaker | None
    one_clock: bool

    async def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        """As ``Store.compare_and_set``; called from several tasks of one event loop at once."""
        ...

    async def close(self) -> None:
        """Gives connections back. What is called afterwards fails."""
        ...
