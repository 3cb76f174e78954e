"""Real servers on free ports of the loopback."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def until(holds: Callable[[], bool], what: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.02)


class Server:
    """A process that ends with the test, and whose folder goes with it."""

    def __init__(self) -> None:
        self.port = free_port()
        self.folder = Path(tempfile.mkdtemp(prefix="tokenweir-stores-"))
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, command: list[str], **options: Any) -> None:
        with (self.folder / "output").open("ab") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output, **options)

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        self.send(number)
        assert self._process is not None
        self._process.wait(30)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Redis(Server):
    def __init__(self, *options: str) -> None:
        super().__init__()
        self._options = options
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        here = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        self.run(["redis-server", *here, "--save", "", *self._options])
        until(self._answers, "redis-server")

    def cli(self, *command: str) -> str:
        asked = ["redis-cli", "-h", "127.0.0.1", "-p", str(self.port), *command]
        answer = subprocess.run(asked, check=True, capture_output=True, text=True, timeout=30)
        return answer.stdout.strip()

    def _answers(self) -> bool:
        asked = ["redis-cli", "-h", "127.0.0.1", "-p", str(self.port), "ping"]
        answer = subprocess.run(asked, check=False, capture_output=True, text=True, timeout=30)
        return answer.stdout.strip() == "PONG"


class Cluster:
    """Three nodes."""

    def __init__(self) -> None:
        options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "15000")
        self.nodes = [Redis(*options) for _ in range(3)]
        addresses = [f"127.0.0.1:{node.port}" for node in self.nodes]
        self.nodes[0].cli("--cluster", "create", *addresses, "--cluster-yes")
        for node in self.nodes:
            until(lambda node=node: "cluster_state:ok" in node.cli("cluster", "info"), "the cluster")  # type: ignore[misc]

    @property
    def url(self) -> str:
        return f"cluster+{self.nodes[0].url}"

    def stop(self) -> None:
        for node in self.nodes:
            node.stop()


class Postgres(Server):
    def __init__(self) -> None:
        super().__init__()
        self._bin = postgres_programs()
        self._user: dict[str, Any] = {"cwd": self.folder}
        if os.getuid() == 0:
            # It refuses to be run by root.
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._user |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self._data = str(self.folder / "data")
        made = [self._bin / "initdb", "-D", self._data, "-A", "trust", "-U", "postgres"]
        subprocess.run([*made, "--no-sync"], check=True, capture_output=True, **self._user)
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        here = ["-D", self._data, "-p", str(self.port), "-k", str(self.folder)]
        settings = ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
        self.run([str(self._bin / "postgres"), *here, *settings], **self._user)
        ready = [self._bin / "pg_isready", "-h", "127.0.0.1", "-p", str(self.port)]
        until(lambda: subprocess.run(ready, check=False, capture_output=True).returncode == 0, "postgres")

    def sql(self, statement: str) -> str:
        asked = [self._bin / "psql", self.url, "-qAt", "-c", statement]
        return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def postgres_programs() -> Path:
    """The newest version's, where Debian keeps them; elsewhere those that are installed."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if versions:
        return versions[-1]
    asked = ["pg_config", "--bindir"]
    return Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())


class Silent:
    """Accepts connections and never answers."""

    def __init__(self) -> None:
        # The kernel accepts for it.
        self._server = socket.create_server(("127.0.0.1", 0), backlog=1000)
        self.port: int = self._server.getsockname()[1]

    def stop(self) -> None:
        self._server.close()
