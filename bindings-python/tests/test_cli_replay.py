"""``python -m tokenweir replay``: what the Rust example prints, and what goes wrong."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import tokenweir
from tokenweir._cli import main

ROOT = Path(__file__).resolve().parents[2]
LOG = "tests/data/access.log"
LINE = '{client} - - [17/May/2015:10:00:{second:02} +0000] "GET /{path} HTTP/1.1" 200 5'


@pytest.fixture(scope="session")
def example() -> str:
    """The Rust example, built."""
    build = "build --quiet -p tokenweir --example replay --features std --message-format json"
    built = subprocess.run(
        ["cargo", *build.split()], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    return next(
        message["executable"]
        for message in messages
        if message.get("target", {}).get("name") == "replay" and message.get("executable")
    )


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are printed as they are given."""
    monkeypatch.chdir(ROOT)


def both(example: str, *arguments: str, given: bytes = b"") -> str:
    """The report, which is the same from both programs, byte for byte."""
    theirs, ours = (
        subprocess.run([*command, *arguments], input=given, check=True, capture_output=True)
        for command in ([example], [sys.executable, "-m", "tokenweir", "replay"])
    )
    assert ours.stdout.decode() == theirs.stdout.decode()
    assert ours.stderr == b""
    return ours.stdout.decode()


