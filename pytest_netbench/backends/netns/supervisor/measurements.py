"""What is measured of a network: each request in a separate child process. Standard library only."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from pytest_netbench.backends.netns.supervisor import spawn
from pytest_netbench.backends.netns.supervisor.jobs import Jobs
from pytest_netbench.backends.netns.supervisor.network import Network
from pytest_netbench.backends.netns.supervisor.owner import Message, Owner
from pytest_netbench.backends.netns.supervisor.spawn import Stdio
from pytest_netbench.probing import captures, closing, neighbors, paths
from pytest_netbench.probing.networks import Networks
from pytest_netbench.probing.overflow import Overflow, wait_for_calm
from pytest_netbench.probing.probes import Prober
from pytest_netbench.probing.sockets import Sockets
from pytest_netbench.probing.traffic import Traffic

Measured = tuple[Any, Sequence[int]]
"""A result, and descriptors that take their time to close."""


class Measurements:
    """Serves requests to measure."""

    def __init__(self, *, owner: Owner, network: Network, jobs: Jobs) -> None:
        self._owner = owner
        descriptors = {name: space.network for name, space in network.spaces.items()}
        self._networks = Networks(descriptors, network.home.network)
        self._sockets = Sockets(self._networks)
        self._jobs = jobs

    def probe(self, request: Message) -> None:
        """Packet exchanges, all at once. What failed while the machine dropped packets is tried again."""

        def work() -> Measured:
            overflow = Overflow()
            reports, closing = self._probe_once(request, request["probes"])
            lost = [number for number, report in enumerate(reports) if not report["delivered"]]
            if lost and overflow:
                wait_for_calm()
                again, slow = self._probe_once(request, [request["probes"][number] for number in lost])
                closing += slow
                for number, report in zip(lost, again, strict=True):
                    reports[number] = report
            return reports, closing

        self._measure(request, work)

    def _probe_once(self, request: Message, probes: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[int]]:
        prober = Prober(
            self._sockets,
            probes,
            repetitions=request["repetitions"],
            limit_s=request["limit_s"],
            seed=request["seed"],
        )
        neighbors.ask_again(self._networks)
        reports = prober.run()
        neighbors.forget(self._networks, prober.unowned)
        return reports, prober.close()

    def path(self, request: Message) -> None:
        """Hops towards an address."""
        self._measure(request, lambda: (paths.trace(self._sockets, request), ()))

    def traffic(self, request: Message) -> None:
        """Flows, and what arrives of them. They are sent again if the machine dropped packets meanwhile."""

        def work() -> Measured:
            overflow = Overflow()
            reports = Traffic(self._sockets, request).run()
            if overflow:
                wait_for_calm()
                reports = Traffic(self._sockets, request).run()
            return reports, ()

        self._measure(request, work)

    def capture(self, request: Message) -> None:
        """Packets of an interface."""
        self._measure(request, lambda: (captures.capture(self._networks, request), ()))

    def counters(self, request: Message) -> Message:
        """What the kernel of a node has counted at its interfaces, as its text."""
        with self._networks.inside(request["node"]), open("/proc/thread-self/net/dev", encoding="utf-8") as file:
            return {"text": file.read()}

    def _measure(self, request: Message, work: Callable[[], Measured]) -> None:
        """Run ``work`` in a child and answer with what it returns, as JSON."""

        def done(result: dict[str, Any]) -> None:
            if result["returncode"]:
                self._owner.refuse(request, result["stderr"].strip() or f"status {result['returncode']}")
            else:
                self._owner.answer(request, {"result": result["stdout"]})

        self._jobs.start(lambda stdio: _fork_to_write(work, stdio), done, timeout_s=request["timeout_s"])


def _fork_to_write(work: Callable[[], Measured], stdio: Stdio) -> int:
    def run() -> NoReturn:
        os.dup2(stdio[2], 2)
        # a short life with many objects: looking for cycles would only delay packets
        gc.disable()
        result, slow_to_close = work()
        data = json.dumps(result).encode()
        while data:
            data = data[os.write(stdio[1], data) :]
        closing.close_elsewhere(slow_to_close)
        os._exit(0)

    return spawn.fork(run)
