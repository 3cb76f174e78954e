"""Every block of code of the README runs as it is written, and the services in it do what it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tokenweir._cli import main

README = Path(__file__).resolve().parents[1] / "README.md"
LOG = README.parents[1] / "tests" / "data" / "access.log"
REPOSITORY = README.parents[1] / "README.md"


# Code is met before a comment in it could be taken for a heading.
PART = re.compile(r"^```(\w*)\n(.*?)^```$|^##? ([^\n]*)$", re.MULTILINE | re.DOTALL)


def blocks(wanted: str, readme: Path = README) -> dict[str, str]:
    """The code of a kind by the heading above it, of which each has at most one."""
    found: dict[str, str] = {}
    heading = ""
    for kind, code, title in PART.findall(readme.read_text()):
        if title:
            heading = title
        elif kind == wanted:
            assert heading not in found, f"{heading} has several blocks of code"
            found[heading] = code
    return found


PYTHON = blocks("python")


def run(heading: str, code: str) -> dict[str, Any]:
    """The names that a block leaves."""
    module = ModuleType("readme")
    exec(compile(code, f"README: {heading}", "exec"), vars(module))
    return vars(module)


def test_no_block_is_left_out() -> None:
    fences = re.findall(r"^```(.*)$", README.read_text(), re.M)
    assert len(fences) == 2 * (len(PYTHON) + len(blocks("console")))
    assert set(SERVICES) <= set(PYTHON)


def test_the_code_in_the_readme_of_the_repository_runs() -> None:
    (code,) = blocks("python", REPOSITORY).values()
    assert run("In Python", code)["decision"].remaining == 17


@pytest.mark.parametrize("heading", PYTHON)
def test_the_code_runs(
    heading: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if heading in SERVICES:
        SERVICES[heading](heading, monkeypatch)
    else:
        run(heading, PYTHON[heading])


def fastapi(heading: str, _monkeypatch: pytest.MonkeyPatch) -> None:
    from starlette.testclient import TestClient

    client = TestClient(run(heading, PYTHON[heading])["app"])
    one, other = ({"x-forwarded-for": address} for address in ("192.0.2.1", "192.0.2.2"))
    assert client.get("/search?text=a", headers=one).json() == ["a"]
    statuses = [client.get("/search", headers=one).status_code for _ in range(10)]
    assert statuses == [200] * 9 + [429]
    refused = client.get("/search", headers=one)
    assert refused.headers["content-type"] == "application/problem+json"
    assert "retry-after" in refused.headers
    assert client.get("/search", headers=other).status_code == 200


def flask(heading: str, _monkeypatch: pytest.MonkeyPatch) -> None:
    client = run(heading, PYTHON[heading])["app"].test_client()
    one, other = ({"x-api-key": key} for key in ("one", "other"))
    first = client.get("/report", headers=one)
    assert (first.status_code, first.json) == (200, [])
    assert '"key 100/min";r=95;' in first.headers["RateLimit"]
    assert [client.get("/report", headers=one).status_code for _ in range(10)] == [200] * 9 + [429]
    assert "RateLimit" not in client.get("/health").headers
    assert client.get("/report", headers=other).status_code == 200


def django(heading: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import django.test
    import django.urls
    import web_apps

    web_apps.configure_django()
    modules: dict[str, ModuleType] = {}
    parts = re.findall(r"# (project/\w+)\.py\n((?:(?!# project).*\n)*)", PYTHON[heading])
    for file, text in parts:
        name = file.replace("/", ".")
        modules[name] = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, modules[name])
        exec(compile(text, name, "exec"), vars(modules[name]))
    settings = vars(modules["project.settings"])
    settings = {name: value for name, value in settings.items() if name.isupper()}
    urls = web_apps.Urls(asynchronous=False)
    urls.urlpatterns = [django.urls.path("search", modules["project.views"].search)]
    with django.test.override_settings(ROOT_URLCONF=urls, **settings):
        client = django.test.Client()
        assert client.get("/search").json() == {"found": []}
        assert [client.get("/search").status_code for _ in range(10)] == [200] * 9 + [429]


def httpx(heading: str, _monkeypatch: pytest.MonkeyPatch) -> None:
    from service import served

    with served() as service:
        names = run(heading, PYTHON[heading])
        with names["client"] as client:
            client.base_url = service.url
            assert names["weather"]("Oslo") == "body"
            # Unavailable once, then refused for an hour.
            service.will(503, (429, {"Retry-After": "3600"}))
            assert names["weather"]("Oslo") == "body"
            assert re.fullmatch(r"ask again in 3[56]\d\d s", names["weather"]("Oslo"))
    paths = [path for _method, path, _body in service.requests]
    assert paths == ["/now?city=Oslo"] * 3


SERVICES = {"FastAPI": fastapi, "Flask": flask, "Django": django, "An httpx client": httpx}


def test_all_members_of_the_object_in_json_are_described(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["replay", str(LOG), "--limit", "10/min", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    rows = re.findall(r"^\| (`[^|]*) \| ([^|]*) \|$", README.read_text(), re.M)
    described = {member: text for names, text in rows for member in re.findall(r"`(\w+)`", names)}
    assert set(told) <= set(described)
    for member, inner in [
        ("bad_lines", told["bad_lines"]),
        ("refused_by", told["refused_by"][0]),
        ("refusals", told["refusals"][0]),
        ("waits", told["waits"][0]),
    ]:
        assert set(inner) <= set(re.findall(r"`(\w+)`", described[member]))


def test_the_commands_print_what_is_shown(tmp_path: Path) -> None:
    shutil.copy(LOG, tmp_path / "access.log")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    [shown] = blocks("console").values()
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", shown, re.M)
    assert len(commands) == shown.count("$ ") == 2
    for command, expected in commands:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr) == (expected, "")
    assert (tmp_path / "refused.png").stat().st_size > 10_000
