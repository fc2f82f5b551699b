"""The supervisor is PID 1 of a lab, so all processes of the lab end with it.

The backend starts it with one socket. It opens the namespaces, drops its host privileges, makes nodes and links, and
then serves requests until the socket closes. It imports everything before it drops its privileges, because the
interpreter may be in a directory that only root can read.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import select
import signal
import socket
from typing import NoReturn

from pytest_netbench.backends.netns.supervisor import isolation, loop, network, roots, spawn
from pytest_netbench.backends.netns.supervisor import syscalls as sys
from pytest_netbench.backends.netns.supervisor.owner import Owner


def main(control_fd: int, spec_fd: int) -> None:
    """Become a lab's supervisor; never returns normally."""
    with os.fdopen(spec_fd, "rb") as file:
        spec = json.load(file)
    # The socket is inherited and must not be inherited further: its holder can answer for the lab.
    os.set_inheritable(control_fd, False)
    owner = Owner(socket.socket(fileno=control_fd))
    # Nobody reads it before the end: processes that fail to start may fill it, and must not wait then.
    os.set_blocking(2, False)
    host = roots.Host(spec["shared"])
    _raise_limits()
    isolation.leave_host(spec["uid"])
    alive_reader, alive = os.pipe()

    def init() -> NoReturn:
        sys.die_with_parent()
        os.close(alive)
        loop.serve(owner, network.build(spec, host), alive_reader)

    # The collector would write to every page that both processes share, and so copy them.
    gc.freeze()
    gc.enable()
    pid = spawn.fork(init)
    os.close(alive_reader)
    _watch(pid, owner)


def _raise_limits() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _watch(pid: int, owner: Owner) -> NoReturn:
    """End the lab when its owner is gone, whatever the lab is doing; end with the lab."""
    poller = select.poll()
    poller.register(os.pidfd_open(pid), select.POLLIN)
    poller.register(owner, select.POLLRDHUP)
    poller.poll()
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    os._exit(max(0, os.waitstatus_to_exitcode(status)))
