"""Control of the cables of a lab, whose frames the kernel or a program passes on outside of the nodes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from pytest_netbench.errors import LabError
from pytest_netbench.lab import wires
from pytest_netbench.lab.capabilities import Defect
from pytest_netbench.model.topology import LinkQuality, Topology

KernelName = Callable[[str, str], str]
"""Of a node and an interface; raises ValueError for what cannot be an interface there."""
_NO_DEFECT = Defect(), 0


class Channel(Protocol):
    """To the process that has the cables, see ``kernel.cabling.cables``."""

    def call(self, op: str, **arguments: Any) -> Any:
        """Request an operation.

        Raises:
            LabError: It failed.
        """
        ...


class Cables:
    """Implements ``lab.capabilities.LinkControl``.

    Args:
        channel: To the process that has them.
        topology: The lab's topology.
        kernel_name: The kernel's name of an interface.
        line_rates: By node: rate of the link by interface, kept up to date.
        time_scale: Lab seconds in a wall second at present.
    """

    def __init__(
        self,
        *,
        channel: Channel,
        topology: Topology,
        kernel_name: KernelName,
        line_rates: Mapping[str, dict[str, int]],
        time_scale: Callable[[], float],
    ) -> None:
        self._channel = channel
        self._links = topology.links
        self._kernel_name = kernel_name
        self._line_rates = line_rates
        self._time_scale = time_scale
        self._lock = threading.Lock()
        self._places = {
            (end.node, kernel_name(end.node, end.interface)): (number, port)
            for number, link in enumerate(topology.links)
            for port, end in enumerate(link.endpoints)
        }
        self._qualities = {number: link.quality for number, link in enumerate(topology.links)}
        self._defects: dict[int, tuple[Defect, int]] = {}
        """By number of the link: its defect, and the port by which it was named."""
        self._cut: set[tuple[int, int]] = set()
        self._detached: set[tuple[int, int]] = set()
        self._flapping: set[tuple[int, int]] = set()

    def cut(self, node: str, interface: str) -> None:
        self._switch(node, interface, cut=True)

    def restore(self, node: str, interface: str) -> None:
        self._switch(node, interface, cut=False)

    def flap(self, node: str, interface: str, *, down_s: float, up_s: float) -> None:
        segment = self._segment(node, interface)
        seconds = {"down_s": down_s / self._time_scale(), "up_s": up_s / self._time_scale()}
        with self._lock:
            self._channel.call("flap-link", link=segment[0], port=segment[1], **seconds)
            self._flapping.add(segment)

    def block(self, node: str, interface: str, *, blocked: bool) -> None:
        """Let no frame pass between an interface and its link, or let all pass again; carriers stay.

        Raises:
            LabError: There is no such interface, or its link is shaped.
        """
        number, port = self._place(node, interface)
        with self._lock:
            self._channel.call("block-link", link=number, port=port, blocked=blocked)

    def detach(self, node: str, interface: str) -> None:
        self._detach(node, interface, detached=True)

    def attach(self, node: str, interface: str) -> None:
        self._detach(node, interface, detached=False)

    def _detach(self, node: str, interface: str, *, detached: bool) -> None:
        place = number, port = self._place(node, interface)
        with self._lock:
            if (place in self._detached) != detached:
                kernel = self._kernel_name(node, interface)
                self._channel.call("detach", link=number, port=port, node=node, interface=kernel, detached=detached)
                (self._detached.add if detached else self._detached.discard)(place)

    def is_cut(self, node: str, interface: str) -> bool:
        return self._segment(node, interface) in self._cut

    def quality(self, node: str, interface: str) -> LinkQuality:
        return self._qualities[self._place(node, interface)[0]]

    def set_quality(self, node: str, interface: str, quality: LinkQuality) -> None:
        number, _ = self._place(node, interface)
        link = self._links[number]
        if len(link.endpoints) == 1:
            raise LabError(f"link {str(link)!r} has one endpoint and carries no packets: it cannot be shaped")
        with self._lock:
            if quality != self._qualities[number]:
                self._shape(number, quality, *self._defects.get(number, _NO_DEFECT))
                self._qualities[number] = quality
                self._tell_rates(number, quality.rate_bps)

    def set_defect(self, node: str, interface: str, defect: Defect) -> None:
        number, port = self._place(node, interface)
        port = port if defect.one_way else 0
        link = self._links[number]
        if len(link.endpoints) != 2:
            raise LabError(f"link {str(link)!r} is no cable between two interfaces: it can have no defect")
        with self._lock:
            if (defect, port) != self._defects.get(number, _NO_DEFECT):
                self._shape(number, self._qualities[number], defect, port)
                self._defects[number] = defect, port

    def _shape(self, number: int, quality: LinkQuality, defect: Defect, port: int) -> None:
        arguments = [*wires.shaping(quality, ports=len(self._links[number].endpoints)), *wires.defective(defect, port)]
        self._channel.call("shape-link", link=number, wire=arguments or None)

    def _tell_rates(self, number: int, rate_bps: int | None) -> None:
        for end in self._links[number].endpoints:
            if rate_bps is None:
                self._line_rates[end.node].pop(end.interface, None)
            else:
                self._line_rates[end.node][end.interface] = rate_bps

    def _switch(self, node: str, interface: str, *, cut: bool) -> None:
        segment = self._segment(node, interface)
        with self._lock:
            if (segment in self._cut) != cut or segment in self._flapping:
                self._channel.call("cut-link", link=segment[0], port=segment[1], cut=cut)
                (self._cut.add if cut else self._cut.discard)(segment)
                self._flapping.discard(segment)

    def _segment(self, node: str, interface: str) -> tuple[int, int]:
        """Number of the link and the port that stands for its segment: a cable has one, a LAN one per endpoint."""
        number, port = self._place(node, interface)
        return number, port if len(self._links[number].endpoints) > 2 else 0

    def _place(self, node: str, interface: str) -> tuple[int, int]:
        known = [str(end) for link in self._links for end in link.endpoints]
        try:
            return self._places[node, self._kernel_name(node, interface)]
        except (KeyError, ValueError):
            raise LabError(
                f"there is no interface '{node} {interface}' with a link (known: {', '.join(known)})"
            ) from None
