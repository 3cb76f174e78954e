"""Every recorded scenario through stored bytes: after each command they are all that is left."""

from __future__ import annotations

from typing import Any

import pytest
import stored_runs
from stored_key import Local
from vectors import load

BUCKETS = [scenario for scenario in load("bucket4j.json") if "config" in scenario]
REMOTE = [scenario for scenario in load("bucket4j.json") if "config" not in scenario]
CYCLES = load("resilience4j.json")


def test_every_scenario_is_there() -> None:
    assert (len(BUCKETS), len(REMOTE), len(CYCLES)) == (863, 3, 506)


@pytest.mark.parametrize("scenario", BUCKETS, ids=lambda scenario: scenario["name"])
def test_bucket(scenario: dict[str, Any]) -> None:
    stored_runs.run_bucket(scenario, Local())


@pytest.mark.parametrize("scenario", CYCLES, ids=lambda scenario: scenario["name"])
def test_cycle(scenario: dict[str, Any]) -> None:
    stored_runs.run_cycle(scenario, Local())


@pytest.mark.parametrize("scenario", REMOTE, ids=lambda scenario: scenario["name"])
def test_stored_configurations(scenario: dict[str, Any]) -> None:
    stored_runs.run_remote(scenario, Local())
