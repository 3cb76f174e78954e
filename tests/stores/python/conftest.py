"""The servers, once for all tests; a test that breaks one starts its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
# The helpers of this folder, and those of the Python package's tests.
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "bindings-python" / "tests")]

from places import Place  # noqa: E402
from servers import Cluster, Postgres, Redis  # noqa: E402


@pytest.fixture(scope="session")
def redis() -> Iterator[Redis]:
    server = Redis()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    server = Postgres()
    Place(server.url).create_table()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    nodes = Cluster()
    yield nodes
    nodes.stop()


@pytest.fixture(params=["redis", "postgres", "cluster"])
def place(request: pytest.FixtureRequest) -> Place:
    """Each kind of store in turn."""
    return Place(request.getfixturevalue(request.param).url)


@pytest.fixture(params=[Redis, Postgres], ids=["redis", "postgres"])
def server(request: pytest.FixtureRequest) -> Iterator[Redis | Postgres]:
    """A server of each kind that the test may break."""
    started: Redis | Postgres = request.param()
    Place(started.url).create_table()
    yield started
    started.stop()


@pytest.fixture
def key(request: pytest.FixtureRequest) -> str:
    """A key of this test alone."""
    return f"{{{request.node.name}}}"
