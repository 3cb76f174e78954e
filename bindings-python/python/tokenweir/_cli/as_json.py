"""The report for programs: one object, whose members the README of the package describes.

Members may be added in later releases; none changes its meaning or goes away.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tokenweir._cli.outcome import BOUNDS_NS, Outcome
from tokenweir._cli.report import utc

if TYPE_CHECKING:
    from tokenweir._cli.source import Survey
    from tokenweir._native import Limits

__all__ = ["as_json"]


def as_json(source: str, key: str, limits: Limits, survey: Survey, outcome: Outcome) -> str:
    """The report as text in JSON, in ASCII."""
    described = {
        "limits": str(limits),
        "key": key,
        "source": source,
        "requests": survey.requests,
        "first": rfc3339(survey.first_ns),
        "last": rfc3339(survey.last_ns),
        "admitted": outcome.admitted,
        "refused": outcome.refused,
        "keys": outcome.keys,
        "keys_refused": len(outcome.tallies),
        "bad_lines": {
            "count": survey.bad,
            "first": [{"line": line, "problem": problem} for line, problem in survey.bad_first],
        },
        "refused_by": [
            {"limit": name, "refused": refused}
            for name, refused in zip(limits.names, outcome.refused_by, strict=True)
        ],
        "refusals": [tally._asdict() for tally in outcome.tallies],
        "waits": [
            {"up_to_ns": bound, "count": count}
            for bound, count in zip([*BOUNDS_NS, None], outcome.waits, strict=True)
        ],
        "never": outcome.never,
    }
    return json.dumps(described, indent=2)


def rfc3339(at_ns: int) -> str:
    """An instant, in whole seconds, as logs have them."""
    return utc(at_ns).replace(" ", "T") + "Z"
