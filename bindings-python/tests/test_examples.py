"""The examples that the type checkers check also run."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent / "typing").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_the_typed_examples_run(example: Path) -> None:
    runpy.run_path(str(example), run_name="__main__")
