"""The Python examples of the guide run, and print what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from servers import Postgres, Redis

GUIDE = Path(__file__).parents[3] / "core" / "docs" / "choosing-a-store.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)


def test_every_example_is_found() -> None:
    assert len(EXAMPLES) == 6


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_example(example: str, redis: Redis, postgres: Postgres) -> None:
    said = [comment.group(1) for comment in re.finditer(r"print\(.*\)  # (.*)", example)]
    environment = {**os.environ, "REDIS_URL": redis.url, "DATABASE_URL": postgres.url}
    command = [sys.executable, "-W", "error", "-c", example]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == said
