"""The process of a P4 switch: the program it needs, how it is started and ended in a node, its log."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from os.path import realpath
from shutil import which
from typing import Final

from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.platforms.capabilities import LOGS, PROGRAMS, HostNode
from pytest_netbench.platforms.p4 import runtime, shipped

NAME: Final = "simple_switch"
INSTALL_COMMAND: Final = "install bmv2 below /usr, e.g. the package p4lang-bmv2 of https://p4.org"
_VISIBLE: Final = "/usr/"
_RUN: Final = "/run/p4"
_LOG: Final = f"{_RUN}/log"
_STARTED_S: Final = 15.0
# The switch binds its runtime API to all addresses. The node has none but that of loopback, and admits nothing else.
_CLOSE: Final = f"""
mkdir -p {_RUN}
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
nft -f - <<END
table inet p4
delete table inet p4
table inet p4 {{
    chain input {{ type filter hook input priority 0; policy drop; iif lo accept; }}
}}
END
"""
_WAIT: Final = """
tries=0
{until} ss -Hltn "sport = :{port}" | grep -q .; do
    [ $tries -lt 1000 ] || exit 1
    tries=$((tries + 1)); sleep 0.01
done
"""
_LISTENS: Final = _WAIT.format(until="until", port=runtime.PORT)
_ENDED: Final = _WAIT.format(until="while", port=runtime.PORT)
_KILL: Final = 9


def lack() -> tuple[str, str] | None:
    """Return what is missing to run P4 switches here, and the remedy; ``None`` if nothing is."""
    found = which(NAME)
    if found is None:
        return f"{NAME} is not on the PATH (switches of platform p4)", INSTALL_COMMAND
    if not realpath(found).startswith(_VISIBLE):
        return f"{realpath(found)} is not below {_VISIBLE}, and nodes see no other programs", INSTALL_COMMAND
    if runtime.missing():
        return (
            f"the Python package {runtime.LIBRARY} is not installed (switches of platform p4)",
            runtime.LIBRARY_COMMAND,
        )
    return None


@cache
def version() -> str | None:
    """The version of bmv2, e.g. ``1.15.5``, or ``None``."""
    if (program := which(NAME)) is None:
        return None
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def start(node: HostNode, program: str) -> None:
    """Start the switch with a shipped program and empty tables, and return once it takes requests.

    Raises:
        RequirementMissing: Something is not installed.
        LabError: It does not start.
    """
    if (missing := lack()) is not None:
        raise RequirementMissing(f"{node.name}: {missing[0]} (fix: {missing[1]})")
    _check(node, _CLOSE, "its node cannot be closed")
    node.write_file(f"{_RUN}/{program}.json", shipped.compiled(program))
    ports = [word for name in node.interfaces for word in ("-i", f"{port_of(name)}@{name}")]
    found = which(NAME)
    assert found is not None
    logging = ("--log-file", _LOG, "--log-flush", "-L", "info")
    argv = [realpath(found), *ports, "--thrift-port", str(runtime.PORT), *logging, f"{_RUN}/{program}.json"]
    # threads that wait for packets cannot be told from threads that are busy, so it goes by the wall
    node.start(argv, lab_time=False, name=NAME)
    if node.run(["/bin/sh", "-c", _LISTENS], timeout_s=_STARTED_S).returncode != 0:
        said = node.capability(LOGS).log(NAME).strip().splitlines()[:1]
        raise LabError(f"{node.name}: P4 switch: it does not start: {''.join(said) or 'no output'}")


def end(node: HostNode) -> None:
    """End the switch, and forget its log."""
    node.capability(PROGRAMS).signal(NAME, _KILL)
    _check(node, f"{_ENDED}rm -rf {_RUN}", "it does not end")


def port_of(interface: str) -> int:
    """Return the number of a port."""
    return int(interface.removeprefix("eth"))


def log(node: HostNode) -> str:
    """Return what the switch has logged."""
    return node.run(["/bin/sh", "-c", f"cat {_LOG}*"]).stdout


def carriers(node: HostNode) -> set[str]:
    """Return the interfaces that are up. The switch itself looks for them in a file system that nodes do not have."""
    links = json.loads(node.run(["ip", "-j", "link", "show"]).stdout or "[]")
    return {link["ifname"] for link in links if "LOWER_UP" in link["flags"]}


def _check(node: HostNode, script: str, what: str) -> None:
    done = node.run(["/bin/sh", "-c", script], timeout_s=_STARTED_S)
    if done.returncode != 0:
        raise LabError(f"{node.name}: P4 switch: {what}: {(done.stderr or done.stdout).strip() or 'no output'}")
