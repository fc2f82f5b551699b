"""Cables with a defect in one direction: what one end sends suffers, what the other end sends does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final, NamedTuple

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.cables import LOSS, CableFault, RoutedCable, over, rate, routed_cables
from pytest_netbench.faults.defects import CORRUPTION, checksum_errors
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.lab.capabilities import LINKS, Defect
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.model.testcase import Flow

_PORTS: Final = (33_470, 33_471)
_RATE_BPS: Final = 800_000
_PACKET_BYTES: Final = 200
_DURATION_S: Final = 0.3
"""In the time that is measured more than a hundred packets are sent."""
_LEAST_LOSS: Final = 0.06
"""With a fifth lost, one of a hundred thousand series has less."""
_MOST_LOSS: Final = 0.04
"""Of the sound direction: the last packets may come after the measurement."""
_EVIDENT_BPS: Final = 1_000_000
_EVIDENT_S: Final = 1.0
_FEWER: Final = r'"received_bps": (?:[1-8]\d{5}|9[0-2]\d{4})\.'
_ALMOST_ALL: Final = r'"received_bps": (?:9[6-9]\d{4}|1\d{6})\.'
"""With a fifth lost, less than 930 kbit/s arrive of a Mbit/s but for one of a thousand series, and never 960."""


class OneWay(RoutedCable):
    """A cable, of which the first end is the one that sends with the defect, and both addresses."""

    address: str

    @property
    def turned(self) -> OneWay:
        """The cable from its other end."""
        return OneWay(
            node=self.peer_node,
            interface=self.peer_interface,
            address=self.peer_address,
            peer_node=self.node,
            peer_interface=self.interface,
            peer_address=self.address,
        )


class _Losses(NamedTuple):
    """Shares of the packets that do not arrive, in the direction of the defect and in the other one."""

    there: float
    back: float


class _OneWayFault(CableFault[OneWay]):
    """What these faults share. A subclass says which defect it is, and what it leaves at the receiver."""

    parameters = OneWay
    requires = ("links", "probes")
    defect: ClassVar[Defect]

    def places(self, network: DrawnNetwork) -> Iterator[OneWay]:
        for cable, address in routed_cables(network):
            one = OneWay(**dict(cable), address=address)
            yield from (one, one.turned)

    def inject(self, parameters: OneWay, lab: Lab) -> None:
        lab.capability(LINKS).set_defect(parameters.node, parameters.interface, self.defect)

    def undo(self, parameters: OneWay, lab: Lab) -> None:
        lab.capability(LINKS).set_defect(parameters.node, parameters.interface, Defect())

    def explain(self, parameters: OneWay) -> str:
        direction = f"from {parameters.node} {parameters.interface} to {parameters.peer_node}"
        return f"{super().explain(parameters)} What goes {direction} suffers."

    def evidence(self, parameters: OneWay, network: Observable) -> Iterator[Observation]:
        yield from over(parameters, network, "some pings lost", "loses some of the packets, or makes them unusable")
        hosts = network.along(parameters.node, parameters.peer_node)
        if hosts is not None:
            source, target = hosts
            yield _sent(source, target, _FEWER, "Some packets from {} to {} are lost.")
            yield _sent(target, source, _ALMOST_ALL, "Almost no packets from {} to {} are lost.")

    def observe(self, parameters: OneWay, lab: Lab) -> None:
        losses = self._measured(parameters, lab)
        if losses.there < _LEAST_LOSS or losses.back > _MOST_LOSS:
            raise self._no_effect(parameters, f"{losses.there:.0%} are lost, and {losses.back:.0%} on the way back")

    def _measured(self, parameters: OneWay, lab: Lab) -> _Losses:
        ends = (parameters, parameters.turned)
        flows = [
            Flow.model_validate(
                {
                    "from": end.node,
                    "to": end.peer_node,
                    "port": port,
                    "rate_bps": _RATE_BPS,
                    "packet_bytes": _PACKET_BYTES,
                }
            )
            for end, port in zip(ends, _PORTS, strict=True)
        ]
        reports = lab.prober.traffic(flows, [end.peer_address for end in ends], duration_s=_DURATION_S)
        return _Losses(*(1 - one.received_packets / max(1, one.sent_packets) for one in reports))

    def _no_effect(self, parameters: OneWay, reason: str) -> FaultHasNoEffect:
        return FaultHasNoEffect(self.name, f"{parameters.node} to {parameters.peer_address}: {reason}")


class LinkLossyOneWay(_OneWayFault):
    """A cable loses a part of the packets in one direction only; those in the other direction all arrive."""

    name = "link-lossy-one-way"
    label = "LOSS_ONE_WAY"
    defect = Defect(loss=LOSS, one_way=True)


class LinkCorruptingOneWay(_OneWayFault):
    """A cable changes single bits of a part of the packets in one direction only, so that their checksums are wrong."""

    name = "link-corrupting-one-way"
    label = "CORRUPT_ONE_WAY"
    called = {"nika": "device_forwarding_packet_corruption"}
    defect = Defect(corruption=CORRUPTION, one_way=True)

    def observe(self, parameters: OneWay, lab: Lab) -> None:
        before = checksum_errors(lab, parameters.peer_node)
        super().observe(parameters, lab)
        if checksum_errors(lab, parameters.peer_node) == before:
            raise self._no_effect(parameters, f"{parameters.peer_node} received no wrong checksum")


def _sent(source: str, target: str, pattern: str, because: str) -> Observation:
    """What arrives from one host to another one, for long enough to tell losses from the last packets."""
    one = rate((source, target), _EVIDENT_BPS, pattern, because.format(source, target))
    return one.model_copy(update={"params": {**one.params, "duration_s": _EVIDENT_S}})
