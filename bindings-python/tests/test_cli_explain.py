"""``python -m tokenweir explain``, and what `Limits` says of itself."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta

import pytest

import tokenweir
from tokenweir import DurationError, Limits
from tokenweir._cli import main

HOUR = 3_600 * 10**9


def test_limits_are_explained_one_by_one_and_together() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tokenweir", "explain", "100/s burst 200; 10000/day aligned"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == Limits("100/s burst 200; 10000/day aligned").explain()
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "100/s burst 200"
    assert "  Burst: 200 at once; a call for more is never granted." in lines
    assert "  Sustained rate: 100 in 1 s, or one every 10 ms." in lines
    assert "  Recovery: an empty one has a token after 10 ms and is full after 2 s." in lines
    assert lines[-5:] == [
        "At once        at most   200, by 100/s burst 200",
        "In any 1 s     at most   300, by 100/s burst 200",
        "In any 1 min   at most  6200, by 100/s burst 200",
        "In any 1 h     at most 20000, by 10000/d aligned",
        "In any 1 day   at most 20000, by 10000/d aligned",
    ]


def test_the_place_of_a_mistake_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "10/min; 5/fortnight"]) == 2
    assert capsys.readouterr() == (
        "",
        "tokenweir explain: LIMITS, column 11: expected a unit of time (ns, us, ms, s, min, h, d, w), "
        'found "fortnight"\n  10/min; 5/fortnight\n            ^\n',
    )


def test_the_most_within_a_window_is_the_burst_and_what_comes_back() -> None:
    limits = Limits("100/s burst 200; 10000/day aligned")
    assert limits.most_within(1) == limits.most_within(timedelta(seconds=1)) == 300
    assert limits.most_within(window_ns=0) == 200
    assert limits.most_within(window_ns=HOUR) == limits.most_within(3600.0) == 20_000
    # A part of a nanosecond counts as one.
    assert Limits("cycle 5/s").most_within(1e-10) == 10
    assert Limits("1/ns").most_within(window_ns=2**64 - 1) == 2**64 - 1


def test_a_window_that_is_none_is_an_error() -> None:
    limits = Limits("1/s")
    with pytest.raises(TypeError, match="window or window_ns is missing"):
        limits.most_within()
    with pytest.raises(TypeError, match="give one of them"):
        limits.most_within(1, window_ns=1)
    for window_ns in (-1, 2**64, 2**200):
        with pytest.raises(DurationError, match="a window of") as error:
            limits.most_within(window_ns=window_ns)
        assert error.value.code == "window_out_of_range"
    with pytest.raises(DurationError):
        limits.most_within(-0.5)
    with pytest.raises(TypeError, match="seconds"):
        limits.most_within("1 s")  # type: ignore[arg-type]


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"tokenweir {tokenweir.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "tokenweir: the following arguments are required: command; see --help\n"),
        (["explain"], "tokenweir explain: the following arguments are required: LIMITS; see --help\n"),
        (["fly"], "tokenweir: argument command: invalid choice: 'fly'"),
    ],
)
def test_a_command_is_needed(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(message)
