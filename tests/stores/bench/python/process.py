"""One of several processes that use one key: prints how many decisions it made in the time given."""

from __future__ import annotations

import sys
import time

from subjects import POSTGRES, REDIS


def main() -> None:
    kind, name, url, binds, seconds = sys.argv[1:]
    makers = REDIS if kind == "redis" else POSTGRES
    decide = makers[name](url, binds == "1")
    decide("processes")
    print("ready", flush=True)
    sys.stdin.readline()
    end = time.perf_counter() + float(seconds)
    count = 0
    while time.perf_counter() < end:
        decide("processes")
        count += 1
    print(count)


if __name__ == "__main__":
    main()
