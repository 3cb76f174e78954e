"""A process that asks a store for tokens, and prints how many it was granted.

    python tests/stores/python/worker.py URL KEY LIMITS COUNT [options]

As ``tests/stores/node-worker.mjs``; ``--how`` says whether threads or tasks ask, and ``cluster+redis://`` is a
cluster.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from places import place_of

from tokenweir.stores import AsyncStoredLimiter, StoredLimiter


def with_threads(arguments: argparse.Namespace, keys: Iterator[str]) -> int:
    store = place_of(arguments.url).open(deadline=arguments.deadline / 1000)
    limiter = StoredLimiter(arguments.limits, store=store, patience=arguments.deadline / 1000)
    with ThreadPoolExecutor(arguments.tasks) as pool:
        granted = sum(pool.map(limiter.try_acquire, keys))
    store.close()
    return granted


async def with_tasks(arguments: argparse.Namespace, keys: Iterator[str]) -> int:
    store = place_of(arguments.url).open_async(deadline=arguments.deadline / 1000)
    limiter = AsyncStoredLimiter(arguments.limits, store=store, patience=arguments.deadline / 1000)

    async def take() -> int:
        return sum([await limiter.try_acquire(key) for key in keys])

    granted = sum(await asyncio.gather(*(take() for _ in range(arguments.tasks))))
    await store.close()
    return granted


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("key")
    parser.add_argument("limits")
    parser.add_argument("count", type=int)
    parser.add_argument("--keys", type=int)
    parser.add_argument("--tasks", type=int, default=16)
    parser.add_argument("--how", choices=["threads", "tasks"], default="threads")
    parser.add_argument("--wall-clock", type=int, default=0)
    parser.add_argument("--deadline", type=int, default=30_000)
    arguments = parser.parse_args()

    if arguments.wall_clock:
        true_time, true_time_ns = time.time, time.time_ns
        time.time = lambda: true_time() + arguments.wall_clock / 1000
        time.time_ns = lambda: true_time_ns() + arguments.wall_clock * 1_000_000

    def name(index: int) -> str:
        return arguments.key if arguments.keys is None else f"{arguments.key}:{index % arguments.keys}"

    keys = (name(index) for index in range(arguments.count))
    if arguments.how == "threads":
        print(with_threads(arguments, keys))
    else:
        print(asyncio.run(with_tasks(arguments, keys)))


if __name__ == "__main__":
    main()
