"""What every store must do, as checks that any test runner can run.

    import pytest
    from tokenweir.stores.conformance import CHECKS

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_store(check):
        check(lambda: MyStore(address))

What a check is given opens a store, and further ones over the same values, as other processes would. A store
for asyncio is checked through ``Blocking``: ``check(lambda: Blocking(lambda: MyAsyncStore(address)))``. Checks
write keys that begin with ``conformance``, and raise ``AssertionError`` with what does not hold.
"""

from __future__ import annotations

import asyncio
import threading
import time
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from tokenweir.stores._together import check_together
from tokenweir.stores._store import Change, Reply
from tokenweir.stores._threads import StoredLimiter

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from tokenweir.stores._breaker import CircuitBreaker
    from tokenweir.stores._store import AsyncStore, Store

    _Open: TypeAlias = Callable[[], Store]

__all__ = ["CHECKS", "Blocking"]

_MINUTE_MS = 60_000


class Blocking:
    """A store for asyncio as one for threads: it has an event loop in a thread of its own."""

    def __init__(self, open_store: Callable[[], AsyncStore]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

        async def opened() -> AsyncStore:
            return open_store()

        self._store = self._run(opened())
        self.breaker: CircuitBreaker | None = self._store.breaker
        self.one_clock: bool = self._store.one_clock

    def compare_and_set(self, changes: Sequence[Change], as_of_us: int) -> Reply:
        reply: Reply = self._run(self._store.compare_and_set(changes, as_of_us))
        return reply

    def close(self) -> None:
        self._run(self._store.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def what_is_not_there_is_none(open_store: _Open) -> None:
    store, key = open_store(), _key()
    _same(store, [_reading(key, None)])
    _differs(store, [_reading(key, b"1")], [None])
    store.close()


def what_is_written_is_there_byte_by_byte(open_store: _Open) -> None:
    store, key = open_store(), _key()
    every = bytes(range(256))
    _same(store, [_writing(key, None, every)])
    _differs(store, [_reading(key, None)], [every])
    _same(store, [_reading(key, every)])
    store.close()


def another_value_than_was_seen_is_answered_and_stays(open_store: _Open) -> None:
    store, key = open_store(), _key()
    _same(store, [_writing(key, None, b"1")])
    _differs(store, [_writing(key, None, b"2")], [b"1"])
    _differs(store, [_writing(key, b"3", b"2")], [b"1"])
    _same(store, [_writing(key, b"1", b"2")])
    _same(store, [_reading(key, b"2")])
    store.close()


def all_of_several_keys_are_written_or_none(open_store: _Open) -> None:
    store, key = open_store(), _key()
    a, b = f"{key}:b", f"{key}:a"
    _same(store, [_writing(a, None, b"1"), _writing(b, None, b"2")])
    _differs(store, [_writing(a, b"1", b"3"), _writing(b, b"9", b"4")], [b"1", b"2"])
    _differs(store, [_writing(a, None, b"3"), _writing(b, b"2", b"4")], [b"1", b"2"])
    _same(store, [_writing(a, b"1", b"5"), _reading(b, b"2")])
    _same(store, [_reading(a, b"5"), _reading(b, b"2")])
    store.close()


def time_goes_on_and_nothing_is_decided_ahead_of_it(open_store: _Open) -> None:
    store, key = open_store(), _key()
    now_us = _same(store, [_reading(key, None)]).now_us
    assert isinstance(now_us, int) and now_us > 0, f"{now_us} are no whole microseconds"
    hour_us = 3_600_000_000
    _differs(store, [_writing(key, None, b"1")], [None], now_us + hour_us)
    later = _same(store, [_writing(key, None, b"1")], now_us)
    assert later.now_us >= now_us, f"{later.now_us} is before {now_us}"
    store.close()


def a_value_is_none_once_its_time_is_over_and_not_before(open_store: _Open) -> None:
    store, key = open_store(), _key()
    short, long = f"{key}:1", f"{key}:2"
    _same(store, [_writing(short, None, b"1", 1), _writing(long, None, b"2")])
    time.sleep(0.02)
    _same(store, [_reading(short, None), _reading(long, b"2")])
    _same(store, [_writing(short, None, b"3")])
    _same(store, [_reading(short, b"3")])
    store.close()


def of_many_who_make_a_key_at_once_one_does(open_store: _Open) -> None:
    key = _key()
    stores = [open_store() for _ in range(4)]
    replies: dict[int, Reply] = {}

    def make(place: int) -> None:
        changes = [_writing(key, None, b"%d" % place)]
        replies[place] = stores[place % 4].compare_and_set(changes, 0)

    _at_once([partial(make, place) for place in range(40)])
    made = [place for place, reply in replies.items() if reply.same]
    assert len(replies) == 40 and len(made) == 1, f"{len(made)} of {len(replies)} made it"
    _same(stores[0], [_reading(key, b"%d" % made[0])])
    for store in stores:
        store.close()


def limiters_grant_what_the_limits_have_and_no_more(open_store: _Open) -> None:
    stores = [open_store(), open_store()]
    key = _key()
    limiters = [StoredLimiter("50/day", store=store, patience=20) for store in stores]
    granted: list[bool] = []

    def ask(limiter: StoredLimiter) -> None:
        granted.append(limiter.try_acquire(key))

    _at_once([partial(ask, limiters[place % 2]) for place in range(80)])
    assert granted.count(True) == 50, f"{granted.count(True)} of 50 were granted"
    everybody, user = limiters[0], StoredLimiter("5/day", store=stores[0])
    joint = check_together((user, f"{key}:user"), (everybody, key))
    assert not joint.allowed, "a key that has nothing left allowed it"
    assert user.try_acquire(f"{key}:user", 5), "who is refused by one key has paid under another"
    for store in stores:
        store.close()


CHECKS: tuple[Callable[[Callable[[], Store]], None], ...] = (
    what_is_not_there_is_none,
    what_is_written_is_there_byte_by_byte,
    another_value_than_was_seen_is_answered_and_stays,
    all_of_several_keys_are_written_or_none,
    time_goes_on_and_nothing_is_decided_ahead_of_it,
    a_value_is_none_once_its_time_is_over_and_not_before,
    of_many_who_make_a_key_at_once_one_does,
    limiters_grant_what_the_limits_have_and_no_more,
)
"""The checks. Each is called with what opens a store."""


def _key() -> str:
    return f"conformance{{{uuid.uuid4().hex}}}"


def _reading(key: str, expected: bytes | None) -> Change:
    return Change(key, expected, None, 1)


def _writing(key: str, expected: bytes | None, wanted: bytes, keep_ms: int = _MINUTE_MS) -> Change:
    return Change(key, expected, wanted, keep_ms)


def _same(store: Store, changes: list[Change], as_of_us: int = 0) -> Reply:
    reply = store.compare_and_set(changes, as_of_us)
    assert reply.same, f"{changes} was to be done, and found was {reply.found}"
    return reply


def _differs(
    store: Store, changes: list[Change], found: list[bytes | None], as_of_us: int = 0
) -> None:
    reply = store.compare_and_set(changes, as_of_us)
    assert not reply.same, f"{changes} was not to be done, as of {as_of_us}"
    assert list(reply.found) == found, f"found was {reply.found}, there is {found}"


def _at_once(calls: Sequence[Callable[[], None]]) -> None:
    errors: list[BaseException] = []

    def run(call: Callable[[], None]) -> None:
        try:
            call()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
