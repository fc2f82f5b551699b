"""A lab of an ordinary user: when the tests run as root, in a process that has become nobody in particular."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_netbench.backends.netns.backend import NetnsBackend

_UID = 54321
_CODE = """
import os, socket, sys
assert os.geteuid() != 0
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.request import request_of
from tests.support import host
from tests.support.netns_networks import pair

backend = NetnsBackend()
assert backend.lacks(request_of(pair())) is None, backend.lacks(request_of(pair()))
lab = backend.deploy(request_of(pair({"delay_ms": 5})))
node, traces = lab.nodes["a"], host.Lab.of(lab.supervisor_pid)
found = lab.prober.probe([Probe(source="a", target="10.0.0.2")])[0]
print("delivered", found.delivered, "" if found.delivered else found.detail)
for writable in (False, True):
    for command in sys.argv[1:]:
        print(writable, command, "->", node.shell(command, writable=writable, reads=("nft",)).returncode == 0)
lab.destroy()
print("left", traces.left_after(1.0))
"""
_FORBIDDEN = (
    f"kill -9 {os.getpid()}",
    "cat /etc/shadow",
    "ls /home/*",
    "unshare --user true",
    "mount -t tmpfs x /tmp",
    "nft flush ruleset; test $? != 0 && exit 1; ip link set lo down && exit 1; exit 1",
    "echo x > /etc/ld.so.preload",
)
_PERMITTED = ("ip address show dev eth0", "nft list ruleset", "ping -c 1 -W 1 10.0.0.2 || test $? = 2")


_NEEDED = ("pydantic", "pydantic_core", "annotated_types", "typing_extensions.py", "typing_inspection")
"""What the code above imports of site-packages."""


@pytest.fixture
def interpreter() -> str:
    """An interpreter that an ordinary user may run."""
    resolved = Path(sys.executable).resolve()
    if os.geteuid() != 0 or _readable(resolved):
        return sys.executable if _readable(Path(sys.executable)) else str(resolved)
    other = shutil.which("python3", path="/usr/bin:/usr/local/bin")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if other is None or version not in subprocess.run([other, "-V"], capture_output=True, text=True, check=True).stdout:
        pytest.skip(f"no python{version} that an ordinary user may run; fix: apt-get install -y python{version}")
    return other


@pytest.fixture
def imports() -> Iterator[list[Path]]:
    """Folders to import this project and what it needs from: copies where root's home hides the checkout."""
    repository = Path(__file__).parents[3]
    site = Path(next(path for path in sys.path if path.endswith("site-packages")))
    if os.geteuid() != 0 or (_readable(repository / "x") and _readable(site / "x")):
        yield [repository, site]
        return
    with tempfile.TemporaryDirectory(prefix="netbench-ordinary-user-") as folder:
        Path(folder).chmod(0o755)
        needed = [*(site / name for name in _NEEDED), *site.glob("pytest_netbench-*.dist-info")]
        for source in (repository / "pytest_netbench", repository / "tests", *needed):
            if source.is_dir():
                shutil.copytree(source, Path(folder, source.name), ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, folder)
        yield [Path(folder)]


def _readable(path: Path) -> bool:
    return all(parent.stat().st_mode & 0o005 == 0o005 for parent in path.parents)


def run(interpreter: str, imports: list[Path], code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``code`` as an ordinary user."""
    as_user: dict[str, Any] = {"user": _UID, "group": _UID, "extra_groups": []} if os.geteuid() == 0 else {}
    return subprocess.run(
        [interpreter, "-B", "-c", code, *arguments],
        env={"PYTHONPATH": ":".join(map(str, imports)), "PATH": os.environ["PATH"], "HOME": "/nonexistent"},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **as_user,
    )


_PROBING = """
import os
assert os.geteuid() != 0
from pytest_netbench.errors import RequirementMissing
from pytest_netbench.probing.namespaces import Namespace
from pytest_netbench.probing.prober import NamespaceProber
from tests.support.iproute_networks import NAMES, Network

network = Network()
with NamespaceProber({name: Namespace(path=network.paths[name]) for name in NAMES}) as prober:
    print(sorted(pair for pair, result in prober.matrix(timeout_s=0.2).items() if not result.delivered))
network.close()
for space in (Namespace(path="/proc/self/ns/net"), Namespace(pid=1)):
    try:
        NamespaceProber({"host": space})
    except RequirementMissing as error:
        print(error)
"""


def test_an_ordinary_user_probes_in_namespaces_of_their_own_only(interpreter: str, imports: list[Path]) -> None:
    done = run(interpreter, imports, _PROBING)
    assert done.returncode == 0, done.stderr
    fix = "(fix: run as root, or as the user who made the namespace)"
    assert done.stdout.splitlines() == [
        "[('h2', 'h1')]",
        f"host: its network namespace may not be entered by this user {fix}",
        f"host: the namespace of process 1 may not be opened by this user {fix}",
    ]


def test_an_ordinary_user_has_labs_that_hold_the_same(
    backend: NetnsBackend, interpreter: str, imports: list[Path], tmp_path: Path
) -> None:
    done = run(interpreter, imports, _CODE, *_FORBIDDEN, *_PERMITTED)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "delivered True " in lines, lines
    assert "left []" in lines
    answers = {line.rpartition(" -> ")[0]: line.rpartition(" -> ")[2] for line in lines if " -> " in line}
    for writable in (False, True):
        assert {command: answers[f"{writable} {command}"] for command in _FORBIDDEN} == dict.fromkeys(
            _FORBIDDEN, "False"
        )
        assert {command: answers[f"{writable} {command}"] for command in _PERMITTED} == dict.fromkeys(
            _PERMITTED, "True"
        )


_MOVING = """
import os, time
assert os.geteuid() != 0
from pathlib import Path
from pytest_netbench.backends.netns.backend import NetnsBackend
from pytest_netbench.lab.request import request_of
from tests.support import host
from tests.support.netns_networks import network

CONFIG = "interface eth0\\n ip address 10.0.12.{0}/24\\n ip ospf area 0\\nexit\\nrouter ospf\\nexit\\n"
task = network({"R1": "frr", "R2": "frr"}, ["R1 eth0 - R2 eth0"], {f"R{n}": CONFIG.format(n) for n in (1, 2)})
lab = NetnsBackend().deploy(request_of(task))
traces = host.Lab.of(lab.supervisor_pid)
passed = lab.clock.forward(3600)
print("forward", passed.lab_s, passed.wall_s < 60)

def state():
    return lab.nodes["R1"].vty([("ospfd", "show ip ospf neighbor json")])[0][0]

print("full", "Full" in state())
lab.clock.halt()
others = [pid for pid, _ in traces.processes if pid != lab.supervisor_pid]
print("stopped", {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in others})
before = lab.clock.at(time.time())
time.sleep(0.3)
print("stands", lab.clock.at(time.time()) == before)
lab.clock.change(lab.time_scale)
print("full", "Full" in state())
lab.destroy()
print("left", traces.left_after(1.0))
"""


def test_an_ordinary_user_moves_and_halts_the_clock(interpreter: str, imports: list[Path]) -> None:
    done = run(interpreter, imports, _MOVING)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "forward 3600.0 True",
        "full True",
        "stopped {'T'}",
        "stands True",
        "full True",
        "left []",
    ]
