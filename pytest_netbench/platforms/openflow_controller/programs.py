"""The controller's program as a process in a node: how it is put there, started, ended and asked for its state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from importlib.metadata import version
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.capabilities import EXEC, HostNode

INTERPRETER: Final = "/usr/bin/python3"
PACKAGES: Final = ("os_ken", "netaddr", "oslo_config", "rfc3986", "stevedore", "pbr", "packaging", "idna")
"""os-ken, and what its OpenFlow messages import. All are pure Python, so each can be an archive."""
CONFIG: Final = "/etc/openflow-controller.conf"
RUN: Final = "/run/openflow-controller"
_SHARED: Final = "/opt/netbench/lib"
_LIBRARY: Final = f"{RUN}/lib"
_PROGRAM: Final = "pytest_netbench.platforms.openflow_controller.program"
_LANGUAGE: Final = "pytest_netbench.dialects.openflow_controller"
_FILES: Final = {_PROGRAM: ("control", "messages", "session"), _LANGUAGE: ("fabric", "intents")}
_ALIVE: Final = f'[ -e {RUN}/pid ] && kill -0 "$(cat {RUN}/pid)" 2>/dev/null'
_UNTIL: Final = "tries=0; while {what}; do [ $tries -lt 1000 ] || exit 1; tries=$((tries + 1)); sleep 0.01; done"
_STARTED_S: Final = 15.0


def install(node: HostNode) -> None:
    """Put the program into the node."""
    directories = sorted({f"{_LIBRARY}/{package.replace('.', '/')}" for package in _FILES})
    node.run(["/bin/mkdir", "-p", *directories])
    for path, text in _sources().items():
        node.write_file(f"{_LIBRARY}/{path}", text)
    archives = [f"{_SHARED}/{name}.zip" for name in PACKAGES]
    node.write_file(
        f"{_LIBRARY}/__main__.py",
        f"import sys\n\nsys.path += {archives!r}\n\nfrom {_PROGRAM}.control import main\n\nmain({RUN!r}, {CONFIG!r})\n",
    )


def start(node: HostNode, intents: Sequence[str]) -> None:
    """Start the controller unless it runs, and return once it listens.

    Raises:
        LabError: It does not start.
    """
    node.write_file(CONFIG, "".join(f"{line}\n" for line in intents))
    if is_running(node):
        return
    node.run(["/bin/rm", "-f", f"{RUN}/pid", f"{RUN}/status"])
    # os-ken asks for its own version, which an archive does not tell
    node.start([INTERPRETER, "-I", "-B", "-S", _LIBRARY], env={"PBR_VERSION": version("os-ken")})
    done = node.run(["/bin/sh", "-c", _UNTIL.format(what=f"[ ! -e {RUN}/pid ]")], timeout_s=_STARTED_S)
    if done.returncode != 0:
        raise LabError(f"{node.name}: the controller does not start")


def stop(node: HostNode) -> None:
    """End the controller, if it runs, and return once it has ended."""
    script = (
        f'{_ALIVE} || exit 0; kill -9 "$(cat {RUN}/pid)"; {_UNTIL.format(what=_ALIVE)}; rm -f {RUN}/pid {RUN}/status'
    )
    node.run(["/bin/sh", "-c", script])


def crash(node: NodeAccess) -> bool:
    """End the controller without notice, as a crash does; return whether it ran."""
    return node.capability(EXEC).run(["/bin/sh", "-c", f'{_ALIVE} && kill -9 "$(cat {RUN}/pid)"']).returncode == 0


def reload(node: HostNode, intents: Sequence[str]) -> None:
    """Give the controller other intents; it takes them at once if it runs, and else when it starts."""
    node.write_file(CONFIG, "".join(f"{line}\n" for line in intents))
    node.run(["/bin/sh", "-c", f'{_ALIVE} && kill -HUP "$(cat {RUN}/pid)"'])


def intents(node: NodeAccess) -> list[str]:
    """The lines of the node's intents; none if an agent has removed their file."""
    done = node.capability(EXEC).run(["/bin/cat", CONFIG])
    return [line for line in done.stdout.splitlines() if line.strip()]


def is_running(node: NodeAccess) -> bool:
    """Whether the controller runs."""
    return node.capability(EXEC).run(["/bin/sh", "-c", _ALIVE]).returncode == 0


def states(node: NodeAccess) -> dict[str, str] | None:
    """By switch of the intents: its state; ``None`` if the controller does not run or has not told yet."""
    done = node.capability(EXEC).run(["/bin/sh", "-c", f"{_ALIVE} && cat {RUN}/status"])
    if done.returncode != 0:
        return None
    return {name: state for name, _, state in (line.partition(" ") for line in done.stdout.splitlines())}


@cache
def _sources() -> dict[str, str]:
    return {
        f"{package.replace('.', '/')}/{name}.py": (resources.files(package) / f"{name}.py").read_text(encoding="utf-8")
        for package, names in _FILES.items()
        for name in names
    }
