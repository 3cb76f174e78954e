"""Decisions a second and microseconds each, beside other limiters on the same servers in one run.

Subjects take turns in short rounds, so that a busy moment of the machine does not fall on one of them alone;
ratios are what can be compared. Fails where a required ratio to the fastest of the others is not met.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "python"))

from servers import Postgres, Redis  # noqa: E402
from subjects import BOUND, POSTGRES, POSTGRES_TASKS, REDIS, REDIS_TASKS  # noqa: E402

OURS = "tokenweir"
TASKS = 64
PROCESSES = 8
US = 1e6

Makers: TypeAlias = Mapping[str, Callable[..., Any]]


def one_client(makers: Makers, url: str, rounds: int) -> dict[str, tuple[float, float]]:
    """The 50th and 99th percentile of a call that is granted, in microseconds."""
    deciders = {name: make(url, False) for name, make in makers.items()}
    took: dict[str, list[float]] = {name: [] for name in deciders}
    for decide in deciders.values():
        for _ in range(300):
            decide("one")
    for _ in range(rounds):
        for name, decide in deciders.items():
            for _ in range(100):
                start = time.perf_counter()
                decide("one")
                took[name].append((time.perf_counter() - start) * US)
    return {name: percentiles(times) for name, times in took.items()}


def percentiles(times: list[float]) -> tuple[float, float]:
    cuts = statistics.quantiles(times, n=100)
    return cuts[49], cuts[98]


async def many_tasks(makers: Makers, url: str, binds: bool, rounds: int) -> dict[str, float]:
    """Decisions a second of 64 tasks on one key: the median of the rounds."""
    deciders = {name: make(url, binds) for name, make in makers.items()}
    rates: dict[str, list[float]] = {name: [] for name in deciders}
    for decide in deciders.values():
        await decide("tasks")
    for _ in range(max(rounds // 4, 3)):
        for name, decide in deciders.items():
            end = time.perf_counter() + 0.25

            async def ask(decide: Any = decide, end: float = end) -> int:
                count = 0
                while time.perf_counter() < end:
                    await decide("tasks")
                    count += 1
                    # Also where the answer is known, so that every task has its turn.
                    await asyncio.sleep(0)
                return count

            start = time.perf_counter()
            count = sum(await asyncio.gather(*(ask() for _ in range(TASKS))))
            rates[name].append(count / (time.perf_counter() - start))
    return {name: statistics.median(each) for name, each in rates.items()}


def many_processes(
    kind: str, names: list[str], url: str, binds: bool, seconds: float, count: int
) -> dict[str, float]:
    """Decisions a second of ``count`` processes on one key."""
    rates = {}
    for name in names:
        command = [sys.executable, str(HERE / "process.py"), kind, name, url, str(int(binds)), str(seconds)]
        running = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in range(count)
        ]
        for process in running:
            assert process.stdout is not None
            process.stdout.readline()  # Ready.
        for process in running:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        counts = [process.communicate()[0] for process in running]
        rates[name] = sum(int(count) for count in counts) / seconds
    return rates


def table(title: str, heads: list[str], rows: Mapping[str, tuple[float, ...]]) -> None:
    print(f"\n{title}\n")
    print("| limiter | " + " | ".join(heads) + " |")
    print("|---|" + "---|" * len(heads))
    for name, numbers in rows.items():
        print(f"| {name} | " + " | ".join(f"{number:,.0f}" for number in numbers) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    results: dict[str, Any] = {}
    missed = []

    def require(what: str, ratio: float, at_most: float | None = None, at_least: float | None = None) -> None:
        bound = f"at most {at_most}" if at_most is not None else f"at least {at_least}"
        holds = ratio <= at_most if at_most is not None else ratio >= (at_least or 0)
        print(f"{what}: {ratio:.2f} of the fastest peer, required {bound}: {'yes' if holds else 'NO'}")
        results[what] = ratio
        if not holds:
            missed.append(what)

    for kind, server, makers, tasks in (
        ("redis", Redis(), REDIS, REDIS_TASKS),
        ("postgres", Postgres(), POSTGRES, POSTGRES_TASKS),
    ):
        for binds in (False, True):
            how = f"{BOUND[kind]}/s, which binds" if binds else "never binding"
            if not binds:
                clients = one_client(makers, server.url, arguments.rounds)
                table(f"{kind}, one client: microseconds", ["p50", "p99"], clients)
                peers = [p50 for name, (p50, _) in clients.items() if name != OURS]
                require(f"{kind}, one client, p50", clients[OURS][0] / min(peers), at_most=1.15)
            rates = asyncio.run(many_tasks(tasks, server.url, binds, arguments.rounds))
            table(f"{kind}, 64 tasks on one key, {how}", ["decisions/s"], {n: (r,) for n, r in rates.items()})
            others = [each for name, each in rates.items() if name != OURS]
            if others:
                name = f"{kind}, 64 tasks on one key, {how}"
                require(name, rates[OURS] / max(others), at_least=3)
            for count in (1, PROCESSES) if binds else (PROCESSES,):
                name = f"{kind}, {count} process{'es' * (count > 1)} on one key, {how}"
                each = many_processes(kind, list(makers), server.url, binds, arguments.seconds, count)
                table(name, ["decisions/s"], {n: (r,) for n, r in each.items()})
                if binds:
                    others = [rate for name, rate in each.items() if name != OURS]
                    require(name, each[OURS] / max(others), at_least=3)
        server.stop()
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(results, indent=2))
    sys.exit(f"missed: {', '.join(missed)}" if missed else 0)


if __name__ == "__main__":
    main()
