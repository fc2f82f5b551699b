"""Reports as operators write them: a complaint, and what happened lately, be it related or not."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from typing import Final, Literal

from pytest_netbench.generators.networks import DrawnNetwork

ReportName = Literal["none", "operator", "wrong-device", "wrong-cause", "elsewhere", "mixed"]
_UNRELATED: Final = 0.25
"""Share of the complaints that are about any hosts."""
COMPLAINTS: Final = (
    "Users of {one} say that {other} has not answered since this morning.",
    "A ticket came in: the connection from {one} to {other} is slow, and sometimes it breaks.",
    "Monitoring sent an alarm for {one}: checks of {other} fail now and then.",
    "The team that runs {one} asks whether something is wrong on the way to {other}.",
    "Somebody called about {one}. What exactly does not work they could not say; {other} was mentioned.",
)
_LATELY: Final = (
    "There was planned work on {device} last night. It was closed as successful.",
    "{device} was checked last week, and nothing was found.",
    "Nobody has changed anything lately, as far as we know.",
    "A colleague cleaned up the configuration of {device} yesterday.",
    "The cabling near {device} was tidied up some days ago.",
)
_CLOSING: Final = (
    "Please have a look. It may be a false alarm.",
    "Please find out whether this is our network at all.",
    "Please check.",
)


def draw_report(network: DrawnNetwork, nodes: Sequence[str], source: random.Random) -> str:
    """Draw a report.

    Args:
        network: The network.
        nodes: Where a complaint may come from: those of the faults that were drawn. A healthy network has them too, and
            they are left out only later, so that its report is of the same distribution.
        source: Of the choices.
    """
    near = hosts_near(network, nodes)
    one = source.choice(network.hosts if not near or source.random() < _UNRELATED else near)
    other = source.choice([host for host in network.hosts if host != one] or list(network.hosts))
    device = source.choice(network.routers or network.hosts)
    words = (source.choice(COMPLAINTS), source.choice(_LATELY), source.choice(_CLOSING))
    return " ".join(one_of.format(one=one, other=other, device=device) for one_of in words)


def hosts_near(network: DrawnNetwork, nodes: Collection[str]) -> list[str]:
    """Those of some nodes that are hosts, and the hosts whose gateway is one of them."""
    return [host for host in network.hosts if host in nodes or _routers(network, host) & {*nodes}]


def _routers(network: DrawnNetwork, host: str) -> set[str]:
    return {one.node for one in network.lan_of(host).attachments if one.node in network.routers}
