"""By what a request is counted.

The keys of different functions differ, so that no user can be taken for an address.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Awaitable, Callable, Container
from typing import TYPE_CHECKING, TypeAlias, Union

from tokenweir.http import ClientAddress

if TYPE_CHECKING:
    from typing import Literal

    from tokenweir._types import Key
    from tokenweir.web._request import Request

__all__ = ["KeyFunction", "api_key", "client_address", "user"]

KeyFunction: TypeAlias = "Callable[[Request], Union[Key, None, Awaitable[Union[Key, None]]]]"
"""Gives the key that a request is counted by, or None not to count it in this scope."""


def client_address(
    *,
    trusted_proxies: int = 0,
    field: Literal["x-forwarded-for", "forwarded"] = "x-forwarded-for",
    ipv6_prefix: int = 64,
) -> Callable[[Request], str]:
    """The address of the client: by that of the connection, or behind proxies by the field they add to.

    With ``trusted_proxies=1`` it is the last address in ``field``, which that proxy wrote, with 2 the last
    but one, and so on. What a client writes itself is never believed. Leave it at 0 where the server
    already puts the client's address in the place of the peer's (``uvicorn --proxy-headers``, Werkzeug's
    ``ProxyFix``). IPv6 addresses are counted together by their first ``ipv6_prefix`` bits.

    Behind a Unix socket without trusted proxies there is no address, and all clients are one.
    """
    rules = ClientAddress(trusted_proxies=trusted_proxies, field=field, ipv6_prefix=ipv6_prefix)

    def key(request: Request) -> str:
        return "address:" + rules.key(request.peer, request.lines(field))

    return key


def api_key(
    header: str = "x-api-key",
    *,
    known: Callable[[str], bool] | Container[str] | None = None,
    otherwise: KeyFunction | None = None,
) -> KeyFunction:
    """The value of a header field, or ``otherwise`` (the address of the connection, unless given) of a
    request without it, or with one that is not among those ``known``.

    Made-up keys would each start afresh: leave ``known`` out only where something before has refused them.
    The value is kept as a digest, which neither a log nor a store gives away, and which is short.
    """
    without = otherwise or client_address()
    is_known = known.__contains__ if isinstance(known, Container) else known

    def key(request: Request) -> Key | None | Awaitable[Key | None]:
        value = request.header(header)
        if value is None or not (is_known is None or is_known(value)):
            return without(request)
        digest = hashlib.blake2b(value.encode("utf-8", "surrogateescape"), digest_size=16)
        return "key:" + digest.hexdigest()

    return key


def user(
    identify: Callable[[Request], object], *, otherwise: KeyFunction | None = None
) -> KeyFunction:
    """The user that ``identify`` finds: a name or a number; or ``otherwise`` (the address of the connection,
    unless given) where it finds None.

    In asynchronous applications it may return an awaitable.
    """
    without = otherwise or client_address()

    def key_of(found: object, request: Request) -> Key | None | Awaitable[Key | None]:
        return without(request) if found is None else f"user:{found}"

    async def later(found: Awaitable[object], request: Request) -> Key | None:
        key = key_of(await found, request)
        return await key if inspect.isawaitable(key) else key

    def key(request: Request) -> Key | None | Awaitable[Key | None]:
        found = identify(request)
        return later(found, request) if inspect.isawaitable(found) else key_of(found, request)

    return key
