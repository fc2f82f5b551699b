"""What is measured of networks, each as one call of a short-lived process. Standard library only.

A call takes its request as a dictionary and returns what JSON can say.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from pytest_netbench.probing import captures, closing, neighbors, paths
from pytest_netbench.probing.networks import Networks
from pytest_netbench.probing.overflow import AGAIN, Overflow, wait_for_calm
from pytest_netbench.probing.probes import Prober
from pytest_netbench.probing.sockets import Sockets
from pytest_netbench.probing.traffic import Traffic

Request = dict[str, Any]
Measured = tuple[Any, Sequence[int]]
"""A result, and descriptors that take their time to close."""


class Calls:
    """Measures in networks.

    Args:
        networks: The networks of the nodes.
    """

    def __init__(self, networks: Networks) -> None:
        self._networks = networks
        self._sockets = Sockets(networks)

    def probe(self, request: Request) -> Measured:
        """Packet exchanges, all at once. What fails while the machine drops packets is tried again, twice at most."""
        overflow = Overflow()
        reports, closing = self._probe_once(request, request["probes"])
        for _ in range(AGAIN):
            lost = [number for number, report in enumerate(reports) if not report["delivered"]]
            if not lost or not overflow:
                break
            wait_for_calm()
            overflow = Overflow()
            again, slow = self._probe_once(request, [request["probes"][number] for number in lost])
            closing += slow
            for number, report in zip(lost, again, strict=True):
                reports[number] = report
        return reports, closing

    def _probe_once(self, request: Request, probes: list[Request]) -> tuple[list[dict[str, Any]], list[int]]:
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

    def path(self, request: Request) -> Measured:
        """Hops towards an address."""
        return paths.trace(self._sockets, request), ()

    def traffic(self, request: Request) -> Measured:
        """Flows, and what arrives of them. They are sent again while the machine drops packets, twice at most."""
        for _ in range(AGAIN):
            overflow = Overflow()
            reports = self._traffic_once(request)
            if not overflow:
                return reports, ()
            wait_for_calm()
        return self._traffic_once(request), ()

    def _traffic_once(self, request: Request) -> list[dict[str, Any]]:
        neighbors.ask_again(self._networks)
        return Traffic(self._sockets, request).run()

    def capture(self, request: Request) -> Measured:
        """Packets of an interface."""
        return captures.capture(self._networks, request), ()


def write_and_exit(work: Callable[[], Measured], output: int) -> NoReturn:
    """Write to ``output`` what ``work`` returns, as JSON, and end this process."""
    # a short life with many objects: looking for cycles would only delay packets
    gc.disable()
    result, slow_to_close = work()
    data = json.dumps(result).encode()
    while data:
        data = data[os.write(output, data) :]
    closing.close_elsewhere(slow_to_close)
    os._exit(0)
