"""Calls to services within limits, whatever library makes them: what `tokenweir.httpx` and
`tokenweir.requests` share."""

from __future__ import annotations

from tokenweir._calls.answer import answer
from tokenweir._calls.calls import Calls, Port
from tokenweir._calls.origin import origin
from tokenweir._calls.steps import run, run_async

__all__ = ["Calls", "Port", "answer", "origin", "run", "run_async"]
