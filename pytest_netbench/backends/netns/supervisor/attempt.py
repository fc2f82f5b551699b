"""The files of one node, made for a try and gone with this process. Standard library only."""

from __future__ import annotations

import os
from typing import NoReturn

from pytest_netbench.backends.netns.supervisor import nodes, roots
from pytest_netbench.kernel import isolation
from pytest_netbench.kernel.forks import fork


def main() -> NoReturn:
    """Open namespaces as a lab does, and make in them what a node has of files; end with 0 if that works.

    Standard error tells what was refused.
    """
    host = roots.Host({})
    isolation.leave_host(isolation.unused_uid())

    def make() -> NoReturn:
        roots.prepare_lab([])
        home = nodes.home()
        stem = roots.prepare_stem(host, home, tunnels=False)
        nodes.make("node", lab=home, stem=stem).furnish()
        os._exit(0)

    _, status = os.waitpid(fork(make), 0)
    os._exit(os.waitstatus_to_exitcode(status))
