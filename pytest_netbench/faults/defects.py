"""Cables with a defect: they have carrier and carry some packets as they should, and others not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Final

from pytest_netbench.errors import FaultHasNoEffect, LabError
from pytest_netbench.faults.cables import SOME_LOST, RoutedCable, RoutedCableFault, fewer, over, rate
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.lab.capabilities import LINKS, Defect
from pytest_netbench.lab.probing import FlowReport, Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.demand import BURST_PACKETS, Bursts

CORRUPTION: Final = 0.2
FLOW_LOSS: Final = 0.25
QUEUE_BYTES: Final = 2500
"""Two packets of 1000 bytes and their headers."""
MOST_BYTES: Final = 600
"""Less than the packets of demands have, and more than those of a ping."""
_ECHOES: Final = 64
"""With a fifth corrupted each way, one of a million series of so many echoes is answered each time."""
_FLOWS: Final = 48
"""With a quarter of them lost, all of so many pass once in a million times."""
_EVIDENT_FLOWS: Final = 16
"""With a quarter of them lost, all of so many pass once in a hundred times."""
_PORTS: Final = 33_434
_FLOW_BPS: Final = 64_000
_BURSTS_BPS: Final = 1_000_000
_DURATION_S: Final = 0.3
_SMALL, _LARGE = 200, 1000
_ERRORS: Final = {"Ip:": ("InHdrErrors",), "Icmp:": ("InCsumErrors",), "Udp:": ("InCsumErrors",)}


class _Defective(RoutedCableFault):
    """What these faults share. A subclass says which defect it is, and how it is seen."""

    defect: ClassVar[Defect]

    def inject(self, parameters: RoutedCable, lab: Lab) -> None:
        lab.capability(LINKS).set_defect(parameters.node, parameters.interface, self.defect)

    def undo(self, parameters: RoutedCable, lab: Lab) -> None:
        lab.capability(LINKS).set_defect(parameters.node, parameters.interface, Defect())

    def _no_effect(self, parameters: RoutedCable, reason: str) -> FaultHasNoEffect:
        return FaultHasNoEffect(self.name, f"{parameters.node} to {parameters.peer_address}: {reason}")


class LinkCorrupting(_Defective):
    """A cable changes single bits of a part of the packets, each way, so that their checksums are wrong."""

    name = "link-corrupting"
    label = "CORRUPT"
    called = {"nika": "link_packet_corruption"}
    defect = Defect(corruption=CORRUPTION)

    def observe(self, parameters: RoutedCable, lab: Lab) -> None:
        ends = (parameters.node, parameters.peer_node)
        before = sum(checksum_errors(lab, node) for node in ends)
        echo = Probe(source=parameters.node, target=parameters.peer_address, timeout_s=0.2, repetitions=0)
        answered = [one.delivered for one in lab.prober.probe([echo] * _ECHOES)]
        wrong = sum(checksum_errors(lab, node) for node in ends) - before
        if not wrong or not any(answered):
            raise self._no_effect(
                parameters, f"{sum(answered)} of {_ECHOES} echoes are answered, {wrong} packets had wrong checksums"
            )

    def evidence(self, parameters: RoutedCable, network: Observable) -> Iterator[Observation]:
        yield from over(parameters, network, "some pings lost", "makes some packets unusable")
        yield from fewer(parameters, network)


class LinkFlowsLost(_Defective):
    """A cable loses all packets of some TCP and UDP flows, each way, and carries the others and pings."""

    name = "link-flows-lost"
    label = "FLOWS"
    called = {"nika": "silent_egress_packet_loss"}
    defect = Defect(flow_loss=FLOW_LOSS)

    def observe(self, parameters: RoutedCable, lab: Lab) -> None:
        reports = _sent(parameters, lab, [(_PORTS + number, _SMALL) for number in range(_FLOWS)])
        lost = sum(one.received_packets == 0 for one in reports)
        if not 0 < lost < _FLOWS:
            raise self._no_effect(parameters, f"{lost} of {_FLOWS} flows are lost")

    def evidence(self, parameters: RoutedCable, network: Observable) -> Iterator[Observation]:
        hosts = network.across(parameters.node, parameters.peer_node)
        if hosts is not None:
            because = f"Of several flows from {hosts[0]} to {hosts[1]}, one is lost wholly."
            yield rate(hosts, 1_000_000, r'"received_packets": 0\b', because, tries=_EVIDENT_FLOWS)


class LinkMtuLow(_Defective):
    """A cable loses packets that are longer than 600 bytes, without notice; the MTU at its ends is higher."""

    name = "link-mtu-low"
    label = "MTU"
    called = {"nika": "mtu_mismatch"}
    defect = Defect(most_bytes=MOST_BYTES)

    def observe(self, parameters: RoutedCable, lab: Lab) -> None:
        small, large = _sent(parameters, lab, [(_PORTS, _SMALL), (_PORTS + 1, _LARGE)])
        if not small.received_packets or large.received_packets:
            raise self._no_effect(
                parameters,
                f"{small.received_packets} packets of {_SMALL} bytes and {large.received_packets} of {_LARGE} arrive",
            )

    def evidence(self, parameters: RoutedCable, network: Observable) -> Iterator[Observation]:
        yield from over(parameters, network, "large pings lost", "loses long packets")
        hosts = network.across(parameters.node, parameters.peer_node)
        if hosts is not None:
            because = f"None of the long packets from {hosts[0]} arrive at {hosts[1]}."
            yield rate(hosts, 1_000_000, r'"received_packets": 0\b', because)


class LinkQueueShort(_Defective):
    """A cable has room for two packets that wait, each way: of packets that come at once most are lost."""

    shown_by = "bursts"
    name = "link-queue-short"
    label = "QUEUE"
    called = {"nika": "incast_traffic_network_limitation"}
    defect = Defect(queue_bytes=QUEUE_BYTES)

    def observe(self, parameters: RoutedCable, lab: Lab) -> None:
        (paced,) = _sent(parameters, lab, [(_PORTS, _LARGE)])
        (burst,) = _sent(parameters, lab, [(_PORTS, _LARGE)], burst_packets=BURST_PACKETS)
        if not paced.received_packets or 2 * burst.received_packets > burst.sent_packets:
            raise self._no_effect(
                parameters,
                f"{paced.received_packets} of {paced.sent_packets} packets arrive, and {burst.received_packets} of"
                f" {burst.sent_packets} that are sent {BURST_PACKETS} at once",
            )

    def evidence(self, parameters: RoutedCable, network: Observable) -> Iterator[Observation]:
        hosts = network.across(parameters.node, parameters.peer_node)
        if hosts is not None:
            because = f"Of packets that {hosts[0]} sends to {hosts[1]} {BURST_PACKETS} at once, most are lost."
            yield rate(hosts, 1_000_000, SOME_LOST, because, burst_packets=BURST_PACKETS)


def _sent(
    parameters: RoutedCable, lab: Lab, flows: Iterable[tuple[int, int]], *, burst_packets: int = 1
) -> list[FlowReport]:
    """What arrives at the other end of flows to ports, each of packets of so many bytes."""
    bps = _FLOW_BPS if burst_packets == 1 else _BURSTS_BPS
    chosen = [
        Bursts.model_validate(
            {
                "from": parameters.node,
                "to": parameters.peer_node,
                "port": port,
                "rate_bps": bps,
                "packet_bytes": size,
                "burst_packets": burst_packets,
            }
        )
        for port, size in flows
    ]
    return lab.prober.traffic(chosen, [parameters.peer_address] * len(chosen), duration_s=_DURATION_S)


def checksum_errors(lab: Lab, node: str) -> int:
    """How many packets the kernel of a node has dropped because a checksum or a header is wrong.

    Raises:
        LabError: The node does not tell.
    """
    done = lab.nodes[node].run(["cat", "/proc/net/snmp"])
    lines = [line.split() for line in done.stdout.splitlines()]
    counted = {
        names[0]: dict(zip(names, values, strict=True)) for names, values in zip(lines[::2], lines[1::2], strict=True)
    }
    if done.returncode or not counted.keys() >= _ERRORS.keys():
        raise LabError(f"{node}: the counters of its IP could not be read: {done.stderr.strip()}")
    return sum(int(counted[group][name]) for group, names in _ERRORS.items() for name in names)
