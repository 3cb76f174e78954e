"""Reading the recorded scenarios, which every language runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "vectors"

NEVER = 2**63 - 1


def load(file: str) -> list[dict[str, Any]]:
    return json.loads((FOLDER / file).read_text())["scenarios"]


def integer(value: int | str) -> int:
    return int(value)


def optional(value: int | str | None) -> int | None:
    return None if value is None else int(value)


def shift_for(instants: list[int]) -> int:
    """What is added to recorded instants, which are signed; ours start at 0."""
    return max(0, -min(instants))
