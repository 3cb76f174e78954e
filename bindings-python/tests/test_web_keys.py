"""By whom a request is counted, on every framework."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from vectors import FOLDER
from web_apps import EVERY, MIDDLEWARES, Call

from tokenweir import AmountError, ConfigError, KeyedLimiter, ManualClock
from tokenweir.web import Request, RequestPolicy, api_key, client_address, user

App = Callable[..., Call]
every_app = pytest.mark.parametrize("app", EVERY)


class Seen:
    """A limiter that notes the keys it is asked about."""

    def __init__(self) -> None:
        self.keys: list[Any] = []
        self._limiter = KeyedLimiter("1000/s", clock=ManualClock())

    def check(self, key: Any, cost: int = 1, /) -> Any:
        self.keys.append(key)
        return self._limiter.check(key, cost)


def key_of(app: App, key: Any, **request: Any) -> Any:
    seen = Seen()
    assert app(RequestPolicy(seen, key=key))(**request).status == 200
    return seen.keys[0] if seen.keys else None


@every_app
def test_a_client_is_not_believed_unless_proxies_are_trusted(app: App) -> None:
    forwarded = [("X-Forwarded-For", "203.0.113.9, 198.51.100.7:4711")]
    direct, one, two = (client_address(trusted_proxies=trusted) for trusted in (0, 1, 2))
    assert key_of(app, direct, headers=forwarded) == "address:192.0.2.1"
    assert key_of(app, one, headers=forwarded) == "address:198.51.100.7"
    assert key_of(app, two, headers=forwarded) == "address:203.0.113.9"
    assert key_of(app, one) == "address:192.0.2.1"
    rfc_7239 = client_address(trusted_proxies=1, field="forwarded")
    by_proxy = [("Forwarded", 'for="[2001:db8:1:2:3::4]:80"'), *forwarded]
    assert key_of(app, rfc_7239, headers=by_proxy) == "address:2001:db8:1:2::/64"


@every_app
def test_ipv6_clients_are_counted_by_their_prefix(app: App) -> None:
    call = app(RequestPolicy(KeyedLimiter("1/min", clock=ManualClock())))
    peers = ["2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:3::1", "::ffff:192.0.2.1"]
    assert [call(peer=peer).status for peer in peers] == [200, 429, 200, 200]
    assert call(peer="192.0.2.1").status == 429


ADDRESSES = json.loads((FOLDER / "http.json").read_text())["addresses"]


@pytest.mark.parametrize("case", ADDRESSES, ids=lambda case: case["name"])
def test_addresses_are_those_of_the_core(case: dict[str, Any]) -> None:
    class Case(Request):
        peer = case["peer"]

        def lines(self, name: str) -> list[str]:
            lines: list[str] = case["lines"] if name == case.get("field", name) else []
            return lines

    options = ("trusted_proxies", "field", "ipv6_prefix")
    key = client_address(**{name: case[name] for name in options if name in case})
    assert key(Case()) == "address:" + case["key"]


def test_rules_of_addresses_are_checked() -> None:
    with pytest.raises(AmountError, match="trusted_proxies: -1"):
        client_address(trusted_proxies=-1)
    with pytest.raises(ConfigError, match="IPv6 prefix of 129"):
        client_address(ipv6_prefix=129)
    with pytest.raises(ConfigError, match="field"):
        client_address(field="x-real-ip")  # type: ignore[arg-type]


@every_app
def test_an_api_key_is_a_short_digest(app: App) -> None:
    keys = [key_of(app, api_key(), headers=[("X-API-Key", key)]) for key in ("one", "two" * 500)]
    assert all(key.startswith("key:") and len(key) == 36 for key in keys)
    assert keys[0] != keys[1]
    assert key_of(app, api_key("authorization"), headers=[("Authorization", "one")]) == keys[0]
    # Without a key it is the address; an address as a key is another one.
    assert key_of(app, api_key()) == "address:192.0.2.1"
    assert key_of(app, api_key(), headers=[("X-API-Key", "192.0.2.1")]) != "address:192.0.2.1"
    assert key_of(app, api_key(otherwise=lambda _: "nobody")) == "nobody"


@every_app
def test_made_up_api_keys_do_not_start_afresh(app: App) -> None:
    for known in ({"k-77"}, lambda key: key == "k-77"):
        policy = RequestPolicy("1/min", key=api_key(known=known), clock=ManualClock())
        call = app(policy)
        made_up = [call(headers=[("X-API-Key", f"k-{n}")]).status for n in range(3)]
        assert made_up == [200, 429, 429]
        assert [call(headers=[("X-API-Key", "k-77")]).status for _ in range(2)] == [200, 429]


@every_app
def test_a_user_is_counted_wherever_from(app: App) -> None:
    by_user = user(lambda request: request.header("x-user"))
    assert key_of(app, by_user, headers=[("X-User", "42")]) == "user:42"
    assert key_of(app, by_user) == "address:192.0.2.1"


@every_app
def test_a_request_without_a_key_is_not_counted(app: App) -> None:
    policy = RequestPolicy("1/min", key=lambda request: request.header("x-user"))
    call = app(policy)
    assert [(call().status, call().limits()) for _ in range(2)] == [(200, [])] * 2
    assert policy.counters["allowed"] == 0


@pytest.mark.parametrize("app", MIDDLEWARES)
def test_two_lines_of_a_field_are_both_seen(app: App) -> None:
    lines = [("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-For", "198.51.100.7")]
    assert key_of(app, client_address(trusted_proxies=1), headers=lines) == "address:198.51.100.7"


@every_app
def test_functions_see_the_request(app: App) -> None:
    seen: list[tuple[str, str, str, str | None]] = []

    def key(request: Request) -> str:
        seen.append((request.method, request.path, request.peer, request.header("X-None")))
        assert request.native is not None
        return "one"

    call = app(RequestPolicy("9/min", key=key))
    call("/report", method="POST")
    assert seen == [("POST", "/report", "192.0.2.1", None)]
