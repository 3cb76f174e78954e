"""What the stores for threads and for asyncio share: the script, and a client that does not wait for long."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeout

from tokenweir.errors import StoreError
from tokenweir.stored import COMPARE_AND_SET_LUA, hash_slot
from tokenweir.stores import Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokenweir.stores import Change

__all__ = [
    "DEADLINE",
    "SHA",
    "deadline_of",
    "options_of",
    "reply_of",
    "script_arguments",
    "store_error",
]

DEADLINE = 0.05
SHA = hashlib.sha1(COMPARE_AND_SET_LUA.encode(), usedforsecurity=False).hexdigest()


def options_of(deadline: float, retry: Any) -> dict[str, Any]:
    if not 0 < deadline < float("inf"):
        raise ValueError(f"deadline: {deadline} seconds are not above 0")
    return {
        "socket_timeout": deadline,
        "socket_connect_timeout": deadline,
        "retry": retry,
        # It answers bytes, whatever a URL says.
        "decode_responses": False,
    }


def deadline_of(client: Any, given: float | None) -> float:
    """The longest wait of a client for an answer.

    Refuses one that might wait without an end, or try again behind our back.
    """
    pool = getattr(client, "connection_pool", None)
    if pool is None:
        # A cluster makes its pools by itself, with its own arguments.
        return DEADLINE if given is None else given
    options = pool.connection_kwargs
    for name in ("socket_timeout", "socket_connect_timeout"):
        if options.get(name) is None:
            raise ValueError(
                f"client: without a {name} a server that does not answer is waited for without end; "
                "give one, or use from_url"
            )
    retry = options.get("retry")
    if retry is not None and retry.get_retries():
        raise ValueError(
            f"client: it tries {retry.get_retries()} times again, which a decision cannot wait for; "
            "give retry=Retry(NoBackoff(), 0), or use from_url"
        )
    if options.get("decode_responses"):
        raise ValueError("client: states are bytes; leave decode_responses out")
    deadline: float = options["socket_timeout"] if given is None else given
    return deadline


def script_arguments(
    prefix: str, changes: Sequence[Change], as_of_us: int, one_clock: bool
) -> tuple[int | str | bytes, ...]:
    """The number of keys, the keys, and the arguments of the script."""
    if len(changes) == 1:
        (key, expected, wanted, keep_ms), = changes
        return 1, prefix + key, as_of_us, expected or b"", wanted or b"", keep_ms
    keys = [prefix + change.key for change in changes]
    if not one_clock and len({hash_slot(key) for key in keys}) > 1:
        raise ValueError(
            f"the keys {', '.join(keys)} are in different slots of the cluster: "
            "keys of one decision need the same hash tag, such as {api}:alice and {api}:all"
        )
    arguments: list[int | str | bytes] = [len(keys), *keys, as_of_us]
    for _, expected, wanted, keep_ms in changes:
        arguments += (expected or b"", wanted or b"", keep_ms)
    return tuple(arguments)


def reply_of(answer: list[Any]) -> Reply:
    return Reply(answer[0] == 1, answer[1], answer[2:])


def store_error(error: RedisError) -> StoreError:
    code = "store_timeout" if isinstance(error, RedisTimeout) else "store_failed"
    return StoreError(f"Redis: {type(error).__name__}: {error}", code)
