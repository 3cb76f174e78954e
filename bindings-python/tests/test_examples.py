"""The examples that the type checkers check also run."""

from __future__ import annotations

import runpy
from pathlib import Path


def test_the_typed_examples_run() -> None:
    runpy.run_path(str(Path(__file__).parent / "typing" / "examples.py"), run_name="__main__")
