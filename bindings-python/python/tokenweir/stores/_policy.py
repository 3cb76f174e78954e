"""What is decided while the store does not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from tokenweir._native import KeyedLimiter, _degraded, _share_of, _without_store

if TYPE_CHECKING:
    from datetime import timedelta

    from tokenweir._native import Decision, Limits, _Inheritance
    from tokenweir.errors import StoreError

__all__ = ["Fallback", "LocalShare", "OnStoreError"]

_RETRY_NS = 1_000_000_000
"""How long a caller who is refused because of an outage is told to stay away."""


class LocalShare:
    """``on_store_error=LocalShare(8)``: this process decides by itself, by an eighth of the limits.

    So 8 ``instances`` together admit no more than the limits, or than their number where a quota is smaller
    than that. What they admit is not told to the store when it is back: in the time of an outage and just
    after it up to twice the limits can be admitted. At most ``max_keys`` keys are kept; further ones share
    one more limiter.
    """

    def __init__(self, instances: int, *, max_keys: int = 100_000) -> None:
        if instances < 1:
            raise ValueError(f"instances: {instances} is below 1")
        self.instances = instances
        self.max_keys = max_keys

    def __repr__(self) -> str:
        return f"LocalShare({self.instances})"


OnStoreError: TypeAlias = Literal["raise", "allow", "deny"] | LocalShare
"""What a limiter does when its store fails: raise the ``StoreError``, allow everything, deny everything, or
decide by a share of the limits. Decisions made so are ``degraded``."""


class Fallback:
    """A failure policy at work."""

    def __init__(self, how: OnStoreError, limits: Limits) -> None:
        if not isinstance(how, LocalShare) and how not in ("raise", "allow", "deny"):
            raise ValueError(
                f"on_store_error: {how!r} is none of 'raise', 'allow', 'deny' and LocalShare(instances)"
            )
        self._how = how
        self._limits = limits
        self._share: KeyedLimiter | None = None
        if isinstance(how, LocalShare):
            part = _share_of(limits, how.instances)
            self._share = KeyedLimiter(part, max_keys=how.max_keys, when_full="share")

    def update(self, limits: Limits, inheritance: _Inheritance) -> None:
        self._limits = limits
        if isinstance(self._how, LocalShare) and self._share is not None:
            part = _share_of(limits, self._how.instances)
            self._share.update(part, inheritance=inheritance)

    @property
    def raises(self) -> bool:
        return self._how == "raise"

    def check(self, key: str, cost: int, error: StoreError) -> Decision:
        return self._decide(key, cost, error, take=True)

    def peek(self, key: str, cost: int, error: StoreError) -> Decision:
        return self._decide(key, cost, error, take=False)

    def _decide(self, key: str, cost: int, error: StoreError, *, take: bool) -> Decision:
        if self._share is not None:
            share = self._share
            decision = share.check(key, cost) if take else share.peek(key, cost)
            return _degraded(decision, self._limits)
        if self._how == "raise":
            raise error
        return _without_store(self._limits, self._how == "allow", _RETRY_NS)

    def acquire(
        self, key: str, cost: int, timeout: float | timedelta | None, error: StoreError
    ) -> bool:
        """Waits for the share, where there is one. Whoever is denied is told of the outage: False would say
        that the limits did not have it in time."""
        if self._share is not None:
            return self._share.acquire(key, cost, timeout=timeout)
        if self._how == "allow":
            return True
        raise error

    async def acquire_async(
        self, key: str, cost: int, timeout: float | timedelta | None, error: StoreError
    ) -> bool:
        if self._share is not None:
            return await self._share.acquire_async(key, cost, timeout=timeout)
        return self.acquire(key, cost, timeout, error)

    def acquire_up_to(self, key: str, most: int, error: StoreError) -> int:
        if self._share is not None:
            return self._share.acquire_up_to(key, most)
        allowed = self.check(key, most, error).allowed
        return min(most, *self._limits.quotas) if allowed else 0
