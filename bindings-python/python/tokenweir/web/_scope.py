"""One limiter of a policy: whom it counts, what a request costs, and which plan a caller is on."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypedDict, Union, runtime_checkable

from tokenweir import KeyedLimiter, Limiter, Limits, http
from tokenweir.web._keys import client_address
from tokenweir.web._request import PathTable

if TYPE_CHECKING:
    from typing import TypeAlias

    from tokenweir._native import Decision, _Clock, _LimitsLike
    from tokenweir._types import Key
    from tokenweir.web._keys import KeyFunction
    from tokenweir.web._request import Request

__all__ = [
    "CheckAsyncLimiter",
    "CheckLimiter",
    "Demand",
    "Scope",
    "ScopeOptions",
    "is_native",
    "now",
]


@runtime_checkable
class CheckLimiter(Protocol):
    """A limiter by keys, such as a `KeyedLimiter` or one in a store; what it returns may have to be awaited,
    which needs an asynchronous application."""

    def check(self, key: Any, cost: int = ..., /) -> Decision | Awaitable[Decision]: ...


@runtime_checkable
class CheckAsyncLimiter(Protocol):
    """A limiter by keys that asynchronous applications ask by another method."""

    async def check_async(self, key: Any, cost: int = ..., /) -> Decision: ...


if TYPE_CHECKING:
    Limited: TypeAlias = Union[_LimitsLike, Limiter, KeyedLimiter, CheckLimiter, CheckAsyncLimiter]
    Cost: TypeAlias = Union[int, Mapping[str, int], Callable[[Request], Union[int, Awaitable[int]]]]
    PlanFunction: TypeAlias = Callable[[Request], Union[str, Awaitable[str]]]


class ScopeOptions(TypedDict, total=False):
    """The options of a `Scope`, which a policy of one scope takes itself."""

    key: KeyFunction | None
    cost: Cost
    plans: Mapping[str, Limited] | None
    plan: PlanFunction | None
    name: str
    max_keys: int
    clock: _Clock | None


class Demand(NamedTuple):
    """What a request asks of a scope."""

    scope: Scope
    limiter: Any
    key: Key
    cost: int

    async def check(self, asynchronous: bool) -> Decision:
        """Asks the limiter, in the way that suits the application."""
        by_task = asynchronous and hasattr(self.limiter, "check_async")
        check = self.limiter.check_async if by_task else self.limiter.check
        decision: Decision = await now(check(self.key, self.cost))
        return decision

    @property
    def subject(self) -> Any:
        """As `tokenweir.check_all` takes it."""
        if isinstance(self.limiter, Limiter):
            return self.limiter, self.cost
        return self.limiter, self.key, self.cost


class Scope:
    """Limits, and whom they are for.

    ``Scope("10/s; 1000/day", key=client_address())`` holds for each client on its own, and
    ``Scope("1000/s", key=None)`` for all requests together. Limits are given as to `Limiter`, or as a
    limiter: a `KeyedLimiter`, a `Limiter` with ``key=None``, one in a store (`tokenweir.stores.StoredLimiter`, or
    ``AsyncStoredLimiter`` where the application is asynchronous), or anything else that has
    ``check(key, cost)`` or ``check_async(key, cost)``.

    In a store, where limiters share one name space, the name of the scope and that of the plan go before a
    key: there each scope needs a name of its own.

    ``plans`` gives limits by name instead, each for the callers whose plan ``plan(request)`` says; one
    that is not there is an error. ``cost`` is a number, or a mapping from paths as ``"/report"``,
    ``"POST /search"`` or ``"/export/*"`` (1 where none fits), or a function of the request. A cost of 0,
    and a key of None that the key function returns, leave the request uncounted in this scope.

    ``name`` goes before the names of the limits in the fields. At most ``max_keys`` keys are told apart
    (all further ones share one limiter then), by ``clock``, where limits are not given as a limiter.
    """

    def __init__(
        self,
        *limits: Limited,
        key: KeyFunction | None = client_address(),
        cost: Cost = 1,
        plans: Mapping[str, Limited] | None = None,
        plan: PlanFunction | None = None,
        name: str = "",
        max_keys: int = 100_000,
        clock: _Clock | None = None,
    ) -> None:
        if (plans is None) != (plan is None):
            raise TypeError("plans and plan: one needs the other")
        if bool(limits) == bool(plans):
            raise TypeError("limits, or plans, are needed; not both")
        self.name = name
        self._key = key
        self._cost = _cost_function(cost)
        self._plan = plan

        def limiter(limits: tuple[Limited, ...]) -> Any:
            made = _limiter(limits, key, max_keys, clock)
            if isinstance(known := getattr(made, "limits", None), Limits):
                # What cannot be said in a field is found here, not at a request.
                http.policies(known, name)
            return made

        self._limiters: dict[str | None, Any] = (
            {None: limiter(limits)}
            if plans is None
            else {plan: limiter((limits,)) for plan, limits in plans.items()}
        )

    @property
    def limiters(self) -> tuple[Any, ...]:
        """The limiter, or those of all plans."""
        return tuple(self._limiters.values())

    async def demand(self, request: Request) -> Demand | None:
        """What a request asks of this scope; None if it does not count in it."""
        cost = await now(self._cost(request))
        if cost == 0:
            return None
        key: Key = "everybody"
        if self._key is not None:
            found = await now(self._key(request))
            if found is None:
                return None
            key = found
        plan = None if self._plan is None else await now(self._plan(request))
        if plan not in self._limiters:
            known = ", ".join(map(repr, self._limiters))
            raise ValueError(f"plan: {plan!r} is none of {known}")
        limiter = self._limiters[plan]
        if isinstance(key, str) and not is_native(limiter):
            key = "/".join(part for part in (self.name, plan, key) if part)
        return Demand(self, limiter, key, cost)

    def __repr__(self) -> str:
        name = f"{self.name!r}: " if self.name else ""
        return f"<Scope {name}{', '.join(map(repr, self.limiters))}>"


def is_native(limiter: Any) -> bool:
    """Whether it keeps what is left in this process, by itself."""
    return isinstance(limiter, (Limiter, KeyedLimiter))


async def now(value: Any) -> Any:
    """A value that may have to be waited for."""
    return await value if inspect.isawaitable(value) else value


def _limiter(
    limits: tuple[Any, ...], key: KeyFunction | None, max_keys: int, clock: _Clock | None
) -> Any:
    given = limits[0]
    if len(limits) > 1 or not isinstance(given, (CheckLimiter, CheckAsyncLimiter)):
        if key is None:
            return Limiter(*limits, clock=clock)
        return KeyedLimiter(*limits, max_keys=max_keys, when_full="share", clock=clock)
    if clock is not None:
        raise TypeError(f"clock: {given!r} has its own")
    if key is not None and isinstance(given, Limiter):
        raise TypeError(f"key: {given!r} has no keys")
    return given


# Knows which costs there are.
_ANY = Limiter("1/s")


def _cost_function(cost: Any) -> Callable[[Request], Any]:
    if callable(cost):
        return cost  # type: ignore[no-any-return]
    costs = cost.values() if isinstance(cost, Mapping) else (cost,)
    for each in costs:
        if each != 0:
            _ANY.peek(each)
    if not isinstance(cost, Mapping):
        return lambda _request: cost
    table: PathTable[int] = PathTable(cost, "cost")

    def by_path(request: Request) -> int:
        found = table.find(request)
        return 1 if found is None else found

    return by_path
