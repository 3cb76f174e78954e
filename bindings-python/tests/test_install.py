"""What `make wheel` leaves installs without a network, away from the sources, into nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tokenweir import __version__

ROOT = Path(__file__).resolve().parents[2]
LOG = ROOT / "tests" / "data" / "access.log"


def only(pattern: str, folder: Path = ROOT / "target" / "wheels") -> Path:
    """The one file of this kind that the build has left."""
    (found,) = folder.glob(pattern)
    return found


def wheel_from_source(folder: Path) -> Path:
    """A wheel that pip builds from the source distribution, with the crates that cargo has."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "CARGO_NET_OFFLINE": "true",
        "CARGO_TARGET_DIR": str(ROOT / "target" / "sdist"),
        # As good a wheel as any, and soon built.
        "CARGO_PROFILE_DEV_DEBUG": "none",
        "MATURIN_PEP517_ARGS": "--profile dev",
    }
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", *offline, str(only("*.tar.gz"))]
    subprocess.run(pip, check=True, env=environment)
    return only("*.whl", folder)


@pytest.mark.parametrize("kind", ["wheel", "source distribution"])
def test_it_installs_offline_and_works(tmp_path: Path, kind: str) -> None:
    wheel = only("*.whl") if kind == "wheel" else wheel_from_source(tmp_path)
    assert "-cp310-abi3-" in wheel.name
    venv.create(tmp_path / "empty", symlinks=True)
    scripts = tmp_path / "empty" / "bin"
    python = str(scripts / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True)

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True)

    tried = "import tokenweir as t; l = t.Limiter('2/h'); print([l.try_acquire() for _ in range(3)])"
    assert run(python, "-W", "error", "-c", tried).stdout == "[True, True, False]\n"
    assert run(str(scripts / "tokenweir"), "--version").stdout == f"tokenweir {__version__}\n"
    replay = [python, "-m", "tokenweir", "replay", str(LOG), "--limit", "10/min"]
    figures = "admitted=8987 refused=1013 keys=1753 keys_refused=54\n"
    assert run(*replay).stdout.startswith(figures)
    # Nothing of the extra is there.
    refused = run(*replay, "--plot", "out.png")
    assert refused.returncode == 2
    assert "pip install 'tokenweir[cli]'" in refused.stderr
