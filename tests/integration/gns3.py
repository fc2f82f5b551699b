"""A real GNS3 server by `netbench gns3 serve`, with stand-ins for what no distribution has: ubridge, dynamips."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pytest_netbench.lab.connections import ConsoleConnections
from pytest_netbench.lab.consoles import Console, Credentials
from pytest_netbench.lab.device_node import DeviceNode
from pytest_netbench.lab.telnet import TelnetLine
from pytest_netbench.model.topology import Node, Topology
from pytest_netbench.platforms.vpcs.session import session_of
from tests.integration.guests import KERNEL_WORDS, MEMORY_MB, Guest
from tests.support.programs import NotToBeHad, cache

ROOT = Path(__file__).parents[2]
_WIRES = ROOT / "tests/support/gns3/wires.py"
_VPCS_PROMPT = re.compile(r"> \Z")
_MACHINE = ROOT / "tests/support/gns3/machine.py"
IOS_PROGRAM = "qemu-system-x86_64.ios"  # the server takes the machine's kind from the name
_READY_S = 600  # the server is installed at first use
RUN_S = 600.0
# GNS3 refuses the version of Debian's VPCS, which has all that it needs
_VPCS = """
[ "$*" = -v ] && echo "Welcome to Virtual PC Simulator, version 0.6.1" && exit
exec {program} "$@"
"""


def stand_ins(folder: Path) -> Path:
    """A folder for the PATH with `ubridge`, `dynamips`, a `vpcs` of another version, and machines that are IOS nodes.

    Raises:
        NotToBeHad: This machine has no VPCS.
    """
    program = shutil.which("vpcs")
    if program is None:
        raise NotToBeHad("vpcs is missing; fix: apt-get install vpcs")
    folder.mkdir()
    scripts = {name: f'exec {sys.executable} {_WIRES} {name} "$@"\n' for name in ("ubridge", "dynamips")}
    scripts[IOS_PROGRAM] = f'exec {sys.executable} {_MACHINE} "$@"\n'
    scripts["qemu-img"] = 'echo "qemu-img version 7.2.22"\n'  # looked for beside it, for disks alone
    for name, body in {**scripts, "vpcs": _VPCS.format(program=program)}.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}")
        (folder / name).chmod(0o755)
    return folder


class Gns3:
    """A server of one release, which is started and ended as often as a test wants.

    Args:
        folder: Of its projects.
        release: Of PyPI's gns3-server.
        say: Prints a line of progress.

    Attributes:
        run_s: Seconds that a client has.
    """

    def __init__(self, folder: Path, release: str, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.release = release
        self.run_s = RUN_S
        self._say = say
        self.port = _free_port()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("NETBENCH")},
            "PATH": f"{stand_ins(folder / 'bin')}:{os.environ['PATH']}",
            "XDG_DATA_HOME": str(folder / "data"),
            "XDG_CACHE_HOME": str(cache()),
            "XDG_STATE_HOME": str(folder / "state"),
            "PYTHONPATH": str(ROOT),
        }
        self._server: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it; return once it answers."""
        command = [sys.executable, "-m", "pytest_netbench.cli", "gns3", "serve"]
        self._server = subprocess.Popen(
            [*command, "--port", str(self.port), "--release", self.release, "--no-kvm"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        told = []
        for line in self._server.stdout or ():
            told.append(line.strip())
            if line.startswith("installing"):
                self._say(line.strip())
            if line.startswith("export "):
                self.environment.update(word.split("=", 1) for word in line.split()[1:])
                return
        raise NotToBeHad(f"no GNS3 server {self.release}: {(told or ['no output'])[-1]}")

    def end(self, number: int = signal.SIGTERM) -> None:
        """End `netbench gns3 serve` by a signal."""
        if self._server is not None:
            self._server.send_signal(number)
            self._server.communicate()
            self._server = None

    def processes(self) -> list[str]:
        """The command lines of what runs of it."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                here = str((place / "cwd").readlink())
                if str(self.folder) in words or here.startswith(str(self.folder)):
                    found.append(words)
        return found

    def gone(self, within_s: float = 10.0) -> bool:
        """Whether nothing runs of it any more."""
        ends_at = time.monotonic() + within_s
        while self.processes():
            if time.monotonic() > ends_at:
                return False
            time.sleep(0.1)
        return True

    def ask(self, path: str, body: object = None, *, method: str | None = None) -> Any:
        """What its interface answers; to a ``POST`` if there is a body, JSON or bytes, and no method is named."""
        place, user = self.environment["NETBENCH_GNS3"], self.environment["NETBENCH_GNS3_USER"]
        password = self.environment["NETBENCH_GNS3_PASSWORD"]
        if self.release.startswith("3"):
            given = {"username": user, "password": password}
            token = _answer(f"{place}/v3/access/users/authenticate", given, {})["access_token"]
            return _answer(f"{place}/v3{path}", body, {"Authorization": f"Bearer {token}"}, method)
        word = base64.b64encode(f"{user}:{password}".encode()).decode()
        return _answer(f"{place}/v2{path}", body, {"Authorization": f"Basic {word}"}, method)

    def add_template(self, name: str, guest: Guest, *, adapters: int) -> None:
        """Make a template of a guest, which runs without KVM."""
        is_new = self.release.startswith("3")
        for file in guest:
            place = f"/images/upload/QEMU/{file.name}" if is_new else f"/compute/qemu/images/{file.name}"
            self.ask(place, file.read_bytes())
        given = {
            "name": name,
            "template_type": "qemu",
            "compute_id": "local",
            "qemu_path": shutil.which("qemu-system-x86_64"),
            "ram": MEMORY_MB,
            "adapters": adapters,
            "adapter_type": "virtio-net-pci",
            "console_type": "telnet",
            "kernel_image": guest.kernel.name,
            "initrd": guest.initramfs.name,
            "kernel_command_line": KERNEL_WORDS,
            "process_priority": "low",
            "options": "-machine accel=tcg -nodefaults",
        }
        self.ask("/templates", given)

    def projects(self) -> list[str]:
        """The names of its projects."""
        return [one["name"] for one in self.ask("/projects")]

    def open(self, *words: str, **env: str) -> subprocess.Popen[str]:
        """Start Python for a client of it."""
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=ROOT,
            env={**self.environment, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *words: str, **env: str) -> str:
        """What Python prints for a client of it, and its status."""
        process = self.open(*words, **env)
        try:
            output, _ = process.communicate(timeout=self.run_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        return f"{output}\nstatus {process.returncode}\n"

    def netbench(self, *words: str, **env: str) -> str:
        """What a command of netbench prints."""
        return self.run("-m", "pytest_netbench.cli", *words, **env)

    def pytest(self, *words: str, backend: str = "gns3", **env: str) -> tuple[str, list[dict[str, Any]]]:
        """The output of a run of pytest, and its results."""
        results = self.folder / f"results-{time.monotonic_ns()}"
        options = ("-q", "-p", "no:cacheprovider", f"--rootdir={self.folder}", f"--netbench-results={results}")
        shown = self.run("-m", "pytest", *options, f"--netbench-backend={backend}", *words, **env)
        file = results / "results.jsonl"
        return shown, [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def _free_port() -> int:
    """A port for a server, on which depend the UDP ports of its links: another server has others."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = int(listener.getsockname()[1])
        first = 10_000 + port % 20 * 1_000
        try:
            for number in range(first, first + 100):
                with socket.socket(type=socket.SOCK_DGRAM) as probe:
                    probe.bind(("127.0.0.1", number))
        except OSError:
            continue
        return port


def _answer(url: str, body: object, headers: dict[str, str], method: str | None = None) -> Any:
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
    asked = urllib.request.Request(url, data, {"Content-Type": kind, **headers}, method=method)
    try:
        with urllib.request.urlopen(asked) as answer:
            return json.loads(answer.read() or "null")
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{url}: {error}: {error.read().decode(errors='replace')}") from None


@contextlib.contextmanager
def served(folder: Path, release: str, say: Callable[[str], None]) -> Iterator[Gns3]:
    """A server that runs.

    Raises:
        NotToBeHad: It cannot be had here.
    """
    one = Gns3(folder, release, say)
    try:
        one.start()
        yield one
    finally:
        one.end()


def settings(name: str, port: int) -> list[str]:
    """What a host shows at its console, line by line."""
    console = Console(name, lambda: TelnetLine(name, "127.0.0.1", port), Credentials(), prompt=_VPCS_PROMPT)
    line = ConsoleConnections(console.connect)
    topology = Topology(nodes=(Node(name=name),))
    node = DeviceNode(name=name, platform="linux", topology=topology, line=line, hang_up=line.close)
    with contextlib.closing(node):
        shown = session_of(node).send("show ip")
    return [one for one in shown.split("\n") if one.startswith(("NAME", "IP/MASK", "GATEWAY", "DNS", "DOMAIN", "MTU"))]
