"""Marking at the edge of a network: routers mark what comes in from their LANs, and trust what other routers send."""

from __future__ import annotations

from random import Random
from typing import Final

from pytest_netbench.errors import UsageError
from pytest_netbench.generators.networks.draft import Device, Draft
from pytest_netbench.generators.networks.services.service import Service
from pytest_netbench.model.services import Marking

_PORTS: Final = (4500, 5004, 5060, 16384)
_EXPEDITED, _VIDEO, _SIGNALLING = 46, 34, 40
_MARKS: Final = (_EXPEDITED, _VIDEO, _SIGNALLING)


def add_qos(draft: Draft, source: Random) -> None:
    """Let each managed router mark the packets to one UDP port that come in from its LANs.

    Raises:
        UsageError: No managed router has a LAN.
    """
    port, dscp = source.choice(_PORTS), source.choice(_MARKS)
    marking = [(device, inside) for device in draft.devices if (inside := _inside(device))]
    if not marking:
        raise UsageError("service 'qos' needs a managed router with a LAN")
    for device, inside in marking:
        device.marking = Marking(node=device.name, interfaces=inside, port=port, dscp=dscp)


def _inside(device: Device) -> tuple[str, ...]:
    """The interfaces toward LANs of a router that can mark."""
    if not device.forwards or device.control != "managed":
        return ()
    return tuple(port.interface for port in device.routed_ports if port.net.kind == "lan")


QOS: Final = Service(
    name="qos",
    what="routers give what comes in from their LANs a DSCP by its UDP port, and keep that of what other routers send",
    platforms=("cisco_ios",),
    configure=add_qos,
)