def replay(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, given: str, *arguments: str
) -> str:
    """What is printed for a log on standard input, without a process of its own."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
    assert main(["replay", "-", *arguments]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("limit", "key", "figures"),
    [
        ("10/min", "client", "admitted=8987 refused=1013 keys=1753 keys_refused=54"),
        ("100/hour; 5/10s", "client", "admitted=9587 refused=413 keys=1753 keys_refused=35"),
        ("cycle 10/60s", "client", "admitted=8394 refused=1606 keys=1753 keys_refused=76"),
        ("interval 3/min; daily: 100/day aligned", "path", None),
        ("10/s initial 0; 1/h burst 2000", "status", None),
        ("1/min", "all", None),
    ],
)
def test_the_shipped_log_gives_the_report_of_the_rust_example(
    example: str, limit: str, key: str, figures: str | None
) -> None:
    report = both(example, LOG, "--limit", limit, "--key", key)
    assert figures is None or report.splitlines()[0] == figures


WEIRD = [
    b'10.0.0.1 - - [17/May/2015:10:00:01 +0000] "GET /a HTTP/1.1" 200 5',
    b'10.0.0.1 - jo hn [17/May/2015:12:00:00 +0200] "GET /b?c HTTP/1.1" 200 - "http://x/\\"[\\"" "a"',
    b"",
    b" \t\r\x0b\x0c\xc2\xa0\xe3\x80\x80",
    b"\x1c",
    b'10.0.0.1 - - [17/May/2015:04:30:00 -0530] "GET /c#d HTTP/1.1" 304 0\r',
    b'::1 - - [17/May/2015:10:00:00 +0000] "-" 408 -',
    b'::1 - - [ 7/may/2015:1:2:3+000030]   \xc2\xa0"\\" " 408',
    b'::1 - - [17/May/2015:23:59:60 +0000]"" 500',
    b'::1 - - [17/May/2015:10:00:00 +2359] "x" 200',
    b'::1 - - [17/May/2015:10:00:00 +2600] "x" 200',
    b'::1 - - [17/May/2015:10:00:00 +0060] "x" 200',
    b'::1 - - [17/May/2015:24:00:00 +0000] "x" 200',
    b'::1 - - [17/May/2015:10:00:00 Z] "x" 200',
    b'::1 - - [31/Feb/2015:10:00:01 +0000] "x" 200',
    b'::1 - - [01/Jan/1970:00:00:00 +0001] "x" 200',
    b'::1 - - [01/Jan/-015:00:00:00 +0001] "x" 200',
    b'::1 - - [01/Jan/2555:00:00:00 +0000] "x" 200',
    b'::1 - - [01/Jan/2554:00:00:00 +0000] "x" 200',
    b'::1 - - [\xd9\xa1/Jan/2554:00:00:00 +0000] "x" 200',
    b"nonsense",
    b' [17/May/2015:10:00:01 +0000] "x" 200',
    b'h [17/May/2015:10:00:01 +0000] "x" 200',
    b'h  [17/May/2015:10:00:01 +0000] "x" 200',
    b'h [17/May/2015:10:00:01 +0000',
    b'h [17/May/2015:10:00:01 +0000] GET',
    b'h [17/May/2015:10:00:01 +0000] "GET / HTTP/1.1',
    b'h [17/May/2015:10:00:01 +0000] "GET / HTTP/1.1\\" 200',
    b'h [17/May/2015:10:00:01 +0000] "x" OK',
    b'h [17/May/2015:10:00:01 +0000] "x" 2000',
    b'h [17/May/2015:10:00:01 +0000] "x" 200"',
    b'h [17/May/2015:10:00:01 +0000] "x"200\xe2\x80\xa85',
    b'h [bad] [17/May/2015:10:00:01 +0000] "x" 200',
    b'h [bad] "x" [17/May/2015:10:00:01 +0000] "x" 200',
    b'\xff\xfe\xe2\x82h\x1b[31m\xc2\x9b - - [17/May/2015:10:00:01 +0000] "GET /\xf0\x9f /x" 200',
    b'\xff\xfe\xe2\x82h\x1b[31m\xc2\x9b - - [17/May/2015:10:00:01 +0000] "GET /\xf0\x9f /x" 200',
]


@pytest.mark.parametrize("key", ["client", "path", "status", "all"])
def test_each_kind_of_line_is_read_as_in_the_rust_example(example: str, key: str) -> None:
    both(example, "-", "--limit", "interval 1/s", "--key", key, given=b"\n".join(WEIRD))


def test_lines_of_any_bytes_are_read_as_in_the_rust_example(example: str) -> None:
    chance = random.Random(20150517)
    lines = []
    for _ in range(3_000):
        line = bytearray(chance.choice(WEIRD))
        for _ in range(chance.randrange(3)):
            at = chance.randrange(len(line) + 1)
            line[at : at + chance.randrange(3)] = chance.choice(
                [b"[", b"]", b'"', b" ", b"\\", b"\xff", b"\xc2\xa0", b"1", b"9", b"\r", b""]
            )
        lines.append(bytes(line))
    both(example, "-", "--limit", "1/min", "--key", "path", given=b"\n".join(lines))


def test_requests_are_replayed_in_the_order_of_their_times(example: str) -> None:
    # Each a while late, and a few that are very late.
    chance = random.Random(7)
    late = sorted(range(3_000), key=lambda at: at + chance.choice([0, 1, 2, 5, 400]))
    log = "\n".join(
        LINE.replace("10:00", f"{10 + at // 3600}:{at // 60 % 60:02}").format(
            client=f"h{chance.randrange(9)}", second=at % 60, path=""
        )
        for at in late
    )
    report = both(example, "-", "--limit", "1/5s burst 3; cycle 20/min", given=log.encode())
    assert "requests  3000 in standard input" in report


def test_the_object_in_json_has_the_same_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", LOG, "--limit", "100/hour; short: 5/10s", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    refusals = told.pop("refusals")
    waits = told.pop("waits")
    assert told == {
        "limits": "100/h; short: 5/10s",
        "key": "client",
        "source": LOG,
        "requests": 10_000,
        "first": "2015-05-17T10:05:00Z",
        "last": "2015-05-20T21:05:59Z",
        "admitted": 9_587,
        "refused": 413,
        "keys": 1_753,
        "keys_refused": 35,
        "bad_lines": {"count": 0, "first": []},
        "refused_by": [{"limit": "100/h", "refused": 0}, {"limit": "short", "refused": 413}],
        "never": 0,
    }
    assert len(refusals) == 35
    assert refusals[0] == {
        "key": "10.0.0.97",
        "admitted": 139,
        "refused": 134,
        "longest_wait_ns": 2_000_000_000,
    }
    assert sum(refusal["refused"] for refusal in refusals) == 413
    assert sum(wait["count"] for wait in waits) == 413
    bounds = [wait["up_to_ns"] for wait in waits]
    assert bounds[-1] is None
    assert bounds[:-1] == sorted(bounds[:-1])


def test_bad_lines_are_in_the_object(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = "\n".join([LINE.format(client="h", second=0, path=""), *["nonsense"] * 12])
    told = json.loads(replay(capsys, monkeypatch, log, "--limit", "1/s", "--json"))
    assert told["bad_lines"]["count"] == 12
    expected = [{"line": line, "problem": "no time in brackets"} for line in range(2, 12)]
    assert told["bad_lines"]["first"] == expected
    assert (told["admitted"], told["refusals"]) == (1, [])


def test_what_no_wait_helps_is_counted_apart(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A wait of 2**63 - 1 ns is never; a second later it is a long one.
    log = "\n".join(LINE.format(client="h", second=second, path="") for second in (0, 1))
    limit = ["--limit", "1/9223372036854775807ns initial 0"]
    report = replay(capsys, monkeypatch, log, *limit)
    assert report.endswith(f"   longer        1  {'#' * 40}\n    never        1  {'#' * 40}\n")
    told = json.loads(replay(capsys, monkeypatch, log, *limit, "--json"))
    assert (told["never"], told["waits"][-1], told["refused"]) == (
        1,
        {"up_to_ns": None, "count": 1},
        2,
    )
    assert told["refusals"][0]["longest_wait_ns"] is None


@pytest.mark.parametrize(
    ("arguments", "given", "message"),
    [
        (["no/such.log", "--limit", "1/s"], "", "cannot read no/such.log: No such file or directory"),
        (["tests", "--limit", "1/s"], "", "cannot read tests: Is a directory"),
        (["a\0b", "--limit", "1/s"], "", "cannot read a\0b: embedded null byte"),
        (["-", "--limit", "1/s"], "\n", "standard input is empty"),
        (
            ["-", "--limit", "1/s"],
            "\nnonsense\n",
            "standard input has no request in Common or Combined Log Format; line 2: no time in "
            "brackets",
        ),
        (
            [LOG, "--limit", "10/min; 5/fortnight"],
            "",
            "--limit, column 11: expected a unit of time (ns, us, ms, s, min, h, d, w), found "
            '"fortnight"\n  10/min; 5/fortnight\n            ^',
        ),
        (
            [LOG, "--limit", "10/min;\t5"],
            "",
            "--limit, column 10: expected `/` or `per`, found the end of the text\n"
            "  10/min; 5\n           ^",
        ),
        ([LOG], "", "the following arguments are required: --limit; see --help"),
        (["--limit", "1/s"], "", "the following arguments are required: FILE; see --help"),
        ([LOG, "--limit", "1/s", "--key", "color"], "", "argument --key: invalid choice: 'color'"),
        ([LOG, "--limits=1/s"], "", "the following arguments are required: --limit; see --help"),
        ([LOG, "--limit", "1/s", "--plot", "a.b"], "", "--plot writes "),
        ([LOG, "--limit", "1/s", "--plot", "a"], "", "--plot writes "),
    ],
)
def test_what_cannot_be_replayed_is_said_on_standard_error_with_status_2(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    given: str,
    message: str,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
    try:
        status: Any = main(["replay", *arguments])
    except SystemExit as end:
        status = end.code
    assert status == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"tokenweir replay: {message}")


def test_a_log_that_shrinks_while_it_is_read_is_not_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "a.log"
    log.write_text(LINE.format(client="h", second=0, path="") + "\n")
    survey = tokenweir._cli.replay.Source.survey

    def surveyed(*arguments: Any, **named: Any) -> Any:
        found = survey(*arguments, **named)
        log.write_text("")
        return found

    monkeypatch.setattr(tokenweir._cli.replay.Source, "survey", surveyed)
    assert main(["replay", str(log), "--limit", "1/s"]) == 2
    assert capsys.readouterr().err == f"tokenweir replay: {log} changed while it was read\n"


def test_lines_that_come_while_it_is_read_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "a.log"
    line = LINE.format(client="h", second=0, path="") + "\n"
    log.write_text(line)
    survey = tokenweir._cli.replay.Source.survey

    def surveyed(*arguments: Any, **named: Any) -> Any:
        found = survey(*arguments, **named)
        log.write_text(line * 3)
        return found

    monkeypatch.setattr(tokenweir._cli.replay.Source, "survey", surveyed)
    assert main(["replay", str(log), "--limit", "1/s"]) == 0
    assert "requests  1 in" in capsys.readouterr().out


def test_a_long_log_takes_no_more_memory_than_its_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # A few seconds late at most, as servers write.
    line = LINE.format(client="h", second=0, path="x" * 100)
    log = tmp_path / "a.log"
    with log.open("w") as file:
        for at in range(40_000):
            late = at // 10 - at * 7919 % 4
            time = f"{10 + late // 3600}:{late // 60 % 60:02}:{late % 60:02}" if late >= 0 else "10:00:00"
            file.write(line.replace("10:00:00", time) + "\n")
    tracemalloc.start()
    try:
        assert main(["replay", str(log), "--limit", "3/s"]) == 0
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "requests  40000 in" in capsys.readouterr().out
    assert peak < log.stat().st_size / 10


def test_what_cannot_be_read_twice_is_copied() -> None:
    # A file name that is a pipe, and standard input that is a file from some place on.
    script = f"""
        "$0" -m tokenweir replay <(cat {LOG}) --limit 10/min | head -1
        exec < {LOG}
        read -r first_line
        "$0" -m tokenweir replay - --limit 10/min | grep requests
        "$0" -m tokenweir replay - --limit 10/min <&-
    """
    done = subprocess.run(["bash", "-c", script, sys.executable], capture_output=True, text=True)
    assert done.stdout == (
        "admitted=8987 refused=1013 keys=1753 keys_refused=54\n"
        "requests  9999 in standard input\n"
    )
    assert done.stderr == "tokenweir replay: standard input is empty\n"
    assert done.returncode == 2


def test_whoever_interrupts_it_gets_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(tokenweir._cli.replay, "replayed", interrupted)
    assert main(["replay", LOG, "--limit", "1/s"]) == 130
    assert capsys.readouterr() == ("", "")


def test_nobody_reads_on() -> None:
    command = f'"{sys.executable}" -m tokenweir replay {LOG} --limit 1/min --json | head -1'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("{\n", "")


def test_a_full_disk_is_said() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tokenweir", "replay", LOG, "--limit", "1/min"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    expected = "tokenweir replay: cannot write the report: No space left on device\n"
    assert done.stderr == expected
