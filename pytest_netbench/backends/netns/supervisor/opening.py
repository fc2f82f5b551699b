"""Opening the namespaces of a lab and becoming its supervisor.

The supervisor is PID 1 of the lab, so all processes of the lab end with it. It drops its host privileges, makes nodes
and links, and then serves requests until its socket closes. Standard library only.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
from typing import NamedTuple, NoReturn

from pytest_netbench.backends.netns.supervisor import loop, network, roots, tunnels
from pytest_netbench.backends.netns.supervisor.owner import Owner
from pytest_netbench.kernel import isolation
from pytest_netbench.kernel import syscalls as sys
from pytest_netbench.kernel.forks import fork


class Given(NamedTuple):
    """Descriptors that the process that opens a lab is given.

    Attributes:
        control: The lab's socket.
        spec: A file with what to build.
        errors: Standard error.
        tell: Where the pid of the supervisor is written.
        gate: Where the supervisor reads a byte before it goes on.
        alive: A pipe that closes when the process that starts labs ends.
    """

    control: int
    spec: int
    errors: int
    tell: int
    gate: int
    alive: int


def open_lab(given: Given) -> NoReturn:
    """Open the namespaces, fork the supervisor in them and end."""
    sys.die_with_parent()
    os.setsid()
    os.dup2(given.errors, 2)
    # Nobody reads it before the end: processes that fail to start may fill it, and must not wait then.
    os.set_blocking(2, False)
    _close_all_but({0, 1, 2, given.control, given.spec, given.tell, given.gate, given.alive})
    with os.fdopen(given.spec, "rb") as file:
        file.seek(0)
        spec = json.load(file)
    os.set_inheritable(given.control, False)
    host = roots.Host(spec["shared"])
    if spec["tunnels"] and isolation.changes_user(spec["uid"]):
        tunnels.lend()
    isolation.leave_host(spec["uid"])

    def supervise() -> NoReturn:
        os.close(given.tell)
        # It has another parent once the opener has ended, and ends with that one.
        if not os.read(given.gate, 1):
            os._exit(0)
        os.close(given.gate)
        sys.die_with_parent()
        owner = Owner(socket.socket(fileno=given.control))
        loop.serve(owner, network.build(spec, host), given.alive)

    os.write(given.tell, struct.pack("i", fork(supervise)))
    os._exit(0)


def _close_all_but(kept: set[int]) -> None:
    """Close what belongs to other labs."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            with contextlib.suppress(OSError):  # that of the listing itself
                os.close(int(name))
