"""What policies said of a request, and the reply that says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenweir import http

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from tokenweir import Decision
    from tokenweir.http import Quota, Style
    from tokenweir.web._policy import RequestPolicy

__all__ = ["Answers", "Reply", "Verdict"]


@dataclass(frozen=True)
class Verdict:
    """What a policy said of a request."""

    policy: RequestPolicy
    served: bool
    """Whether the request is to be served: also where it is over a limit in a dry run."""
    decision: Decision | None = None
    """The decision, of the scope that decided; None where none was made: not counted, or an outage."""
    scope: str = ""
    """The name of that scope."""
    quotas: tuple[Quota, ...] = ()
    """How each limit stands."""

    @property
    def over(self) -> bool:
        """Whether the request is over a limit, be it refused for that or not."""
        return self.decision is not None and not (self.decision.allowed or self.degraded)

    @property
    def degraded(self) -> bool:
        """Whether the decision was made without the store that knows how the limits stand."""
        return bool(getattr(self.decision, "degraded", False))

    def reply(self) -> Reply:
        """The reply of a refusal, without the fields of all answers."""
        if self.over:
            body = http.problem(list(self.quotas), self.policy.detail)
            return Reply(http.TOO_MANY_REQUESTS, body.encode())
        return Reply(503, _UNAVAILABLE)


@dataclass(frozen=True)
class Reply:
    """A refusal: a status, and a body of the media type ``application/problem+json``."""

    status: int
    body: bytes
    media_type: str = http.PROBLEM_MEDIA_TYPE


class Answers:
    """All that was said of one request, by every policy on its way to the view.

    It is kept in what the framework carries along with the request: an ASGI scope, a WSGI environ. One of
    those who added to it claims to put the fields on the reply, which is the outermost that can.
    """

    __slots__ = ("_claimed", "_verdicts")

    def __init__(self) -> None:
        self._verdicts: list[Verdict] = []
        self._claimed = False

    @classmethod
    def of(cls, carrier: MutableMapping[str, Any]) -> Answers:
        """The answers that the request carries, which are none at first."""
        answers = carrier.setdefault("tokenweir.answers", cls())
        assert isinstance(answers, cls)
        return answers

    def claim(self) -> bool:
        """Whether it falls to the caller to put the fields on the reply: to the first that asks."""
        claimed, self._claimed = self._claimed, True
        return not claimed

    @property
    def is_claimed(self) -> bool:
        return self._claimed

    def add(self, verdict: Verdict) -> None:
        self._verdicts.append(verdict)

    def by(self, policy: RequestPolicy) -> Verdict | None:
        """What this policy has already said."""
        return next((known for known in self._verdicts if known.policy is policy), None)

    def fields(self) -> list[tuple[str, str]]:
        """The fields of the reply: names and values, each name once."""
        styles: dict[Style, list[Quota]] = {}
        refusing: list[Quota] = []
        for verdict in self._verdicts:
            styles.setdefault(verdict.policy.style, []).extend(verdict.quotas)
            if not verdict.served:
                refusing += verdict.quotas
        found: dict[str, str] = {}
        for style, quotas in styles.items():
            found.update(http.fields(style, quotas))
        # Whoever was served in a dry run has nothing to wait for.
        found.pop("Retry-After", None)
        found.update(http.fields("none", refusing))
        return list(found.items())


_UNAVAILABLE = b'{"type":"about:blank","title":"Service Unavailable","status":503}'
