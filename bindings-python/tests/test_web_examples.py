"""The examples of the documentation run as they are written."""

from __future__ import annotations

import doctest
import importlib
import re
import sys
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import django.test
import django.urls
import pytest
import web_apps
from starlette.testclient import TestClient

import tokenweir.web

web_apps.configure_django()
TOLD = '"100/min";r=99;t=1, "search 10/min";r=9;t=6'


def code(module: str) -> str:
    """The indented part of what a module says of itself."""
    said = importlib.import_module(module).__doc__
    assert said is not None
    [block] = re.findall(r"\n\n((?:(?: {4}.*)?\n)+)", said)
    return textwrap.dedent(block)


def app_of(module: str) -> Any:
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(code(module), module, "exec"), names)
    return names["app"]


def test_the_examples_of_policies() -> None:
    failed, tried = doctest.testmod(tokenweir.web)
    assert (failed, tried > 3) == (0, True)


@pytest.mark.parametrize("module", ["tokenweir.asgi", "tokenweir.fastapi"])
def test_the_examples_of_asgi(module: str) -> None:
    client = TestClient(app_of(module))
    assert client.get("/search").headers["ratelimit"] == TOLD
    assert [client.get("/search").status_code for _ in range(10)] == [200] * 9 + [429]


@pytest.mark.parametrize("module", ["tokenweir.wsgi", "tokenweir.flask"])
def test_the_examples_of_flask(module: str) -> None:
    client = app_of(module).test_client()
    expected = TOLD if module == "tokenweir.flask" else '"100/min";r=99;t=1'
    assert client.get("/search").headers["RateLimit"] == expected
    assert client.get("/search").json == []


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The modules of the example of Django."""
    modules: dict[str, ModuleType] = {}
    for name, text in re.findall(
        r"# (project/\w+)\.py\n((?:(?!# project).*\n)*)", code("tokenweir.django")
    ):
        name = name.replace("/", ".")
        modules[name] = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, modules[name])
        exec(compile(text, name, "exec"), vars(modules[name]))
    yield modules


def test_the_example_of_django(project: dict[str, ModuleType]) -> None:
    settings = {
        name: value for name, value in vars(project["project.settings"]).items() if name.isupper()
    }
    assert len(settings) == 2
    urls = web_apps.Urls(asynchronous=False)
    urls.urlpatterns = [django.urls.path("search", project["project.views"].search)]
    with django.test.override_settings(ROOT_URLCONF=urls, **settings):
        client = django.test.Client()
        assert client.get("/search")["RateLimit"] == TOLD
        assert [client.get("/search").status_code for _ in range(10)] == [200] * 9 + [429]
