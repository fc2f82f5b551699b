"""Cables with a defect in one direction: what one end sends suffers, what the other end sends does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.cables import AddressedCable, routed_cables
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.impairments import CORRUPTION, EVIDENT_BPS, LOSS, checksum_errors, rate, worse
from pytest_netbench.lab.capabilities import Defect
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.model.testcase import Flow

_PORTS: Final = 33_470
_PINGS: Final = ("some pings lost", "loses some of the packets, or makes them unusable")
_RATE_BPS: Final = 800_000
_PACKET_BYTES: Final = 200
_DURATION_S: Final = 0.3
_LEAST_LOSS: Final = 0.06
"""With a fifth lost, one of a hundred thousand series has less: in the time that is measured more than a hundred
packets are sent."""
_MOST_LOSS: Final = 0.04
"""Of the sound direction: the last packets may come after the measurement."""
_EVIDENT_S: Final = 1.0
_FEWER: Final = r'"received_bps": (?:[1-8]\d{5}|9[0-2]\d{4})\.'
_ALMOST_ALL: Final = r'"received_bps": (?:9[6-9]\d{4}|1\d{6})\.'
"""With a fifth lost, less than 930 kbit/s arrive of a Mbit/s but for one of a thousand series, and never 960."""


class OneWay(AddressedCable):
    """A cable, of which the first end is the one that sends with the defect."""


def _directions(network: DrawnNetwork) -> Iterator[OneWay]:
    for cable, address in routed_cables(network):
        one = OneWay(**dict(cable), address=address)
        yield from (one, one.turned)


def _not_one_way(lab: Lab, p: OneWay) -> Iterator[str]:
    ends, usual = (p, p.turned), {"rate_bps": _RATE_BPS, "packet_bytes": _PACKET_BYTES}
    flows = [
        Flow.model_validate({"from": end.node, "to": end.peer_node, "port": _PORTS + number, **usual})
        for number, end in enumerate(ends)
    ]
    reports = lab.prober.traffic(flows, [end.peer_address for end in ends], duration_s=_DURATION_S)
    there, back = (1 - one.received_packets / max(1, one.sent_packets) for one in reports)
    if there < _LEAST_LOSS or back > _MOST_LOSS:
        yield f"{p.way}: {there:.0%} are lost, and {back:.0%} on the way back"


def _not_corrupting_one_way(lab: Lab, p: OneWay) -> Iterator[str]:
    before = checksum_errors(lab, p.peer_node)
    yield from _not_one_way(lab, p)
    if checksum_errors(lab, p.peer_node) == before:
        yield f"{p.way}: {p.peer_node} received no wrong checksum"


def _one_way(network: Observable, p: OneWay) -> Iterator[Observation]:
    hosts = network.along(p.node, p.peer_node)
    there, back = "Some packets from {} to {} are lost.", "Almost no packets from {} to {} are lost."
    # for long enough to tell losses from the last packets
    yield from rate(hosts, EVIDENT_BPS, _FEWER, there, duration_s=_EVIDENT_S)
    yield from rate(hosts and hosts[::-1], EVIDENT_BPS, _ALMOST_ALL, back, duration_s=_EVIDENT_S)


def _one_way_fault(name: str, defect: Defect, **fields: Any) -> OutsideValue[Any]:
    return worse(
        name,
        defect,
        parameters=OneWay,
        at=_directions,
        pings=_PINGS,
        rates=_one_way,
        said=lambda p: f" What goes from {p.node} {p.interface} to {p.peer_node} suffers.",
        **fields,
    )


LINK_LOSSY_ONE_WAY = _one_way_fault(
    "link-lossy-one-way",
    Defect(loss=LOSS, one_way=True),
    about="A cable loses a part of the packets in one direction only; those in the other direction all arrive.",
    label="LOSS_ONE_WAY",
    loses=True,
    check=_not_one_way,
)
LINK_CORRUPTING_ONE_WAY = _one_way_fault(
    "link-corrupting-one-way",
    Defect(corruption=CORRUPTION, one_way=True),
    about="A cable changes single bits of a part of the packets in one direction only, so that their checksums are"
    " wrong.",
    label="CORRUPT_ONE_WAY",
    called={"nika": "device_forwarding_packet_corruption"},
    check=_not_corrupting_one_way,
)
