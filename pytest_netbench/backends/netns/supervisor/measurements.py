"""What is measured of a network: each request in a separate child process. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NoReturn

from pytest_netbench.backends.netns.supervisor.jobs import Jobs
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Message, Owner
from pytest_netbench.backends.netns.supervisor.spawn import Stdio
from pytest_netbench.kernel.forks import fork
from pytest_netbench.probing.calls import Calls, Measured, write_and_exit
from pytest_netbench.probing.networks import Networks


class Measurements:
    """Serves requests to measure."""

    def __init__(self, *, owner: Owner, network: Network, jobs: Jobs) -> None:
        self._owner = owner
        descriptors = {name: space.network for name, space in network.spaces.items()}
        self._networks = Networks(descriptors, network.home.network)
        self._calls = Calls(self._networks)
        self._jobs = jobs

    def probe(self, request: Message) -> None:
        """Packet exchanges, all at once."""
        self._measure(request, self._calls.probe)

    def path(self, request: Message) -> None:
        """Hops towards an address."""
        self._measure(request, self._calls.path)

    def traffic(self, request: Message) -> None:
        """Flows, and what arrives of them."""
        self._measure(request, self._calls.traffic)

    def capture(self, request: Message) -> None:
        """Packets of an interface."""
        self._measure(request, self._calls.capture)

    def counters(self, request: Message) -> Message:
        """What the kernel of a node has counted at its interfaces, as its text."""
        with self._networks.inside(request["node"]), open("/proc/thread-self/net/dev", encoding="utf-8") as file:
            return {"text": file.read()}

    def _measure(self, request: Message, call: Callable[[Message], Measured]) -> None:
        """Make ``call`` in a child and answer with what it returns, as JSON."""

        def done(result: dict[str, Any]) -> None:
            if result["returncode"]:
                self._owner.refuse(request, result["stderr"].strip() or f"status {result['returncode']}")
            else:
                self._owner.answer(request, {"result": result["stdout"]})

        def start(stdio: Stdio) -> int:
            def run() -> NoReturn:
                os.dup2(stdio[2], 2)
                write_and_exit(lambda: call(request), stdio[1])

            return fork(run)

        self._jobs.start(start, done, timeout_s=request["timeout_s"])
