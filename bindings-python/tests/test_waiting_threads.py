"""Threads that wait: first come, first served; nothing lost, nobody left behind."""

from __future__ import annotations

import gc
import signal
import threading
import time
import weakref
from collections.abc import Callable
from datetime import timedelta

import pytest

from tokenweir import Limiter, ManualClock, QueueFull, RateLimited

PATIENCE = 60.0


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.001)


def started(target: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    return thread


def joined(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "a thread waits for ever"


def queued(limiter: Limiter, number: int, served: list[int]) -> list[threading.Thread]:
    """Threads that wait, in the order of their numbers."""
    threads: list[threading.Thread] = []
    for index in range(number):

        def wait(index: int = index) -> None:
            if limiter.acquire():
                served.append(index)

        threads.append(started(wait))
        eventually(lambda: limiter.waiting == len(threads))
    return threads


def test_the_first_to_come_is_the_first_served_as_time_goes_by() -> None:
    clock = ManualClock()
    limiter = Limiter("1/s", clock=clock)
    assert limiter.acquire()
    served: list[int] = []
    threads = queued(limiter, 5, served)
    assert (limiter.available, repr(limiter)) == (-5, "<Limiter 1/s: -5 left, 5 waiting>")
    assert not limiter.try_acquire()
    for number in range(1, 6):
        clock.advance(0.999999999)
        assert len(served) == number - 1
        clock.advance_ns(1)
        eventually(lambda: len(served) == number)
    joined(threads)
    assert served == [0, 1, 2, 3, 4]
    assert limiter.counters == {"allowed": 6, "refused": 1, "tokens": 6, "refunded_tokens": 0}


def test_ten_threads_with_a_timeout_of_a_second_know_within_about_that() -> None:
    limiter = Limiter("1/10s")
    results: list[bool] = []
    start = time.monotonic()
    joined([started(lambda: results.append(limiter.acquire(timeout=1))) for _ in range(10)])
    assert sorted(results) == [False] * 9 + [True]
    assert time.monotonic() - start < PATIENCE / 2


def test_a_timeout_is_that_of_a_lock() -> None:
    clock = ManualClock()
    limiter = Limiter("1/s", clock=clock)
    assert limiter.acquire(timeout=0)
    assert not limiter.acquire(timeout=0)
    assert not limiter.acquire(timeout=0.999999999)
    assert not limiter.acquire(timeout=timedelta(milliseconds=999))
    with pytest.raises(ValueError, match="timeout"):
        limiter.acquire(timeout=-2)
    waiting = [started(lambda: limiter.acquire(timeout=timeout)) for timeout in (1, -1, None)]
    eventually(lambda: limiter.waiting == 3 or limiter.waiting == 2)
    clock.advance(10)
    joined(waiting)
    assert limiter.waiting == 0


def test_a_cost_that_never_fits_and_a_full_queue_are_errors_at_once() -> None:
    limiter = Limiter("api: 2/h", max_waiting=1)
    with pytest.raises(RateLimited) as caught:
        limiter.acquire(3)
    assert (caught.value.code, caught.value.never) == ("never", True)
    assert limiter.acquire(2)
    thread = started(limiter.acquire)
    eventually(lambda: limiter.waiting == 1)
    with pytest.raises(QueueFull) as full:
        limiter.acquire()
    assert full.value.code == "queue_full"
    limiter.reset()
    joined([thread])
    assert limiter.available == 1


def test_tokens_given_back_and_new_limits_serve_the_waiting() -> None:
    clock = ManualClock()
    limiter = Limiter("10/h", clock=clock)
    assert limiter.acquire(10)
    served: list[int] = []
    threads = queued(limiter, 4, served)
    limiter.refund(1)
    eventually(lambda: served == [0])
    limiter.force_add(1)
    eventually(lambda: served == [0, 1])
    limiter.update("10/s")
    clock.advance(0.1)
    eventually(lambda: served == [0, 1, 2])
    limiter.reset()
    joined(threads)
    assert limiter.available == 9


def test_new_limits_that_never_serve_a_caller_tell_it_so() -> None:
    limiter = Limiter("10/h", clock=ManualClock())
    assert limiter.acquire(10)
    errors: list[BaseException] = []

    def wait() -> None:
        try:
            limiter.acquire(8)
        except RateLimited as error:
            errors.append(error)

    thread = started(wait)
    hasty: list[bool] = []
    in_time = started(lambda: hasty.append(limiter.acquire(timeout=timedelta(hours=2))))
    eventually(lambda: limiter.waiting == 2)
    limiter.update("1/day")
    joined([thread, in_time])
    assert [str(error) for error in errors] == ["a cost of 8 is above what 1/d can ever have"]
    assert hasty == [False]
    assert limiter.waiting == 0


def test_a_reservation_given_back_serves_those_behind_it_earlier() -> None:
    clock = ManualClock()
    limiter = Limiter("1/s", clock=clock)
    assert limiter.acquire()
    reservation = limiter.reserve(5)
    served: list[int] = []
    threads = queued(limiter, 1, served)
    assert reservation.cancel()
    assert limiter.available == -1
    clock.advance(1)
    joined(threads)
    assert served == [0]


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals of POSIX")
def test_an_interrupted_wait_takes_nothing() -> None:
    class Interrupted(BaseException):
        pass

    interrupted: list[None] = []

    def interrupt(*_: object) -> None:
        if not interrupted:
            interrupted.append(None)
            raise Interrupted

    limiter = Limiter("1/h")
    assert limiter.acquire()
    main = threading.get_ident()
    before = signal.signal(signal.SIGUSR1, interrupt)

    def interrupter() -> None:
        eventually(lambda: limiter.waiting == 1)
        # A signal that comes between two steps of getting to park is seen only afterwards.
        while not interrupted:
            signal.pthread_kill(main, signal.SIGUSR1)
            time.sleep(0.05)

    thread = started(interrupter)
    try:
        with pytest.raises(Interrupted):
            limiter.acquire()
    finally:
        # No signal may come after its handler is gone.
        joined([thread])
        signal.signal(signal.SIGUSR1, before)
    assert (limiter.waiting, limiter.available) == (0, 0)


def test_threads_under_load_take_exactly_what_is_there() -> None:
    limiter = Limiter("1000/h burst 20000")
    taken: list[int] = []

    def work() -> None:
        taken.append(sum(limiter.try_acquire() for _ in range(4_000)))

    joined([started(work) for _ in range(8)])
    assert sum(taken) == 20_000
    assert limiter.counters["refused"] == 12_000


def test_waiting_threads_under_load_are_all_served_at_the_rate() -> None:
    limiter = Limiter("2000/s burst 1")
    start = time.monotonic()
    joined([started(lambda: [limiter.acquire() for _ in range(50)]) for _ in range(20)])
    # The first comes at once, each of the 999 others half a millisecond after the one before.
    assert time.monotonic() - start >= 0.4995
    assert limiter.counters["allowed"] == 1_000


def test_a_context_and_a_decorator_wait() -> None:
    clock = ManualClock()
    limiter = Limiter("10/s", clock=clock)
    with limiter as same:
        assert same is limiter
    assert limiter.available == 9

    @limiter(cost=lambda items: len(items), timeout=0)
    def send(items: list[str]) -> int:
        """Sends."""
        return len(items)

    assert send(["a"] * 4) == 4
    assert (send.__name__, send.__doc__, limiter.available) == ("send", "Sends.", 5)
    with pytest.raises(RateLimited) as caught:
        send(["a"] * 6)
    assert (caught.value.retry_after, caught.value.scope) == (0.1, "10/s")

    with pytest.raises(TypeError, match="generator"):

        @limiter
        def generator() -> object:
            yield 1


def test_a_limiter_is_freed_with_those_who_wait() -> None:
    limiter = Limiter("1/h", clock=ManualClock())
    limiter.acquire()
    known = weakref.ref(limiter)
    thread = started(limiter.acquire)
    eventually(lambda: limiter.waiting == 1)
    limiter.reset()
    joined([thread])
    del thread, limiter
    gc.collect()
    assert known() is None
