"""The programs of Open vSwitch: where they are, and how they are started and ended in a node.

They run in user space and go by the lab's clock. ``--enable-dummy`` offers a datapath that needs no kernel module and
no /dev/net/tun, and takes the node's interfaces as ports.
"""

from __future__ import annotations

import re
import subprocess
from functools import cache
from shutil import which

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.capabilities import HostNode

INSTALL_COMMAND = "sudo apt-get install -y --no-install-recommends openvswitch-switch"
PROGRAMS = ("ovs-vswitchd", "ovsdb-server", "ovsdb-tool", "ovsdb-client", "ovs-vsctl", "ovs-ofctl", "ovs-appctl")
RUN = "/run/openvswitch"
SOCKET = f"unix:{RUN}/db.sock"
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
_SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
# Where no look of an agent leads: the history of its changes tells what was typed.
_DATABASE = f"{RUN}/conf.db"
_WAIT = "tries=0; while [ ! -S {path} ] && [ $tries -lt 500 ]; do tries=$((tries + 1)); sleep 0.01; done; [ -S {path} ]"
_STARTED_S = 15.0
_END = f"""
pids=$(cat {RUN}/*.pid 2>/dev/null)
[ -z "$pids" ] || kill -9 $pids
for pid in $pids; do
    tries=0
    while kill -0 $pid 2>/dev/null && [ $tries -lt 200 ]; do tries=$((tries + 1)); sleep 0.01; done
done
rm -rf {RUN}
"""


@cache
def missing() -> str | None:
    """The first program that is not installed, or ``None``."""
    return next((name for name in PROGRAMS if which(name, path=_PATH) is None), None)


@cache
def version() -> str | None:
    """The version of Open vSwitch, e.g. ``3.1.0``, or ``None``."""
    program = which("ovs-vswitchd", path=_PATH)
    if program is None:
        return None
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(r"\(Open vSwitch\) (\S+)", done.stdout)
    return found[1] if found else None


def start(node: HostNode) -> None:
    """Start the database and the switch with no configuration.

    Raises:
        LabError: Open vSwitch is not installed, or does not start.
    """
    if (lacking := missing()) is not None:
        raise LabError(f"{node.name}: {lacking} is not installed (fix: {INSTALL_COMMAND})")
    _check(node, f"mkdir -p {RUN} && ovsdb-tool create {_DATABASE} {_SCHEMA}", "the database cannot be made")
    node.start(
        ["ovsdb-server", _DATABASE, f"--remote=p{SOCKET}", "--pidfile", "--no-chdir", f"--unixctl={RUN}/ovsdb.ctl"],
    )
    _check(
        node,
        f"{_WAIT.format(path=f'{RUN}/db.sock')}",
        "ovsdb-server does not start",
    )
    node.start(["ovs-vswitchd", SOCKET, "--enable-dummy", "--disable-system", "--pidfile", "--no-chdir"])
    _check(node, _WAIT.format(path=f"{RUN}/ovs-vswitchd.$(cat {RUN}/ovs-vswitchd.pid).ctl"), "it does not start")


def end(node: HostNode) -> None:
    """End both, and forget their configuration."""
    node.run(["/bin/sh", "-c", _END])


def _check(node: HostNode, script: str, what: str) -> None:
    done = node.run(["/bin/sh", "-c", script], timeout_s=_STARTED_S)
    if done.returncode != 0:
        raise LabError(f"{node.name}: Open vSwitch: {what}: {(done.stderr or done.stdout).strip() or 'no output'}")
