"""The policy of a service, or of a part of it."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tokenweir import Limiter, StoreError, TooManyKeys, http, stores
from tokenweir._native import _check_subjects
from tokenweir.stores._together import parts_of
from tokenweir.web._answers import Answers, Verdict
from tokenweir.web._request import PathTable
from tokenweir.web._scope import Demand, Scope, is_native, now

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import Unpack

    from tokenweir.http import Quota, Style
    from tokenweir.web._request import Request
    from tokenweir.web._scope import Limited, ScopeOptions

__all__ = ["RequestPolicy"]

log = logging.getLogger("tokenweir.web")


class RequestPolicy:
    """Which requests are served: see the module for examples.

    ``RequestPolicy("100/min", key=client_address())`` has one `Scope`, of which it takes the options; several
    are given as scopes: ``RequestPolicy(Scope(...), Scope(...))``. A request is served if every scope has
    its cost; otherwise none pays. Scopes that are decided together need limiters of this process that read
    one clock, or limiters of one store.

    ``style`` is that of the fields: "draft", "draft-7", "legacy", "x-ratelimit" or "none", see `http.fields`.
    ``dry_run`` serves everything, and logs and counts what would have been refused. ``exempt`` are paths
    that are not counted (``"/health"``, ``"POST /hook"``, ``"/static/*"``), or a function of the request.
    ``on_refused(request, verdict)`` is called for each request over a limit, also in a dry run; where the
    application is asynchronous it may return an awaitable. ``on_outage`` says whether a request that no
    limit can be asked about is served ("allow") or refused with 503 ("deny"). ``detail`` is said in the
    body of refusals.
    """

    def __init__(
        self,
        *scopes: Scope | Limited,
        style: Style = "draft",
        dry_run: bool = False,
        exempt: Iterable[str] | Callable[[Request], bool] = (),
        exempt_methods: Collection[str] = ("OPTIONS",),
        on_refused: Callable[[Request, Verdict], object] | None = None,
        on_outage: Literal["allow", "deny"] = "allow",
        detail: str | None = None,
        **options: Unpack[ScopeOptions],
    ) -> None:
        http.fields(style, [])
        if on_outage not in ("allow", "deny"):
            raise ValueError(f"on_outage: {on_outage!r} is neither 'allow' nor 'deny'")
        if isinstance(exempt_methods, str):
            raise TypeError(f"exempt_methods: a list is needed, not {exempt_methods!r}")
        self.scopes = _scopes(scopes, options)
        self._decide_together = _decider(self.scopes)
        self.style: Style = style
        self.dry_run = dry_run
        self.detail = detail
        self._is_exempt = exempt if callable(exempt) else _exempt(exempt)
        self._exempt_methods = frozenset(exempt_methods)
        self._on_refused = on_refused
        self._on_outage = on_outage
        self._lock = threading.Lock()
        self._counters = {"allowed": 0, "refused": 0, "unavailable": 0}
        self._is_out = False

    @property
    def counters(self) -> dict[str, int]:
        """How many requests were counted: those that were allowed, those over a limit (also those that a
        dry run served), and those of which no limit could be asked."""
        with self._lock:
            return dict(self._counters)

    def judge(self, request: Request, answers: Answers) -> Verdict:
        """Decides about a request, once, and adds what is to be said of it to ``answers``."""
        deciding = self.judge_async(request, answers)
        try:
            deciding.send(None)
        except StopIteration as done:
            verdict: Verdict = done.value
            return verdict
        deciding.close()
        raise TypeError("a function of the policy waits, which only asynchronous applications can")

    async def judge_async(self, request: Request, answers: Answers) -> Verdict:
        """As `judge`, for asynchronous applications."""
        verdict = answers.by(self)
        if verdict is None:
            verdict = await self._decide(request)
            answers.add(verdict)
            if verdict.over:
                await self._tell(request, verdict)
        return verdict

    async def _decide(self, request: Request) -> Verdict:
        if request.method in self._exempt_methods or self._is_exempt(request):
            return Verdict(self, served=True)
        demands = [demand for scope in self.scopes if (demand := await scope.demand(request))]
        if not demands:
            return Verdict(self, served=True)
        try:
            verdict = await self._ask(demands, request.asynchronous)
        except StoreError as error:
            self._log_outage(error)
            self._count("unavailable")
            return Verdict(self, served=self.dry_run or self._on_outage == "allow")
        except TooManyKeys as error:
            log.warning("%s %r: %s", request.method, request.path, error)
            self._count("unavailable")
            return Verdict(self, served=self.dry_run)
        self._log_outage(None)
        if verdict.degraded:
            self._count("unavailable")
        else:
            self._count("refused" if verdict.over else "allowed")
        return verdict

    async def _ask(self, demands: list[Demand], asynchronous: bool) -> Verdict:
        names = [demand.scope.name for demand in demands]
        if all(is_native(demand.limiter) for demand in demands):
            subjects = [demand.subject for demand in demands]
            joint, quotas = http.check_with_quotas(*subjects, scopes=names)
            decision, scope = joint.decision, names[joint.subject]
        elif len(demands) == 1:
            decision, [scope] = await demands[0].check(asynchronous), names
            quotas = _quotas([decision], names)
        else:
            across = await now(self._decide_together(*(demand[1:] for demand in demands)))
            decision, scope = across.decision, names[across.subject]
            quotas = _quotas(across.decisions, names)
        return Verdict(self, self.dry_run or decision.allowed, decision, scope, tuple(quotas))

    async def _tell(self, request: Request, verdict: Verdict) -> None:
        level, done = (
            (logging.WARNING, "would be refused") if verdict.served else (logging.INFO, "refused")
        )
        decision = verdict.decision
        log.log(level, "%s %r %s: %r", request.method, request.path, done, decision)
        if self._on_refused is not None:
            await now(self._on_refused(request, verdict))

    def _count(self, what: str) -> None:
        with self._lock:
            self._counters[what] += 1

    def _log_outage(self, error: StoreError | None) -> None:
        """Once when it begins, and once when it is over."""
        with self._lock:
            was_out, self._is_out = self._is_out, error is not None
        if error is not None and not was_out:
            done = "served without limits" if self._on_outage == "allow" else "refused with 503"
            log.error("limits cannot be asked, requests are %s: %s", done, error)
        elif error is None and was_out:
            log.info("limits can be asked again")

    def __repr__(self) -> str:
        dry = ", dry run" if self.dry_run else ""
        return f"<RequestPolicy {', '.join(map(repr, self.scopes))}{dry}>"


def _exempt(paths: Iterable[str]) -> Callable[[Request], bool]:
    table = PathTable.of(paths, "exempt")
    return lambda request: table.find(request) is True


def _scopes(given: tuple[Any, ...], options: ScopeOptions) -> tuple[Scope, ...]:
    if not any(isinstance(scope, Scope) for scope in given):
        return (Scope(*given, **options),)
    if options:
        raise TypeError(f"{', '.join(options)}: an option of each Scope")
    if not all(isinstance(scope, Scope) for scope in given):
        raise TypeError("either scopes or limits are needed, not both")
    return given


def _quotas(decisions: Sequence[Any], names: Sequence[str]) -> list[Quota]:
    """How limits of a store stand, of which no more is known than decisions; where these were made without
    the store, they promise nothing."""
    if any(getattr(decision, "degraded", False) for decision in decisions):
        return []
    return [
        quota
        for decision, name in zip(decisions, names, strict=True)
        for quota in http.quotas(decision, name)
    ]


def _decider(scopes: tuple[Scope, ...]) -> Any:
    """What decides about several scopes that are not of this process; checks that all can be."""
    limiters = [limiter for scope in scopes for limiter in scope.limiters]
    if len(scopes) == 1:
        return None
    if all(map(is_native, limiters)):
        for together in itertools.product(*(scope.limiters for scope in scopes)):
            _check_subjects(
                *(
                    limiter if isinstance(limiter, Limiter) else (limiter, "")
                    for limiter in together
                )
            )
        return None
    for kind, decide in (
        (stores.StoredLimiter, stores.check_together),
        (stores.AsyncStoredLimiter, stores.check_together_async),
    ):
        if all(isinstance(limiter, kind) for limiter in limiters):
            if len({scope.name for scope in scopes}) < len(scopes):
                raise ValueError("name: the scopes of a store need different ones")
            parts_of([(limiter, str(place)) for place, limiter in enumerate(limiters)], kind)
            return decide
    raise TypeError(
        "scopes: their limiters must all be of this process, or all in one store, to be decided together"
    )
